// Which trades a list shows: those of the filter, by state (?show=…), of one import
// (?import=…), in an order (?sort=…).

import type { Scope } from '../../lib/filter/filter';
import type { TradeQuery } from './list.svelte';
import { parseSort } from './order';

export type Show = 'all' | 'open' | 'closed' | 'review';
const shows: Show[] = ['all', 'open', 'closed', 'review'];

/** Returns the state the address asks for, or else another. */
export function parseShow(params: URLSearchParams, otherwise: Show = 'all'): Show {
  return shows.find((s) => s === (params.get('show') ?? params.get('status'))) ?? otherwise;
}

/** Returns the query of a list's figures: they have no order and no reviews. */
export function summaryQuery(scope: Scope, show: Show): TradeQuery {
  if (show === 'all') return { ...scope };
  return { ...scope, status: show === 'open' ? 'open' : 'closed' };
}

/** Returns a list's query. */
export function listQuery(scope: Scope, show: Show, params: URLSearchParams): TradeQuery {
  const batch = params.get('import');
  return {
    ...summaryQuery(scope, show),
    ...parseSort(params.get('sort')),
    ...(show === 'review' ? { reviewed: false } : {}),
    ...(batch ? { import_batch_id: batch } : {}),
  };
}
