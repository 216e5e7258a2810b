// What the price did during a trade, in words.

import type { Schemas } from '../../lib/api/client';

interface Bounds {
  low: number;
  high: number;
}

/**
 * Writes a value that is known between two bounds: the value if both are equal, else both. With missing bars the
 * upper bound is not known, so that it is at least the lower one.
 */
export function describeBounds(bounds: Bounds, coverage: number, write: (value: number) => string): string {
  if (coverage < 1) return `at least ${write(bounds.low)}`;
  if (bounds.low === bounds.high) return write(bounds.low);
  return `${write(bounds.low)} to ${write(bounds.high)}`;
}

export interface Alternative {
  name: string;
  text: string;
}

interface Formats {
  money: (value: number) => string; // signed
  minutes: (n: number) => string;
}

/** Returns what another exit would have brought, for what the bars can tell. */
export function listAlternatives(excursion: Schemas['ExcursionAnswer'], formats: Formats): Alternative[] {
  const rows: Alternative[] = [];
  if (excursion.best_exit)
    rows.push({
      name: 'Best exit before the session ended',
      text: `${describeBounds(excursion.best_exit, excursion.coverage, formats.money)} before costs`,
    });
  for (const { minutes, pnl } of excursion.after_exit ?? []) {
    if (pnl === null) continue;
    const when =
      minutes === null ? 'Exit at the end of the session' : `Exit ${formats.minutes(minutes)} later`;
    rows.push({ name: when, text: `${formats.money(pnl)} compared with your exit` });
  }
  return rows;
}
