// The filter, as it is written in the address: ?account=…&range=90d&… The same
// address shows the same data to the same user, so every filter is part of it.
// These are pure functions; the current filter is in filter.svelte.ts.

import type { components } from '../api/schema';
import { endOf, isDay, startOf, today, type Day } from '../format/days';
import {
  fields,
  isZone,
  noConditions,
  parseConditions,
  queryOf,
  writeConditions,
  type Conditions,
} from './conditions';
import { daysOfRange, rangeLabels, ranges, type Days, type Range } from './periods';

export { isZone };

export { rangeLabels, ranges, type Range };

/** What counts: closed trades, closing fills, or closed strategies. */
export type Pnl = 'closed' | 'realized' | 'strategies';

/** The choices of what counts, and when. */
export const pnlChoices: { value: Pnl; label: string }[] = [
  { value: 'closed', label: 'Closed trades' },
  { value: 'realized', label: 'Realized P&L' },
  { value: 'strategies', label: 'Strategies' },
];
export const pnlHint =
  'Closed trades: results count on the day the whole trade closes. Realized P&L: each closing fill counts on its own day, as on your broker’s statement. Strategies: the trades of a strategy count as one.';

export type Unit = 'money' | 'percent' | 'r';

export interface Filter extends Conditions {
  accounts: string[]; // ids; empty means all
  range: Range;
  from: Day; // custom range only
  to: Day;
  basis: 'close' | 'open';
  pnl: Pnl;
  tz: string; // '' for that of the preferences
  unit: Unit;
  view: string; // the id of the open view, '' if none
}

export const emptyFilter: Readonly<Filter> = Object.freeze({
  ...noConditions,
  accounts: [],
  range: 'all',
  from: '',
  to: '',
  basis: 'close',
  pnl: 'closed',
  tz: '',
  unit: 'money',
  view: '',
}) as Readonly<Filter>;

/** The query parameters of the filter. Screens must not use these names. */
export const filterKeys = [
  'account',
  'account_id',
  'range',
  'from',
  'to',
  'basis',
  'date_basis',
  'pnl',
  'tz',
  'unit',
  'saved',
  ...fields.flatMap((f) => (f.name ? [f.name, f.api] : [f.api])),
];

function list(params: URLSearchParams, ...names: string[]): string[] {
  const all = names.flatMap((name) => params.getAll(name)).flatMap((v) => v.split(','));
  return [...new Set(all.map((v) => v.trim()).filter(Boolean))];
}

function oneOf<T extends string>(value: string | null, allowed: readonly T[], fallback: T): T {
  return allowed.includes(value as T) ? (value as T) : fallback;
}

/** Parses a filter; invalid values are ignored. */
export function parseFilter(params: URLSearchParams): Filter {
  const from = params.get('from') ?? '';
  const to = params.get('to') ?? '';
  const filter: Filter = {
    ...parseConditions(params),
    accounts: list(params, 'account', 'account_id'),
    range: oneOf(params.get('range'), ranges, 'all'),
    from: isDay(from) ? from : '',
    to: isDay(to) ? to : '',
    basis: oneOf(params.get('basis') ?? params.get('date_basis'), ['close', 'open'], 'close'),
    pnl: oneOf(params.get('pnl'), ['closed', 'realized', 'strategies'], 'closed'),
    tz: isZone(params.get('tz')) ? params.get('tz')! : '',
    unit: oneOf(params.get('unit'), ['money', 'percent', 'r'], 'money'),
    view: params.get('saved') ?? '',
  };
  if (filter.range !== 'custom') return { ...filter, from: '', to: '' };
  if (filter.from && filter.to && filter.from > filter.to)
    [filter.from, filter.to] = [filter.to, filter.from];
  return filter;
}

/** Writes the values that differ from the empty filter, always in the same order. */
export function writeFilter(filter: Filter): URLSearchParams {
  const params = new URLSearchParams();
  const put = (name: string, value: string, defaultValue = '') => {
    if (value !== defaultValue) params.set(name, value);
  };
  put('account', filter.accounts.join(','));
  put('range', filter.range, 'all');
  if (filter.range === 'custom') {
    put('from', filter.from);
    put('to', filter.to);
  }
  put('basis', filter.basis, 'close');
  put('pnl', filter.pnl, 'closed');
  put('tz', filter.tz);
  writeConditions(params, filter, 'address');
  put('unit', filter.unit, 'money');
  put('saved', filter.view);
  return params;
}

/** Reports whether a condition on trades is set, besides accounts and dates. */
export function hasConditions(f: Filter): boolean {
  return Object.keys(queryOf(f)).length > 0;
}

/** Returns the number of active filters. */
export function countActive(f: Filter): number {
  return (
    Number(f.accounts.length > 0) +
    Number(f.range !== 'all') +
    Number(f.basis !== 'close') +
    Number(f.tz !== '') +
    Object.keys(queryOf(f)).length
  );
}

/** Returns the first and last day of the range; '' if it has none. */
export function daysOf(
  filter: Filter,
  timeZone: string,
  weekStart: number,
  now: Day = today(timeZone),
): Days {
  return filter.range === 'custom'
    ? { from: filter.from, to: filter.to }
    : daysOfRange(filter.range, now, weekStart);
}

type Parameters = {
  [
    K in keyof components['parameters'] as K extends `filter.${infer N}` ? N : never
  ]: components['parameters'][K];
};

/** The query parameters of lists and analytics, with the API's names. */
export type Scope = Partial<Parameters> & { tz?: string };

/** The query parameters of figures that count trades or strategies. */
export type UnitScope = Scope & { unit?: 'strategy' };

/** The query parameters of figures that accept pnl_basis. */
export type ResultScope = UnitScope & { pnl_basis?: 'realized' };

export function scopeOf(filter: Filter, timeZone: string, weekStart: number, now?: Day): Scope {
  const zone = filter.tz || timeZone;
  const { from, to } = daysOf(filter, zone, weekStart, now ?? today(zone));
  const { dteMin, dteMax, afterLosses, afterWins, nthMin, nthMax } = filter;
  const usesZone =
    filter.weekdays.length + filter.hours.length > 0 ||
    [dteMin, dteMax, afterLosses, afterWins, nthMin, nthMax].some(Boolean);
  return {
    ...(filter.accounts.length > 0 ? { account_id: filter.accounts } : {}),
    ...(from ? { from: startOf(from, zone) } : {}),
    ...(to ? { to: endOf(to, zone) } : {}),
    ...(filter.basis === 'open' ? { date_basis: 'open' as const } : {}),
    ...(usesZone ? { filter_tz: zone } : {}),
    ...queryOf(filter),
    tz: zone,
  };
}
