// The time that another is compared with.

import { addDays, type Day } from '../../lib/format/days';

export type Against = 'before' | 'year' | 'custom';

export interface Period {
  from: Day; // '' where open
  to: Day;
}

/** The other period, or null when it has to be chosen first. */
export function otherPeriod(own: Period, against: Against, chosen: Period): Period | null {
  if (against === 'custom') return chosen.from || chosen.to ? chosen : null;
  if (!own.from || !own.to) return null;
  if (against === 'year') return { from: yearBefore(own.from), to: yearBefore(own.to) };
  const length = Math.round((Date.parse(own.to) - Date.parse(own.from)) / 86_400_000) + 1;
  return { from: addDays(own.from, -length), to: addDays(own.from, -1) };
}

function yearBefore(day: Day): Day {
  const earlier = `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`;
  return earlier.endsWith('-02-29') ? earlier.replace('-29', '-28') : earlier;
}
