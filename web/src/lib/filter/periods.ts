// The ranges of the filter: periods that move with the calendar, which days they
// have, and the period before and after one.

import { addDays, countDays, lastDayOf, weekOf, type Day } from '../format/days';

export const ranges = [
  'today',
  'yesterday',
  'week',
  'last_week',
  'month',
  'last_month',
  'quarter',
  'last_quarter',
  'ytd',
  'last_year',
  '30d',
  '90d',
  '1y',
  'all',
  'custom',
] as const;
export type Range = (typeof ranges)[number];

export const rangeLabels: Record<Range, string> = {
  today: 'Today',
  yesterday: 'Yesterday',
  week: 'This week',
  last_week: 'Last week',
  month: 'This month',
  last_month: 'Last month',
  quarter: 'This quarter',
  last_quarter: 'Last quarter',
  ytd: 'Year to date',
  last_year: 'Last year',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '1y': 'Last 12 months',
  all: 'All time',
  custom: 'Custom…',
};

/** The first and the last day; '' where there is none. */
export interface Days {
  from: Day;
  to: Day;
}

export type PeriodUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** The ranges that are the current period of a unit, and the one before. */
const rangesOfUnit: [PeriodUnit, Range, Range][] = [
  ['day', 'today', 'yesterday'],
  ['week', 'week', 'last_week'],
  ['month', 'month', 'last_month'],
  ['quarter', 'quarter', 'last_quarter'],
  ['year', 'ytd', 'last_year'],
];

/** How many days until today the others have. */
const rollingDays: Partial<Record<Range, number>> = { '30d': 30, '90d': 90, '1y': 365 };

/** Returns the whole day, week, month, quarter or year of a day. */
export function periodOf(unit: PeriodUnit, day: Day, weekStart: number): Days {
  const [year, month] = [day.slice(0, 4), Number(day.slice(5, 7))];
  const two = (n: number) => String(n).padStart(2, '0');
  switch (unit) {
    case 'day':
      return { from: day, to: day };
    case 'week':
      return weekOf(day, weekStart);
    case 'month':
      return { from: `${day.slice(0, 7)}-01`, to: lastDayOf(day.slice(0, 7)) };
    case 'quarter': {
      const first = month - ((month - 1) % 3);
      return { from: `${year}-${two(first)}-01`, to: lastDayOf(`${year}-${two(first + 2)}`) };
    }
    case 'year':
      return { from: `${year}-01-01`, to: `${year}-12-31` };
  }
}

/** Returns the days of a range that moves with the calendar. */
export function daysOfRange(range: Range, now: Day, weekStart: number): Days {
  const rolling = rollingDays[range];
  if (rolling) return { from: addDays(now, 1 - rolling), to: now };
  for (const [unit, current, last] of rangesOfUnit) {
    const { from } = periodOf(unit, now, weekStart);
    if (range === current) return { from, to: now };
    if (range === last) return periodOf(unit, addDays(from, -1), weekStart);
  }
  return { from: '', to: '' };
}

/** A range as the filter has it: from and to only if it is custom. */
export interface ChosenRange extends Days {
  range: Range;
}

/** Returns the period of given days, by its name if it has one. */
export function nameDays(days: Days, now: Day, weekStart: number): ChosenRange {
  for (const [unit, current, last] of rangesOfUnit) {
    const period = periodOf(unit, now, weekStart);
    const before = periodOf(unit, addDays(period.from, -1), weekStart);
    if (days.from === period.from && (days.to === period.to || days.to === now))
      return { range: current, from: '', to: '' };
    if (days.from === before.from && days.to === before.to) return { range: last, from: '', to: '' };
  }
  return { range: 'custom', ...days };
}

/** Returns the period before (-1) or after (1) a range, null if it has none or begins after today. */
export function stepRange(chosen: ChosenRange, by: -1 | 1, now: Day, weekStart: number): ChosenRange | null {
  const days =
    chosen.range === 'custom'
      ? { from: chosen.from, to: chosen.to }
      : daysOfRange(chosen.range, now, weekStart);
  if (!days.from || !days.to) return null;
  const unit =
    rangesOfUnit.find(([, ...names]) => names.includes(chosen.range))?.[0] ??
    rangesOfUnit
      .map(([u]) => u)
      .find((u) => {
        const whole = periodOf(u, days.from, weekStart);
        return whole.from === days.from && whole.to === days.to;
      });
  let next: Days;
  if (unit) {
    const { from, to } = periodOf(unit, days.from, weekStart);
    next = periodOf(unit, by < 0 ? addDays(from, -1) : addDays(to, 1), weekStart);
  } else {
    const length = by * (countDays(days.from, days.to) + 1);
    next = { from: addDays(days.from, length), to: addDays(days.to, length) };
  }
  return next.from > now ? null : nameDays(next, now, weekStart);
}
