// The days of the points of a shared curve.

import type { Schemas } from '../../lib/api/client';

type View = Schemas['ShareView'];

/** With fewer trades, ratios are not shown. */
export const least = 10;

/**
 * Returns the day of each point, as noon UTC in milliseconds. A point is at the end of
 * a day in the owner's time zone, which the link does not reveal. The last point is at
 * the end of last_day, so the offset follows from it. A clock change shifts a point by
 * an hour, which does not change the day at noon.
 */
export function pointDays(view: Pick<View, 'equity' | 'last_day'>): number[] {
  const instants = view.equity.map((p) => Date.parse(p.at));
  const offset = Date.parse(`${view.last_day}T12:00:00Z`) - (instants.at(-1) ?? 0);
  return instants.map((at) => noonOf(at + offset));
}

function noonOf(ms: number): number {
  return Date.parse(`${dayOfMillis(ms)}T12:00:00Z`);
}

export function dayOfMillis(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
