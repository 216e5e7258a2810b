// What the page needs beside the figures themselves: the days of the points,
// and the names of months.

import type { Schemas } from '../../lib/api/client';

type View = Schemas['ShareView'];

/** Fewer trades than this carry no ratio worth showing. */
export const least = 10;

/**
 * The day of each point, as noon UTC in milliseconds. Points lie at the end of
 * a day in the zone of the owner, which a link does not tell; the last of them
 * is at the end of last_day, and that gives the distance. Clocks that change
 * move a point by an hour, which noon forgives.
 */
export function daysOfPoints(view: Pick<View, 'equity' | 'last_day'>): number[] {
  const instants = view.equity.map((p) => Date.parse(p.at));
  const shift = Date.parse(`${view.last_day}T12:00:00Z`) - (instants.at(-1) ?? 0);
  return instants.map((at) => dayAt(at + shift));
}

function dayAt(ms: number): number {
  return Date.parse(`${dayName(ms)}T12:00:00Z`);
}

export function dayName(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function monthName(month: string, locale: string | undefined): string {
  const at = new Date(`${month}-15T12:00:00Z`);
  if (Number.isNaN(at.getTime())) return month;
  return new Intl.DateTimeFormat(locale, { month: 'short', year: '2-digit', timeZone: 'UTC' }).format(at);
}
