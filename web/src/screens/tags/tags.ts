import type { Schemas } from '../../lib/api/client';

export type Tag = Schemas['Tag'];

/** Returns how many trades a tag is on, in words. */
export function onTrades(count: number, plural: (n: number, word: string) => string): string {
  return count === 0 ? 'not on any trade' : `on ${plural(count, 'trade')}`;
}
