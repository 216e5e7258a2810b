// The queries several cards of Today share.

import { answer, api } from '../../lib/api/client';
import { query } from '../../lib/api/queries.svelte';
import { readLimits } from '../../lib/api/tradingRules.svelte';
import { filter } from '../../lib/filter/filter.svelte';
import { preferences } from '../../lib/preferences.svelte';
import { readEnrollments } from '../../lib/programReadings.svelte';

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

/** Reads what is left of today's trading rules, and the accounts enrolled in a program. */
export function readAllLimits() {
  const rules = readLimits();
  const enrollments = readEnrollments();
  // A breach without a decision is shown too: until then, later trades do not count.
  const enrolled = $derived(
    (enrollments.data ?? []).filter(
      (e) => e.ended_at === null && (e.state === 'active' || e.state === 'failed'),
    ),
  );
  return {
    get rules() {
      return rules.data ?? [];
    },
    get enrolled() {
      return enrolled;
    },
    get areSet() {
      return enrolled.length > 0 || (rules.data ?? []).length > 0;
    },
    get isPending() {
      return rules.isPending || enrollments.isPending;
    },
  };
}
