// Saved views: a filter with a name, its columns and its order. The API stores the
// filter with its own parameters; range is a period that moves with the calendar.

import type { Schemas } from '../api/client';
import { dayOf, endOf, startOf } from '../format/days';
import { writeConditions } from './conditions';
import { parseFilter, type Filter } from './filter';

export type View = Schemas['SavedView'];
export type Stored = Record<string, string>;

/** Returns a filter as a view stores it. The unit and when results count are not part of it. */
export function storeFilter(f: Filter, timeZone: string): Stored {
  const zone = f.tz || timeZone;
  const params = new URLSearchParams();
  writeConditions(params, { ...f, zone: f.zone || f.tz }, 'api');
  if (f.accounts.length > 0) params.set('account_id', f.accounts.join(','));
  if (f.basis === 'open') params.set('date_basis', 'open');
  if (f.range === 'custom') {
    if (f.from) params.set('from', startOf(f.from, zone));
    if (f.to) params.set('to', endOf(f.to, zone));
  } else if (f.range !== 'all') params.set('range', f.range);
  return Object.fromEntries(params);
}

/** Returns a view's filter. */
export function loadFilter(stored: Stored, timeZone: string): Filter {
  const { from, to, ...rest } = stored;
  const params = new URLSearchParams(rest);
  const zone = rest.filter_tz || timeZone;
  if (from || to) params.set('range', 'custom');
  if (from) params.set('from', dayOf(new Date(from), zone));
  if (to) params.set('to', dayOf(new Date(to), zone));
  return parseFilter(params);
}

/** Reports whether two stored filters select the same. Lists may differ in their order. */
export function isSameFilter(a: Stored, b: Stored): boolean {
  const text = (stored: Stored) =>
    JSON.stringify(
      Object.entries(stored)
        .map(([name, value]) => [name, name === 'q' ? value : value.split(',').sort().join(',')])
        .sort(),
    );
  return text(a) === text(b);
}

/** Returns the value of ?sort=… of a view, '' if it has none. */
export function sortOf(view: Pick<View, 'sort' | 'order'>): string {
  return view.sort ? `${view.order === 'desc' ? '-' : ''}${view.sort}` : '';
}

/** Returns the order of a view for the value of ?sort=…. */
export function orderOf(sort: string | null): { sort: string | null; order: 'asc' | 'desc' | null } {
  if (!sort) return { sort: null, order: null };
  return sort.startsWith('-') ? { sort: sort.slice(1), order: 'desc' } : { sort, order: 'asc' };
}
