// Days of the calendar (YYYY-MM-DD) and the instants they begin and end at in
// a zone. The API takes instants; people choose days.

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

/** The day that an instant falls on in a zone. */
export function dayOf(at: Date, timeZone: string): Day {
  const p = parts(at, timeZone);
  return `${String(p.year).padStart(4, '0')}-${two(p.month)}-${two(p.day)}`;
}

function two(n: number | undefined): string {
  return String(n ?? 0).padStart(2, '0');
}

/** The day it is now. What stays on the page asks the clock of lib/clock.svelte.ts, which goes on. */
export function today(timeZone: string): Day {
  return dayOf(new Date(), timeZone);
}

export function addDays(day: Day, n: number): Day {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + n);
  return at.toISOString().slice(0, 10);
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

/** True for a real day of the calendar only: no 31st of June. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** The wall clock of a zone as an instant: 2026-03-08T09:30 in New York. A time that the clocks skip is as
    much later, so that a day whose midnight is skipped begins at one. */
export function instantOf(day: Day, clock: string, timeZone: string): Date {
  const wanted = new Date(`${day}T${clock.length === 5 ? `${clock}:00` : clock}Z`).getTime();
  const early = (at: number) => {
    const p = parts(new Date(at), timeZone);
    return wanted - Date.UTC(p.year!, p.month! - 1, p.day!, p.hour!, p.minute!, p.second!);
  };
  let at = wanted;
  // Twice: the first guess may lie on the other side of a change of clocks.
  for (let i = 0; i < 2; i++) at += early(at);
  return new Date(at + Math.max(0, early(at)));
}

/** The first instant of a day in a zone. */
export function startOf(day: Day, timeZone: string): string {
  return instantOf(day, '00:00:00', timeZone).toISOString();
}

/** The last instant of a day in a zone, to the microsecond the API keeps. */
export function endOf(day: Day, timeZone: string): string {
  const next = instantOf(addDays(day, 1), '00:00:00', timeZone).getTime();
  return new Date(next - 1).toISOString().replace('Z', '999Z');
}

/** For <input type="datetime-local">: the wall clock of an instant in a zone. */
export function wallClock(at: string, timeZone: string): string {
  const p = parts(new Date(at), timeZone);
  return `${dayOf(new Date(at), timeZone)}T${two(p.hour)}:${two(p.minute)}:${two(p.second)}`;
}
