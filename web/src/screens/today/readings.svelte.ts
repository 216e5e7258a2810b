// The queries several cards of Today share.

import { answer, api } from '../../lib/api/client';
import { query } from '../../lib/api/queries.svelte';
import { filter } from '../../lib/filter/filter.svelte';
import { preferences } from '../../lib/preferences.svelte';

// Every part of the filter except its date range.
const scope = () => filter.resultsWith({ range: 'all' });

/** Reads a year of the calendar. */
export const readYear = (year: () => number, enabled: () => boolean = () => true) =>
  query(() => ({
    key: ['analytics', 'calendar', scope(), year(), preferences.weekStart],
    enabled: enabled(),
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/calendar', {
          params: { query: { ...scope(), year: year(), week_start: preferences.weekStart } },
          signal,
        }),
      ),
  }));

/** Reads the calendar of the current year. */
export const readThisYear = () => readYear(() => Number(filter.today.slice(0, 4)));

/** Reads the last day with trades before today, in this year or the one before. */
export function readLastTradingDay() {
  const current = readThisYear();
  const inThis = $derived(current.data?.days.findLast((d) => d.trades > 0 && d.date < filter.today));
  const previous = readYear(
    () => Number(filter.today.slice(0, 4)) - 1,
    () => current.data !== undefined && inThis === undefined,
  );
  const last = $derived(
    inThis ?? (current.data ? previous.data?.days.findLast((d) => d.trades > 0) : undefined),
  );
  return {
    get day() {
      return last;
    },
  };
}
