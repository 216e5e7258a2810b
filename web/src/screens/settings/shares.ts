// Words about share links.

import type { Schemas } from '../../lib/api/client';
import { dayOf } from '../../lib/format/days';

/** Where a link is opened: at the address that the server was told, or else where we are ourselves. */
export function publicAddress(link: Schemas['ShareLink']): string {
  return link.url ?? `${location.origin}/s/${encodeURIComponent(link.token)}`;
}

/** The days a link covers, as its own zone cuts them. */
export function spanOf(scope: Schemas['ShareScope'], write: (day: string) => string): string {
  const day = (at: string) => write(dayOf(new Date(at), scope.tz || 'UTC'));
  if (scope.from && scope.to) return `${day(scope.from)} to ${day(scope.to)}`;
  if (scope.from) return `since ${day(scope.from)}`;
  if (scope.to) return `until ${day(scope.to)}`;
  return 'all time';
}
