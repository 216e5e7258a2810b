// The weeks of a month, and arithmetic with months (YYYY-MM).

import { addDays, weekdayOf, type Day } from '../../lib/format/days';

/** Returns the weeks that contain days of a month, each with seven days. */
export function weeksOf(month: string, weekStart: number): Day[][] {
  const first = `${month}-01`;
  let start = addDays(first, -((weekdayOf(first) - weekStart + 7) % 7));
  const weeks: Day[][] = [];
  while (start.slice(0, 7) <= month) {
    weeks.push(Array.from({ length: 7 }, (_, i) => addDays(start, i)));
    start = addDays(start, 7);
  }
  return weeks;
}

export function addMonths(month: string, n: number): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year!, number! - 1 + n, 1)).toISOString().slice(0, 7);
}

export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

export function isYear(text: string): boolean {
  return /^(19[7-9]\d|20\d\d|21\d\d)$/.test(text);
}
