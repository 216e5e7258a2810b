// Times of the day and holding times in a typed text.

import { describeHours } from './describe';
import { parseCount } from './numberWords';
import { term, type Found, type Journal } from './terms';

export const hoursFrom = (first: number, last = 23) =>
  Array.from({ length: last - first + 1 }, (_, i) => String(first + i));

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const timeUnit = 's|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?';
const holdText = new RegExp(`^(\\d+(?:[.,]\\d+)?)\\s*(${timeUnit})?$`, 'i');
const holdWord = new RegExp(`^[\\d.,]+(${timeUnit})$`);
const unitWord = new RegExp(`^(${timeUnit})$`);

/** Returns the seconds of a holding time such as 5m, 1.5h, 90 s or 2d, or '' for any other text. */
export function parseHold(text: string): string {
  const found = holdText.exec(text.trim());
  if (!found) return '';
  const unit = secondsOf[(found[2] ?? 'm').charAt(0).toLowerCase()]!;
  return String(Number(found[1]!.replace(',', '.')) * unit);
}

/** Finds a holding time with its unit: 5m, 5 min, an hour. */
export function findHold(words: string[]): { seconds: string; length: number } | null {
  const [first = '', second = ''] = words;
  if (holdWord.test(first)) return { seconds: parseHold(first), length: 1 };
  const number = parseCount(first) ?? (/^\d+[.,]\d+$/.test(first) ? first : null);
  if (number === null || !unitWord.test(second)) return null;
  return { seconds: parseHold(`${number}${second}`), length: 2 };
}

/** Parses an hour such as 14:00 or 2pm. Returns null for any other text, and for a bare number. */
function parseHour(text: string): number | null {
  const found = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/i.exec(text);
  if (!found || Number(found[2] ?? 0) > 0) return null; // hours only
  let hour = Number(found[1]);
  const half = found[3]?.toLowerCase();
  if (half && (hour < 1 || hour > 12)) return null;
  if (half) hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  return hour <= 23 && (found[2] !== undefined || half) ? hour : null;
}

/** Parses the first hour of a range. A bare one is written as the second: 9 to 11am, 9 to 11:00. */
function parseFirstHour(text: string, second: string): number | null {
  if (!/^\d{1,2}$/.test(text)) return parseHour(text);
  return parseHour(text + (/[ap]m$/.exec(second)?.[0] ?? ':00'));
}

/** Finds a time at the beginning: "14:00", "after 2pm", "before 10:00", "from 9:00 to 12:00", "at 10am". */
export function findTime(words: string[], journal: Journal): Found | null {
  const [first = '', second = '', third = '', fourth = ''] = words;
  const found = (length: number, hours: string[]): Found | null => {
    if (hours.length === 0) return null;
    const label = describeHours(hours, journal.hour);
    return { length, term: term('Time', label.charAt(0).toUpperCase() + label.slice(1), { hours }) };
  };
  const next = parseHour(second);
  if (['after', 'since', 'from'].includes(first) && next !== null && third !== 'to')
    return found(2, hoursFrom(next));
  if (['before', 'until'].includes(first) && next !== null) return found(2, hoursFrom(0, next - 1));
  if (first === 'at' && next !== null) return found(2, [String(next)]);
  const between = (from: string, to: string, length: number) => {
    const [low, high] = [parseFirstHour(from, to), parseHour(to)];
    return low === null || high === null || low >= high ? null : found(length, hoursFrom(low, high - 1));
  };
  if (['from', 'between'].includes(first) && ['to', 'and', '-', '–', 'until'].includes(third))
    return between(second, fourth, 4);
  const [from, to] = first.split(/[-–]/);
  if (from && to) return between(from, to, 1);
  const hour = parseHour(first);
  return hour === null ? null : found(1, hoursFrom(hour));
}
