// The history's filter as the address has it, with days in the user's time zone.

import type { HistoryQuery } from '../../lib/api/history.svelte';
import { endOf, isDay, startOf } from '../../lib/format/days';
import { shownActions } from '../../lib/history';

/** Returns the query of the address. Security entries are left out unless they are asked for. */
export function queryFrom(params: URLSearchParams, timeZone: string): HistoryQuery {
  const query: Record<string, string | string[]> = {};
  for (const name of ['account_id', 'object_id', 'actor', 'q']) {
    const value = params.get(name);
    if (value) query[name] = value;
  }
  const from = params.get('from') ?? '';
  const to = params.get('to') ?? '';
  if (isDay(from)) query.from = startOf(from, timeZone);
  if (isDay(to)) query.to = endOf(to, timeZone);
  for (const name of ['type', 'action']) {
    const value = params.get(name);
    if (value) query[name] = value.split(',');
  }
  if (!query.action && params.get('security') !== '1') query.action = shownActions;
  return query as HistoryQuery;
}
