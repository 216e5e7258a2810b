// A review's period: a week or a month, and the note that keeps the review.

import { addDays, isDay, lastDayOf, weekOf, type Day } from '../../lib/format/days';
import type { Note } from '../../lib/api/notes.svelte';
import { isMonthlyReview, monthlyTitle } from '../../lib/reviews';
import { addMonths, isMonth } from './days';

export interface Period {
  kind: 'week' | 'month';
  from: Day;
  to: Day;
}

/** Returns the period in an address, null if it names none. */
export function parsePeriod(params: Record<string, string>, path: string, weekStart: number): Period | null {
  const { day = '', month = '' } = params;
  if (path.startsWith('/calendar/week/') && isDay(day)) return { kind: 'week', ...weekOf(day, weekStart) };
  if (isMonth(month)) return { kind: 'month', from: `${month}-01`, to: lastDayOf(month) };
  return null;
}

/** Returns the period n weeks or months later. */
export function stepPeriod(period: Period, n: number): Period {
  if (period.kind === 'week') {
    return { kind: 'week', from: addDays(period.from, 7 * n), to: addDays(period.to, 7 * n) };
  }
  const month = addMonths(period.from.slice(0, 7), n);
  return { kind: 'month', from: `${month}-01`, to: lastDayOf(month) };
}

export function periodPath(period: Period): string {
  return period.kind === 'week'
    ? `/calendar/week/${period.from}`
    : `/calendar/month/${period.from.slice(0, 7)}`;
}

/** Returns the title of a new review. */
export function reviewTitle(period: Period): string {
  return period.kind === 'week'
    ? `Weekly review ${period.from}`
    : `${monthlyTitle} ${period.from.slice(0, 7)}`;
}

/** Returns the review among a period's notes, the latest if there are several. */
export function findReview(notes: Note[], period: Period): Note | undefined {
  return notes.find((n) => n.type === 'weekly_review' && isMonthlyReview(n) === (period.kind === 'month'));
}

/** Returns the day of a new review: the last of the period, or today within it. */
export function reviewDay(period: Period, today: Day): Day {
  return today >= period.from && today < period.to ? today : period.to;
}
