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

/** Reads the connections again and again while one of them runs. */
export const readConnections = (isRunning: () => boolean = () => false) =>
  query(() => ({
    key: ['connections', 'list'],
    load: (signal) => answer(api.GET('/api/v1/connections', { signal })),
    ...(isRunning() ? { refetchEvery: 1500 } : {}),
  }));

export const readRuns = (id: () => string) =>
  query(() => ({
    key: ['connections', 'runs', id()],
    load: (signal) =>
      answer(api.GET('/api/v1/connections/{id}/runs', { params: { path: { id: id() } }, signal })),
  }));
