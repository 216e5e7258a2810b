// The curve of the net P&L added up day by day.

import type { Schemas } from './api/client';
import { addDays } from './format/days';

/** Returns the moment at which a day is drawn. */
const momentOf = (day: string) => Date.parse(`${day}T12:00:00Z`);

/** Returns the points of the curve, which starts at zero the day before the first day. */
export function dailyCurve(days: Schemas['DayRow'][]): { x: number[]; y: number[] } {
  if (days.length === 0) return { x: [], y: [] };
  return {
    x: [momentOf(addDays(days[0]!.date, -1)), ...days.map((d) => momentOf(d.date))],
    y: [0, ...days.map((d) => d.cumulative_pnl)],
  };
}
