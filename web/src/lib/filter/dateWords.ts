// Dates as people type them in a phrase: yesterday, last month, since Monday, in
// March, nov 11, q3 2025, last 10 days.

import { addDays, isDay, lastDayOf, weekdayOf, type Day } from '../format/days';
import { weekdayNames } from './describe';
import { parseCount } from './numberWords';
import { daysOfRange, nameDays, periodOf, type ChosenRange, type Days, type PeriodUnit } from './periods';

export interface Today {
  today: Day;
  weekStart: number;
  /** The last day with trades before today, '' if it is not known. */
  lastTradingDay: Day;
}

/** Dates at the beginning of some words, and how many words they take. */
export interface FoundDays extends Days {
  length: number;
}

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Returns the number of a month, 1 to 12, or 0. */
function parseMonth(word: string): number {
  const at = monthNames.findIndex((name) => word === name || word === name.slice(0, 3));
  return word === 'sept' ? 9 : at + 1;
}

const parseYear = (word: string | undefined) =>
  word && /^(19[7-9]\d|20\d\d|21\d\d)$/.test(word) ? word : '';

function parseDayNumber(word: string | undefined): number {
  const found = /^(\d{1,2})(st|nd|rd|th)?$/.exec(word ?? '');
  const n = Number(found?.[1] ?? 0);
  return n >= 1 && n <= 31 ? n : 0;
}

const two = (n: number) => String(n).padStart(2, '0');

/** Returns the last day of a month and day that is not after today; '' if there is none. */
function latest(month: number, day: number, today: Day): Day {
  for (let year = Number(today.slice(0, 4)); year > 1970; year--) {
    const made = `${year}-${two(month)}-${two(day)}`;
    if (isDay(made) && made <= today) return made;
    if (day !== 29 && year < Number(today.slice(0, 4))) return '';
  }
  return '';
}

const units: PeriodUnit[] = ['week', 'month', 'quarter', 'year'];
const toDate: Record<string, PeriodUnit> = { wtd: 'week', mtd: 'month', qtd: 'quarter', ytd: 'year' };

/** Finds "nov", "march 2025", "nov 11", "11 nov 2025", "q3", "2025" or 2026-11-11. */
function findNamed(words: string[], { today, weekStart }: Today): FoundDays | null {
  const [first = '', second = '', third = ''] = words;
  if (isDay(first)) return { from: first, to: first, length: 1 };
  if (/^\d{4}-\d{2}$/.test(first) && isDay(`${first}-01`))
    return { from: `${first}-01`, to: lastDayOf(first), length: 1 };
  if (parseYear(first)) return { from: `${first}-01-01`, to: `${first}-12-31`, length: 1 };
  const quarter = /^q([1-4])$/.exec(first);
  if (quarter) {
    const month = Number(quarter[1]) * 3 - 2;
    const year = parseYear(second) || latest(month, 1, today).slice(0, 4);
    return {
      ...periodOf('quarter', `${year}-${two(month)}-01`, weekStart),
      length: parseYear(second) ? 2 : 1,
    };
  }
  const dayFirst = parseMonth(second) > 0 ? parseDayNumber(first) : 0;
  const month = parseMonth(dayFirst ? second : first);
  if (month === 0) return null;
  const day = dayFirst || (parseYear(second) ? 0 : parseDayNumber(second));
  const year = parseYear(day ? third : second);
  const length = 1 + (day ? 1 : 0) + (year ? 1 : 0);
  if (day === 0) {
    const from = year ? `${year}-${two(month)}-01` : latest(month, 1, today);
    return { from, to: lastDayOf(from.slice(0, 7)), length };
  }
  const made = year ? `${year}-${two(month)}-${two(day)}` : latest(month, day, today);
  return isDay(made) ? { from: made, to: made, length } : null;
}

/** Finds "today", "last week", "last 10 days", "ytd" or a named date. */
function findPeriod(words: string[], now: Today): FoundDays | null {
  const [first = '', second = '', third = ''] = words;
  const { today, weekStart } = now;
  const until = (unit: PeriodUnit, length: number) => ({
    from: periodOf(unit, today, weekStart).from,
    to: today,
    length,
  });
  if (first === 'today') return { from: today, to: today, length: 1 };
  if (first === 'yesterday') return { ...daysOfRange('yesterday', today, weekStart), length: 1 };
  if (toDate[first]) return until(toDate[first], 1);
  const unit = (word: string) => units.find((u) => word === u);
  if (unit(first) && second === 'to' && third === 'date') return until(unit(first)!, 3);
  if ((first === 'this' || first === 'current') && unit(second)) return until(unit(second)!, 2);
  if (['last', 'previous', 'prior', 'past'].includes(first)) {
    if (second === 'trading' && third === 'day' && now.lastTradingDay)
      return { from: now.lastTradingDay, to: now.lastTradingDay, length: 3 };
    const weekday = parseWeekday(second);
    if (weekday >= 0) {
      const day = lastWeekday(weekday, addDays(today, -1));
      return { from: day, to: day, length: 2 };
    }
    if (unit(second)) {
      const { from } = periodOf(unit(second)!, today, weekStart);
      return { ...periodOf(unit(second)!, addDays(from, -1), weekStart), length: 2 };
    }
    const from = countBack(parseCount(second), third, today);
    if (from) return { from, to: today, length: 3 };
  }
  return findNamed(words, now);
}

/** Returns the first of the last n days, weeks, months or years until today, '' for other words. */
function countBack(n: number | null, unit: string, today: Day): Day {
  if (!n || n > 1000) return '';
  if (/^days?$/.test(unit)) return addDays(today, 1 - n);
  if (/^weeks?$/.test(unit)) return addDays(today, 1 - 7 * n);
  const months = /^months?$/.test(unit) ? n : /^years?$/.test(unit) ? 12 * n : 0;
  if (months === 0) return '';
  const at = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7)) - 1 - months;
  const month = `${Math.floor(at / 12)}-${two((at % 12) + 1)}`;
  const day = `${month}-${today.slice(8)}`;
  return addDays(isDay(day) ? day : lastDayOf(month), 1);
}

export function parseWeekday(word: string): number {
  return weekdayNames.findIndex((name) => {
    const full = name.toLowerCase();
    return word.length >= 3 && full.startsWith(word);
  });
}

/** Returns the last day of a weekday that is not after a day. */
const lastWeekday = (weekday: number, until: Day) => addDays(until, -((weekdayOf(until) - weekday + 7) % 7));

/** Finds dates at the beginning of some words, which are in lower case. */
export function findDays(words: string[], now: Today): FoundDays | null {
  const [first = '', second = ''] = words;
  const rest = words.slice(1);
  const weekday = parseWeekday(second);
  if (first === 'since' && weekday >= 0) return { from: lastWeekday(weekday, now.today), to: '', length: 2 };
  if (['since', 'until', 'through', 'before', 'after'].includes(first)) {
    const found = findPeriod(rest, now);
    if (!found) return null;
    const length = found.length + 1;
    if (first === 'since') return { from: found.from, to: '', length };
    if (first === 'after') return { from: addDays(found.to, 1), to: '', length };
    return { from: '', to: first === 'before' ? addDays(found.from, -1) : found.to, length };
  }
  if (first === 'from' || first === 'between') {
    const from = findPeriod(rest, now);
    if (!from || !['to', 'and', 'until', '-'].includes(rest[from.length] ?? '')) return null;
    const to = findPeriod(rest.slice(from.length + 1), now);
    if (!to || to.to < from.from) return null;
    return { from: from.from, to: to.to, length: from.length + to.length + 2 };
  }
  return findPeriod(words, now);
}

const rolling: ['30d', '90d', '1y'] = ['30d', '90d', '1y'];

/** Returns the range of the filter that has these days. */
export function rangeOf(days: Days, { today, weekStart }: Today): ChosenRange {
  for (const range of rolling) {
    const of = daysOfRange(range, today, weekStart);
    if (of.from === days.from && of.to === days.to) return { range, from: '', to: '' };
  }
  return nameDays({ from: days.from, to: days.to }, today, weekStart);
}
