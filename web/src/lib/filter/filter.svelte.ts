// The filter of the moment. It has no memory of its own: it reads the address
// and writes the address, so Back, a reload and a copied link all agree.

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
} from './filter';

class LiveFilter {
  readonly now: Filter = $derived(parseFilter(new URLSearchParams(here.search)));
  readonly timeZone: string = $derived(this.now.tz || preferences.timeZone);
  /** The day it is in that zone. */
  readonly today: Day = $derived(clock.today(this.timeZone));
  /** Ready to be spread into the query of a list or of analytics. */
  readonly scope: Scope = $derived(this.scopeWith({}));
  /** The same for the figures that can count results as they are realized; others refuse it. */
  readonly results: ResultScope = $derived(this.resultsWith({}));
  /** First and last day, '' where open. */
  readonly days = $derived(daysOf(this.now, this.timeZone, preferences.weekStart, this.today));

  /** The same with part of the filter changed. */
  scopeWith(change: Partial<Filter>): Scope {
    return scopeOf({ ...this.now, ...change }, preferences.timeZone, preferences.weekStart, this.today);
  }

  resultsWith(change: Partial<Filter>): ResultScope {
    const realized = { ...this.now, ...change }.pnl === 'realized';
    return { ...this.scopeWith(change), ...(realized ? { pnl_basis: 'realized' as const } : {}) };
  }

  /** Changes part of the filter; the rest of the address stays as it is. */
  set(change: Partial<Filter>): void {
    navigate(here.path + this.searchWith(change), { replace: true, keepScroll: true });
  }

  clear(): void {
    this.set({ ...emptyFilter, unit: this.now.unit });
  }

  /** The address of a screen with this filter, changed or not. */
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
