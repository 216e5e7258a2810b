// The reports' queries.

import { answer, api, type Schemas } from '../../lib/api/client';
import { nextCursor } from '../../lib/api/paging';
import { query } from '../../lib/api/queries.svelte';
import type { Scope } from '../../lib/filter/filter';
import { filter } from '../../lib/filter/filter.svelte';
import type { Trade } from './selection';
import type { By } from './groups';

/** Loads the summary with explanations and confidence intervals. */
export const readExplained = (enabled: () => boolean = () => true) =>
  query(() => ({
    key: ['analytics', 'explained', filter.results],
    enabled: enabled(),
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/summary', {
          params: { query: { ...filter.results, explain: true, evidence: true } },
          signal,
        }),
      ),
  }));

// Only breakdowns by time can count realized results.
const byTime: By[] = ['weekday', 'hour', 'month', 'session'];
const scopeBy = (by: By) => (byTime.includes(by) ? filter.results : filter.units);

export const readBreakdown = (by: () => By) =>
  query(() => ({
    key: ['analytics', 'breakdown', by(), scopeBy(by())],
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/breakdown', {
          params: { query: { ...scopeBy(by()), by: by() } },
          signal,
        }),
      ),
  }));

/** The results of a root's contracts. */
export const readContracts = (root: () => string) =>
  query(() => ({
    key: ['analytics', 'breakdown', 'symbol', { ...filter.scope, root: [root()] }],
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/breakdown', {
          params: { query: { ...filter.scope, root: [root()], by: 'symbol' } },
          signal,
        }),
      ),
  }));

/** Compares results with what the price did during and after the trades. */
export const readExcursions = () =>
  query(() => ({
    key: ['analytics', 'excursions', filter.scope],
    load: (signal) =>
      answer(api.GET('/api/v1/analytics/excursions', { params: { query: filter.scope }, signal })),
  }));

export const readBehavior = (enabled: () => boolean = () => true) =>
  query(() => ({
    key: ['analytics', 'behavior', filter.units],
    enabled: enabled(),
    load: (signal) =>
      answer(api.GET('/api/v1/analytics/behavior', { params: { query: filter.units }, signal })),
  }));

export const readDaily = () =>
  query(() => ({
    key: ['analytics', 'daily', filter.results],
    load: (signal) =>
      answer(api.GET('/api/v1/analytics/daily', { params: { query: filter.results }, signal })),
  }));

export const readR = () =>
  query(() => ({
    key: ['analytics', 'r', filter.units],
    load: (signal) => answer(api.GET('/api/v1/analytics/r', { params: { query: filter.units }, signal })),
  }));

export const readDrawdowns = () =>
  query(() => ({
    key: ['analytics', 'drawdowns', filter.scope],
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/drawdowns', {
          params: { query: { ...filter.scope, limit: 20 } },
          signal,
        }),
      ),
  }));

export const readMonteCarlo = (count: () => string, ruin: () => string) =>
  query(() => ({
    key: ['analytics', 'futures', filter.units, count(), ruin()],
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/montecarlo', {
          params: {
            query: {
              ...filter.units,
              ruin_pct: Number(ruin()),
              ...(count() ? { trades: Number(count()) } : {}),
            },
          },
          signal,
        }),
      ),
  }));

/** Loads every closed trade of a scope, page by page. */
export async function loadAllTrades(scope: Scope, signal: AbortSignal): Promise<Trade[]> {
  const list: Trade[] = [];
  let cursor: string | null = '';
  do {
    const response: ReturnType<typeof loadPage> = loadPage(scope, cursor, signal);
    list.push(...(await answer(response)));
    cursor = nextCursor((await response).response.headers.get('Link'));
  } while (cursor);
  return list;
}

const loadPage = (scope: Scope, cursor: string, signal: AbortSignal) =>
  api.GET('/api/v1/trades', {
    params: {
      query: { ...scope, status: 'closed' as const, limit: 1000, ...(cursor ? { cursor } : {}) },
    },
    signal,
  });

export { tradesHref } from '../../app/cards';

export type Summary = Schemas['SummaryAnswer'];
