// What the price did during a trade, in words.

import type { Schemas } from '../../lib/api/client';
import { writeBounds, type Bounds } from '../../lib/format/bounds';

/**
 * Writes a value that is known between two bounds: the value if both are equal, else both. With missing bars the
 * upper bound is not known, so it is at least the lower one.
 */
export function describeBounds(
  bounds: Bounds<number>,
  coverage: number,
  write: (value: number) => string,
): string {
  if (coverage < 1) return `at least ${write(bounds.low)}`;
  return writeBounds(bounds, write);
}

export interface ExitRow {
  name: string;
  result: string;
  difference: string;
}

interface Formats {
  money: (value: number) => string; // signed
  price: (value: number) => string;
  time: (at: Date) => string;
  minutes: (n: number) => string;
}

/** Returns the rows of other exits, as far as the bars show what they would have brought. */
export function listExits(excursion: Schemas['ExcursionAnswer'], formats: Formats): ExitRow[] {
  const exits = excursion.alternatives ?? [];
  return exits.map((exit) => {
    // Without all bars there may have been a better price.
    const coverage = exit.kind === 'best' ? excursion.coverage : 1;
    const write = (bounds: Bounds<number> | null) =>
      bounds ? describeBounds(bounds, coverage, formats.money) : '';
    return {
      name: nameExit(exit, formats) + nameEarlier(exit, exits),
      result: exit.reached === 'no' ? 'not reached' : write(exit.pnl),
      difference: write(exit.difference),
    };
  });
}

type Exit = NonNullable<Schemas['ExcursionAnswer']['alternatives']>[number];

/** Names the other order if it was filled earlier: only one of both can be. */
function nameEarlier(exit: Exit, exits: Exit[]): string {
  const other = exits.find((o) => o.reached === 'yes' && o.kind !== exit.kind);
  if (exit.reached === null || exit.at === null || !other || other.at! >= exit.at) return '';
  return other.kind === 'stop' ? ', after the stop' : ', after the target';
}

function nameExit({ kind, price, minutes, reached, at }: Exit, formats: Formats): string {
  if (kind === 'later') return `${formats.minutes(minutes ?? 0)} later`;
  if (kind === 'session_end') return 'End of the session';
  if (kind === 'best') return 'Best price';
  const level = `${kind === 'stop' ? 'Stop' : 'Target'} at ${formats.price(price ?? 0)}`;
  if (at === null) return level;
  return `${level}, ${reached === 'maybe' ? 'maybe ' : ''}${formats.time(new Date(at))}`;
}
