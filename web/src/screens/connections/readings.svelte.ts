// What the Connections screen reads of brokers.

import { answer, api } from '../../lib/api/client';
import { query, type Kind } from '../../lib/api/queries.svelte';

/** What a run changes. */
export const touchedByRuns: Kind[] = [
  'connections',
  'accounts',
  'analytics',
  'cash',
  'executions',
  'imports',
  'trades',
];

export const readBrokers = () =>
  query(() => ({
    key: ['connections', 'providers'],
    load: (signal) => answer(api.GET('/api/v1/connections/providers', { signal })),
  }));

export const readRuns = (id: () => string) =>
  query(() => ({
    key: ['connections', 'runs', id()],
    load: (signal) =>
      answer(api.GET('/api/v1/connections/{id}/runs', { params: { path: { id: id() } }, signal })),
  }));
