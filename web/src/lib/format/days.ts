// Calendar days (YYYY-MM-DD) and the instants at which they start and end in a time
// zone. The API takes instants; users choose days.

export type Day = string;

function parts(at: Date, timeZone: string): Record<string, number> {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return Object.fromEntries(format.formatToParts(at).map((p) => [p.type, Number(p.value)]));
}

/** Returns the day of an instant in a time zone. */
export function dayOf(at: Date, timeZone: string): Day {
  const p = parts(at, timeZone);
  return `${String(p.year).padStart(4, '0')}-${two(p.month)}-${two(p.day)}`;
}

function two(n: number | undefined): string {
  return String(n ?? 0).padStart(2, '0');
}

/** Returns the current day. Use lib/clock.svelte.ts for what must change at midnight. */
export function today(timeZone: string): Day {
  return dayOf(new Date(), timeZone);
}

export function addDays(day: Day, n: number): Day {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + n);
  return at.toISOString().slice(0, 10);
}

/** Returns the number of days from one day to another. */
export function countDays(from: Day, to: Day): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

/** The last day of a month (YYYY-MM). */
export function lastDayOf(month: string): Day {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year!, number!, 0)).toISOString().slice(0, 10);
}

/** 0 = Sunday … 6 = Saturday. */
export function weekdayOf(day: Day): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

/** Returns the first and the last day of the week of a day. */
export function weekOf(day: Day, weekStart: number): { from: Day; to: Day } {
  const from = addDays(day, -((weekdayOf(day) - weekStart + 7) % 7));
  return { from, to: addDays(from, 6) };
}

/** Returns the first day of the week in a locale, 0 = Sunday … 6 = Saturday; Monday if the browser has no data. */
export function weekStartOf(locale: string | undefined): number {
  const tag = locale ?? new Intl.DateTimeFormat().resolvedOptions().locale;
  const found = new Intl.Locale(tag) as Intl.Locale & WeekInfo;
  return ((found.getWeekInfo?.() ?? found.weekInfo)?.firstDay ?? 1) % 7;
}

/** A method in newer browsers, a property in older ones, absent in others; 7 is Sunday. */
interface WeekInfo {
  getWeekInfo?: () => { firstDay: number };
  weekInfo?: { firstDay: number };
}

/** Reports whether text is a day that exists: not June 31. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/**
 * Returns the instant of a wall clock time in a time zone, such as 2026-03-08T09:30 in New York. A time that is
 * skipped when clocks change is moved forward, so a day without midnight starts at one.
 */
export function instantOf(day: Day, clock: string, timeZone: string): Date {
  const wanted = new Date(`${day}T${clock.length === 5 ? `${clock}:00` : clock}Z`).getTime();
  const missing = (at: number) => {
    const p = parts(new Date(at), timeZone);
    return wanted - Date.UTC(p.year!, p.month! - 1, p.day!, p.hour!, p.minute!, p.second!);
  };
  let at = wanted;
  // Twice: the first guess may be on the other side of a clock change.
  for (let i = 0; i < 2; i++) at += missing(at);
  return new Date(at + Math.max(0, missing(at)));
}

/** Returns an instant to the second, for typed times: a fraction would say they are exact. */
export function formatSecond(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

/** Returns the first instant of a day in a time zone. */
export function startOf(day: Day, timeZone: string): string {
  return instantOf(day, '00:00:00', timeZone).toISOString();
}

/** Returns the last instant of a day in a time zone, with the microseconds the API stores. */
export function endOf(day: Day, timeZone: string): string {
  const next = instantOf(addDays(day, 1), '00:00:00', timeZone).getTime();
  return new Date(next - 1).toISOString().replace('Z', '999Z');
}

/** Returns the wall clock time of an instant in a time zone, for <input type="datetime-local">. */
export function wallClock(at: string, timeZone: string): string {
  const p = parts(new Date(at), timeZone);
  return `${dayOf(new Date(at), timeZone)}T${two(p.hour)}:${two(p.minute)}:${two(p.second)}`;
}
