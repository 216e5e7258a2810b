// Export periods: all time, a tax year, or days the user chooses.

import { addDays, endOf, startOf, type Day } from '../../lib/format/days';

export interface Days {
  from: Day; // '' if it is not limited
  to: Day;
}

/** The first days of tax years, as MM-DD, with the countries that use them. */
export const taxYearStarts = [
  { value: '01-01', label: 'January 1' },
  { value: '03-01', label: 'March 1 (South Africa)' },
  { value: '04-01', label: 'April 1 (India, New Zealand)' },
  { value: '04-06', label: 'April 6 (United Kingdom)' },
  { value: '07-01', label: 'July 1 (Australia)' },
];

/** Returns the days of the tax year that starts in a year. */
export function taxYear(year: number, start: string): Days {
  return { from: `${year}-${start}`, to: addDays(`${year + 1}-${start}`, -1) };
}

/** Returns the name of a tax year: 2025, or 2025/26 if it ends in the next year. */
export function taxYearName(year: number, start: string): string {
  return start === '01-01' ? `${year}` : `${year}/${String((year + 1) % 100).padStart(2, '0')}`;
}

/** Returns the tax years from that of the first day to that of today, the newest first. */
export function taxYears(first: Day, today: Day, start: string): number[] {
  const yearOf = (day: Day) => Number(day.slice(0, 4)) - (day.slice(5) < start ? 1 : 0);
  const years = [];
  for (let year = yearOf(today); year >= yearOf(first); year--) years.push(year);
  return years;
}

/** Returns a period's parameters in a time zone. */
export function periodQuery(days: Days, timeZone: string): Record<string, string> {
  return {
    ...(days.from ? { from: startOf(days.from, timeZone) } : {}),
    ...(days.to ? { to: endOf(days.to, timeZone) } : {}),
  };
}
