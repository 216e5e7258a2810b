// A series' preview in words.

import type { Schemas } from '../../lib/api/client';

type Series = Schemas['BarPreviewSeries'];

interface Formats {
  count: (n: number) => string;
  plural: (n: number, one: string, many?: string) => string;
}

/** How many fills lie inside their bars, such as 12 of 12 inside. */
export function describeFills(s: Series, formats: Formats): string {
  if (s.price_kind === 'reference') return 'not compared';
  if (s.fills_checked === 0) return 'none in this range';
  const text = `${formats.count(s.fills_inside)} of ${formats.count(s.fills_checked)} inside`;
  return s.similar ? `${text} (other contract)` : text;
}

/** The days from the first to the last bar; one day is written once. */
export function describeRange(from: string, to: string, formatDay: (at: string) => string): string {
  const [first, last] = [formatDay(from), formatDay(to)];
  return first === last ? first : `${first} – ${last}`;
}

export function describeOverlaps(s: Series, formats: Formats): string {
  if (s.overlaps === 0) return 'none';
  if (s.conflicts === 0) return formats.count(s.overlaps);
  return `${formats.count(s.overlaps)}, ${formats.count(s.conflicts)} with other values that are replaced`;
}

export function describeGaps(s: Series, formats: Formats): string {
  return s.gap_days === 0 ? 'none' : formats.plural(s.gap_days, 'day');
}

/** Reports whether a series' proposal is what it is read with. */
export function isSameReading(s: Series): boolean {
  const proposed = s.proposed;
  return (
    proposed !== null &&
    proposed.tz === s.tz &&
    proposed.stamp === s.stamp &&
    proposed.price_scale === s.price_scale
  );
}
