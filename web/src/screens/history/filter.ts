// The history's filter as the address has it.

import type { HistoryQuery } from '../../lib/api/history.svelte';
import { shownActions } from '../../lib/history';

/** Returns the query of the address. Security entries are left out unless they are asked for. */
export function queryFrom(params: URLSearchParams): HistoryQuery {
  const query: Record<string, string | string[]> = {};
  for (const name of ['account_id', 'object_id', 'actor', 'from', 'to', 'q']) {
    const value = params.get(name);
    if (value) query[name] = value;
  }
  for (const name of ['type', 'action']) {
    const value = params.get(name);
    if (value) query[name] = value.split(',');
  }
  if (!query.action && params.get('security') !== '1') query.action = shownActions;
  return query as HistoryQuery;
}
