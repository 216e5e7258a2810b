// What the calendar reads.

import { answer, api, type Schemas } from '../../lib/api/client';
import { query } from '../../lib/api/queries.svelte';
import { addDays, dayOf, endOf, startOf, type Day } from '../../lib/format/days';
import { filter } from '../../lib/filter/filter.svelte';
import type { Scope } from '../../lib/filter/filter';
import { within } from '../reports/behind';
import { allTrades } from '../reports/readings.svelte';

export type DayCell = Schemas['CalendarDay'];
export type Note = Schemas['Note'];

export const readYear = (year: () => string) =>
  query(() => ({
    key: ['analytics', 'calendar', year(), filter.scope],
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/calendar', {
          params: { query: { ...filter.scope, year: year() } },
          signal,
        }),
      ),
  }));

/** The years that a span of days touches, as one. */
export const readSpan = (from: () => Day, to: () => Day) =>
  query(() => {
    const years = [...new Set([from().slice(0, 4), to().slice(0, 4)])];
    return {
      key: ['analytics', 'calendar', years, filter.scope],
      load: async (signal) => {
        const found = await Promise.all(
          years.map((year) =>
            answer(
              api.GET('/api/v1/analytics/calendar', {
                params: { query: { ...filter.scope, year } },
                signal,
              }),
            ),
          ),
        );
        return { days: found.flatMap((y) => y.days), months: found.flatMap((y) => y.months) };
      },
    };
  });

/** The filter's scope cut to some days; null when none of them is in it. */
export function scopeOfDays(from: Day, to: Day): Scope | null {
  const scope = within(filter.scope, startOf(from, filter.timeZone), endOf(to, filter.timeZone));
  return Date.parse(scope.from!) <= Date.parse(scope.to!) ? scope : null;
}

/** The days of a span that have closed trades nobody has reviewed yet. */
export const readUnreviewed = (from: () => Day, to: () => Day) =>
  query(() => {
    const scope = scopeOfDays(from(), to());
    return {
      key: ['trades', 'unreviewed', scope],
      enabled: scope !== null,
      load: async (signal) => {
        const waiting = (await allTrades(scope!, signal)).filter((t) => t.reviewed_at === null);
        const days = new Map<Day, number>();
        for (const t of waiting) {
          const at = scope!.date_basis === 'open' ? t.opened_at : (t.closed_at ?? t.opened_at);
          const day = dayOf(new Date(at), filter.timeZone);
          days.set(day, (days.get(day) ?? 0) + 1);
        }
        return days;
      },
    };
  });

/** The notes of a day. A note of a day has that day everywhere; one of an instant is put into the zone. */
export const readNotes = (day: () => Day) =>
  query(() => ({
    key: ['notes', 'day', day(), filter.timeZone],
    load: async (signal) => {
      const list = await answer(
        api.GET('/api/v1/notes', {
          params: {
            query: { from: `${addDays(day(), -1)}T00:00:00Z`, to: `${addDays(day(), 2)}T00:00:00Z` },
          },
          signal,
        }),
      );
      return list.filter((n) => noteDay(n.occurred_at) === day());
    },
  }));

function noteDay(at: string): Day {
  return at.length === 10 ? at : dayOf(new Date(at), filter.timeZone);
}
