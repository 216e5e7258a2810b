// The period the current one is compared with.

import { addDays, type Day } from '../../lib/format/days';

export type Against = 'before' | 'year' | 'custom';

export interface Period {
  from: Day; // '' if open
  to: Day;
}

/** Returns the period to compare with, or null if the user must choose it first. */
export function otherPeriod(current: Period, against: Against, chosen: Period): Period | null {
  if (against === 'custom') return chosen.from || chosen.to ? chosen : null;
  if (!current.from || !current.to) return null;
  if (against === 'year') return { from: yearBefore(current.from), to: yearBefore(current.to) };
  const length = Math.round((Date.parse(current.to) - Date.parse(current.from)) / 86_400_000) + 1;
  return { from: addDays(current.from, -length), to: addDays(current.from, -1) };
}

function yearBefore(day: Day): Day {
  const earlier = `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`;
  return earlier.endsWith('-02-29') ? earlier.replace('-29', '-28') : earlier;
}
