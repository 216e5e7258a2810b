// The period of a share link.

import type { Schemas } from '../../lib/api/client';
import { dayOf } from '../../lib/format/days';

/** Returns a link's period, as days in the link's own time zone. */
export function formatPeriod(scope: Schemas['ShareScope'], write: (day: string) => string): string {
  const day = (at: string) => write(dayOf(new Date(at), scope.tz || 'UTC'));
  if (scope.from && scope.to) return `${day(scope.from)} to ${day(scope.to)}`;
  if (scope.from) return `since ${day(scope.from)}`;
  if (scope.to) return `until ${day(scope.to)}`;
  return 'all time';
}
