// The address of a share link.

import type { Schemas } from './api/client';

/** Returns the public address of a link: the one the server is configured with, else the current origin. */
export function publicAddress(link: Schemas['ShareLink']): string {
  return link.url ?? `${location.origin}/s/${encodeURIComponent(link.token)}`;
}
