// Weekdays: their names and order.

import { dateLocale } from './format/format';

const sunday = Date.UTC(2026, 0, 4);

/** Returns a weekday's name, 0 for Sunday. */
export function weekdayName(
  day: number,
  locale: string | undefined,
  style: 'short' | 'long' = 'short',
): string {
  const at = new Date(sunday + day * 86_400_000);
  return new Intl.DateTimeFormat(dateLocale(locale), { weekday: style, timeZone: 'UTC' }).format(at);
}

/** Returns the weekdays in order, for a week that starts on the given day. */
export function orderWeekdays(start: number): number[] {
  return [0, 1, 2, 3, 4, 5, 6].map((i) => (i + start) % 7);
}

export function formatWeekdays(days: number[], locale: string | undefined, weekStart: number): string {
  const key = [...days].sort().join('');
  if (key === '0123456') return 'Every day';
  if (key === '12345') return 'Weekdays';
  if (key === '06') return 'Weekends';
  return orderWeekdays(weekStart)
    .filter((d) => days.includes(d))
    .map((d) => weekdayName(d, locale))
    .join(', ');
}
