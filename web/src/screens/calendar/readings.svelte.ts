// The calendar's queries.

import { answer, api, type Schemas } from '../../lib/api/client';
import { query } from '../../lib/api/queries.svelte';
import type { Day } from '../../lib/format/days';
import { filter } from '../../lib/filter/filter.svelte';
import type { Period } from './periods';
import { preferences } from '../../lib/preferences.svelte';

export type DayCell = Schemas['CalendarDay'];
export type WeekTotal = Schemas['Week'];

export const readYear = (year: () => string) =>
  query(() => ({
    key: ['analytics', 'calendar', year(), filter.results],
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/calendar', {
          params: { query: { ...filter.results, year: Number(year()) } },
          signal,
        }),
      ),
  }));

/** Reads the calendar from one day to another, which may be in two years. */
export const readSpan = (from: () => Day, to: () => Day) =>
  query(() => {
    const years = [...new Set([from().slice(0, 4), to().slice(0, 4)])];
    const week_start = preferences.weekStart;
    return {
      key: ['analytics', 'calendar', years, filter.results, week_start],
      load: async (signal) => {
        const answers = await Promise.all(
          years.map((year) =>
            answer(
              api.GET('/api/v1/analytics/calendar', {
                params: { query: { ...filter.results, year: Number(year), week_start } },
                signal,
              }),
            ),
          ),
        );
        return {
          days: answers.flatMap((y) => y.days),
          weeks: answers.flatMap((y) => y.weeks), // a week at the turn of the year is in both, with the same total
          months: answers.flatMap((y) => y.months),
        };
      },
    };
  });

/** Returns the filter with the dates of a period instead of its own. */
export const scopeOfPeriod = (period: Period) =>
  filter.resultsWith({ range: 'custom', from: period.from, to: period.to });

/** Returns the same for lists and figures that take no realized results. */
export const tradeScopeOfPeriod = (period: Period) =>
  filter.scopeWith({ range: 'custom', from: period.from, to: period.to });
