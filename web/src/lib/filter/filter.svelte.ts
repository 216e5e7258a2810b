// The current filter. It has no state of its own: it reads and writes the address,
// so Back, reload and a copied link show the same data.

import { navigate, here } from '../../app/router.svelte';
import { clock } from '../clock.svelte';
import type { Day } from '../format/days';
import { preferences } from '../preferences.svelte';
import {
  daysOf,
  emptyFilter,
  filterKeys,
  parseFilter,
  scopeOf,
  writeFilter,
  type Filter,
  type ResultScope,
  type Scope,
  type UnitScope,
} from './filter';
import { stepRange } from './periods';

class LiveFilter {
  readonly now: Filter = $derived(parseFilter(new URLSearchParams(here.search)));
  readonly timeZone: string = $derived(this.now.tz || preferences.timeZone);
  /** The current day in that time zone. */
  readonly today: Day = $derived(clock.today(this.timeZone));
  /** The query parameters for lists and analytics. */
  readonly scope: Scope = $derived(this.scopeWith({}));
  /** The query parameters for figures that can count strategies. */
  readonly units: UnitScope = $derived(this.unitsWith({}));
  /** The query parameters for figures that can count realized results; others refuse them. */
  readonly results: ResultScope = $derived(this.resultsWith({}));
  /** The first and last day; '' if none. */
  readonly days = $derived(daysOf(this.now, this.timeZone, preferences.weekStart, this.today));

  /** Returns the query parameters with part of the filter changed. */
  scopeWith(change: Partial<Filter>): Scope {
    const scope = scopeOf(
      { ...this.now, ...change },
      preferences.timeZone,
      preferences.weekStart,
      this.today,
    );
    return preferences.currency ? { ...scope, currency: preferences.currency } : scope;
  }

  unitsWith(change: Partial<Filter>): UnitScope {
    const inStrategies = { ...this.now, ...change }.pnl === 'strategies';
    return { ...this.scopeWith(change), ...(inStrategies ? { unit: 'strategy' as const } : {}) };
  }

  resultsWith(change: Partial<Filter>): ResultScope {
    const realized = { ...this.now, ...change }.pnl === 'realized';
    return { ...this.unitsWith(change), ...(realized ? { pnl_basis: 'realized' as const } : {}) };
  }

  /** Changes part of the filter and keeps the other parameters of the address. */
  set(change: Partial<Filter>): void {
    navigate(here.path + this.searchWith(change), { replace: true, keepScroll: true });
  }

  /** Moves to the period before or after the range, if there is one. */
  step(by: -1 | 1): void {
    const next = stepRange(this.now, by, this.today, preferences.weekStart);
    if (next) this.set(next);
  }

  clear(): void {
    this.set({ ...emptyFilter, unit: this.now.unit });
  }

  /** Returns the address of a screen with this filter, or with part of it changed. */
  link(path: string, change: Partial<Filter> = {}, extra: Record<string, string> = {}): string {
    const params = writeFilter({ ...this.now, ...change });
    for (const [name, value] of Object.entries(extra)) params.set(name, value);
    const search = params.toString().replaceAll('%2C', ',');
    return search ? `${path}?${search}` : path;
  }

  private searchWith(change: Partial<Filter>): string {
    const params = writeFilter({ ...this.now, ...change });
    for (const [name, value] of new URLSearchParams(here.search)) {
      if (!filterKeys.includes(name)) params.append(name, value);
    }
    const search = params.toString().replaceAll('%2C', ',');
    return search ? `?${search}` : '';
  }
}

export const filter = new LiveFilter();
