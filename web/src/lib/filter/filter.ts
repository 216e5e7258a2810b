// The filter, as it is written in the address: ?account=…&range=90d&… The same
// address shows the same data to the same user, so every filter is part of it.
// These are pure functions; the current filter is in filter.svelte.ts.

import { addDays, endOf, isDay, startOf, today, type Day } from '../format/days';

export const ranges = ['today', 'week', 'month', '30d', '90d', 'ytd', '1y', 'all', 'custom'] as const;
export type Range = (typeof ranges)[number];

export const rangeLabels: Record<Range, string> = {
  today: 'Today',
  week: 'This week',
  month: 'This month',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  ytd: 'This year',
  '1y': 'Last 12 months',
  all: 'All time',
  custom: 'Custom…',
};

/** When a result counts: when the whole trade closes, or each closing fill on its own day. */
export type Pnl = 'closed' | 'realized';

export type Unit = 'money' | 'percent' | 'r';

export interface Filter {
  accounts: string[]; // ids; empty means all
  range: Range;
  from: Day; // custom range only
  to: Day;
  basis: 'close' | 'open';
  pnl: Pnl;
  tz: string; // '' for that of the preferences
  side: '' | 'long' | 'short';
  symbols: string[];
  setups: string[];
  tags: string[];
  unit: Unit;
}

export const emptyFilter: Readonly<Filter> = Object.freeze({
  accounts: [],
  range: 'all',
  from: '',
  to: '',
  basis: 'close',
  pnl: 'closed',
  tz: '',
  side: '',
  symbols: [],
  setups: [],
  tags: [],
  unit: 'money',
}) as Readonly<Filter>;

/** The query parameters of the filter. Screens must not use these names. */
export const filterKeys = [
  'account',
  'range',
  'from',
  'to',
  'basis',
  'pnl',
  'tz',
  'side',
  'symbol',
  'setup',
  'tag',
  'unit',
];

function list(params: URLSearchParams, name: string): string[] {
  const all = params.getAll(name).flatMap((v) => v.split(','));
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
    accounts: list(params, 'account'),
    range: oneOf(params.get('range'), ranges, 'all'),
    from: isDay(from) ? from : '',
    to: isDay(to) ? to : '',
    basis: oneOf(params.get('basis'), ['close', 'open'], 'close'),
    pnl: oneOf(params.get('pnl'), ['closed', 'realized'], 'closed'),
    tz: isZone(params.get('tz')) ? params.get('tz')! : '',
    side: oneOf(params.get('side'), ['', 'long', 'short'], ''),
    symbols: [...new Set(list(params, 'symbol').map((s) => s.toUpperCase()))],
    setups: list(params, 'setup'),
    tags: list(params, 'tag'),
    unit: oneOf(params.get('unit'), ['money', 'percent', 'r'], 'money'),
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
  put('side', filter.side);
  put('symbol', filter.symbols.join(','));
  put('setup', filter.setups.join(','));
  put('tag', filter.tags.join(','));
  put('unit', filter.unit, 'money');
  return params;
}

/** Returns the number of active filters. */
export function countActive(f: Filter): number {
  return (
    Number(f.accounts.length > 0) +
    Number(f.range !== 'all') +
    Number(f.basis !== 'close') +
    Number(f.side !== '') +
    Number(f.symbols.length > 0) +
    Number(f.setups.length > 0) +
    Number(f.tags.length > 0) +
    Number(f.tz !== '')
  );
}

export function isZone(name: string | null): boolean {
  if (!name) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns the first and last day of the range; '' if it has none. */
export function daysOf(
  filter: Filter,
  timeZone: string,
  weekStart: number,
  now: Day = today(timeZone),
): { from: Day; to: Day } {
  const weekday = new Date(`${now}T00:00:00Z`).getUTCDay();
  switch (filter.range) {
    case 'today':
      return { from: now, to: now };
    case 'week':
      return { from: addDays(now, -((weekday - weekStart + 7) % 7)), to: now };
    case 'month':
      return { from: `${now.slice(0, 8)}01`, to: now };
    case '30d':
      return { from: addDays(now, -29), to: now };
    case '90d':
      return { from: addDays(now, -89), to: now };
    case 'ytd':
      return { from: `${now.slice(0, 4)}-01-01`, to: now };
    case '1y':
      return { from: addDays(now, -364), to: now };
    case 'custom':
      return { from: filter.from, to: filter.to };
    case 'all':
      return { from: '', to: '' };
  }
}

/** The query parameters of lists and analytics, with the names of the API. */
export interface Scope {
  account_id?: string[];
  from?: string;
  to?: string;
  date_basis?: 'close' | 'open';
  symbol?: string[];
  side?: 'long' | 'short';
  setup_id?: string[];
  tag_id?: string[];
  tz?: string;
}

/** The query parameters of figures that accept pnl_basis. */
export interface ResultScope extends Scope {
  pnl_basis?: 'realized';
}

export function scopeOf(filter: Filter, timeZone: string, weekStart: number, now?: Day): Scope {
  const zone = filter.tz || timeZone;
  const { from, to } = daysOf(filter, zone, weekStart, now ?? today(zone));
  return {
    ...(filter.accounts.length > 0 ? { account_id: filter.accounts } : {}),
    ...(from ? { from: startOf(from, zone) } : {}),
    ...(to ? { to: endOf(to, zone) } : {}),
    ...(filter.basis === 'open' ? { date_basis: 'open' as const } : {}),
    ...(filter.symbols.length > 0 ? { symbol: filter.symbols } : {}),
    ...(filter.side ? { side: filter.side } : {}),
    ...(filter.setups.length > 0 ? { setup_id: filter.setups } : {}),
    ...(filter.tags.length > 0 ? { tag_id: filter.tags } : {}),
    tz: zone,
  };
}
