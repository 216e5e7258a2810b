// Price bars as the API returns them: columns of integers at a scale. Integers are
// scaled for drawing only; a displayed price is the exact decimal.

import type { Schemas } from '../../lib/api/client';

export interface Bars {
  secs: number; // a bar's length
  scale: number; // price = integer / 10^scale
  volumeScale: number;
  t: number[]; // openings in seconds since 1970, ascending
  o: number[]; // NaN, as h, l and c, at a time without a bar; see spreadBars
  h: number[];
  l: number[];
  c: number[];
  v: number[] | null;
}

/** Neighboring bars drawn as one, because each would be too narrow. */
export interface Candle {
  first: number; // the index of the first bar
  end: number; // the index after the last bar
  o: number; // NaN, as h, l and c, if there is no bar; see isEmpty
  h: number;
  l: number;
  c: number;
  v: number;
}

export function toBars(window: Schemas['BarWindow']): Bars {
  const { bar_secs: secs, volume_scale: volumeScale, scale, t, o, h, l, c, v } = window;
  return { secs, scale, volumeScale, t, o, h, l, c, v };
}

/** Returns the first `count` bars. */
export function cutBars(bars: Bars, count: number): Bars {
  const cut = (column: number[]) => column.slice(0, count);
  return {
    ...bars,
    t: cut(bars.t),
    o: cut(bars.o),
    h: cut(bars.h),
    l: cut(bars.l),
    c: cut(bars.c),
    v: bars.v && cut(bars.v),
  };
}

/** Returns the bars of both, at the larger scale. The earlier ones end before the later ones begin. */
export function joinBars(earlier: Bars, later: Bars): Bars {
  const scale = Math.max(earlier.scale, later.scale);
  const volumeScale = Math.max(earlier.volumeScale, later.volumeScale);
  const join = (column: 'o' | 'h' | 'l' | 'c') =>
    [earlier, later].flatMap((bars) => rescale(bars[column], scale - bars.scale));
  const volumes = (bars: Bars) => rescale(bars.v ?? bars.t.map(() => 0), volumeScale - bars.volumeScale);
  return {
    secs: later.secs,
    scale,
    volumeScale,
    t: [...earlier.t, ...later.t],
    o: join('o'),
    h: join('h'),
    l: join('l'),
    c: join('c'),
    v: earlier.v || later.v ? [...volumes(earlier), ...volumes(later)] : null,
  };
}

const rescale = (values: number[], decimals: number) =>
  decimals === 0 ? values : values.map((value) => value * 10 ** decimals);

/** Returns the exact decimal of an integer at a scale: 503225 at 2 is 5032.25. */
export function toDecimalText(value: number, scale: number): string {
  if (scale <= 0) return String(value) + '0'.repeat(value === 0 ? 0 : -scale);
  const digits = String(Math.abs(value)).padStart(scale + 1, '0');
  return `${value < 0 ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Returns a price in the bars' units. */
export function toUnits(price: number, bars: Pick<Bars, 'scale'>): number {
  return Number(`${price}e${bars.scale}`) || price * 10 ** bars.scale;
}

/** Returns the index of the last bar that opens at or before a time, -1 if none. */
export function findBar(t: number[], second: number): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (t[mid]! <= second) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

/** Returns the index of the bar during which a time lies, -1 if there is no such bar. */
export function findBarOf(bars: Bars, second: number): number {
  const i = findBar(bars.t, second);
  return i >= 0 && second < bars.t[i]! + bars.secs ? i : -1;
}

/**
 * Returns where a time lies between the bars: 3.5 is the middle of the fourth bar. A time without a bar lies at the
 * end of the bar before it.
 */
export function findPosition(bars: Bars, second: number): number {
  const i = findBar(bars.t, second);
  return i < 0 ? 0 : i + Math.min(1, (second - bars.t[i]!) / bars.secs);
}

/** Returns the times at which any of the bars open, ascending. */
export function joinTimes(all: Bars[]): number[] {
  return [...new Set(all.flatMap((bars) => bars.t))].sort((a, b) => a - b);
}

/**
 * Returns the bars at the given times, which contain theirs; those without a bar are empty. So bars of several
 * instruments have the same indexes. Volumes are left out.
 */
export function spreadBars(bars: Bars, times: number[]): Bars {
  const index = new Map(bars.t.map((second, i) => [second, i]));
  const spread = (column: number[]) => times.map((second) => column[index.get(second) ?? -1] ?? NaN);
  return {
    ...bars,
    t: times,
    o: spread(bars.o),
    h: spread(bars.h),
    l: spread(bars.l),
    c: spread(bars.c),
    v: null,
  };
}

/** Reports whether a candle has no bar. */
export function isEmpty(candle: Candle): boolean {
  return Number.isNaN(candle.o);
}

/** Merges every `size` bars into one candle. A candle never spans two sessions. */
export function groupBars(bars: Bars, size: number, sessionStarts: number[]): Candle[] {
  const candles: Candle[] = [];
  const starts = new Set(sessionStarts);
  for (let i = 0; i < bars.t.length; i++) {
    const last = candles.at(-1);
    const bar = {
      o: bars.o[i]!,
      h: bars.h[i]!,
      l: bars.l[i]!,
      c: bars.c[i]!,
      v: bars.v?.[i] ?? 0,
    };
    if (!last || starts.has(i) || i - last.first >= size) {
      candles.push({ first: i, end: i + 1, ...bar });
      continue;
    }
    last.end = i + 1;
    if (Number.isNaN(bar.o)) continue;
    if (isEmpty(last)) {
      Object.assign(last, bar);
      continue;
    }
    last.h = Math.max(last.h, bar.h);
    last.l = Math.min(last.l, bar.l);
    last.c = bar.c;
    last.v += bar.v;
  }
  return candles;
}

const minute = 60;
const hour = 3600;
const day = 86_400;
const lengths = [1, 5, 15, 30, minute, 5 * minute, 15 * minute, hour, 4 * hour, day, 7 * day];
const barsHeld = 120; // at most so many bars between the first and the last fill
const barsAround = 900; // before and after them; the API returns at most 2,000

/** Returns the bar length that shows a holding time well. */
export function chooseLength(heldSecs: number): number {
  return lengths.find((secs) => heldSecs / secs <= barsHeld) ?? lengths.at(-1)!;
}

/** Returns the lengths that can be made of bars of `base` seconds, at most five. */
export function offerLengths(base: number): number[] {
  return lengths.filter((secs) => secs >= base && base > 0 && secs % base === 0).slice(0, 5);
}

/**
 * Returns the shortest length in which several instruments have bars, given that of each; 0 for one without bars. What
 * has daily bars only does not make the others daily.
 */
export function findSharedLength(lengths: number[]): number {
  const intraday = lengths.filter((secs) => secs < day);
  return Math.max(0, ...intraday) || Math.max(0, ...lengths);
}

/** Returns the short name of a bar length: 5m, 1h, 1D. */
export function nameLength(secs: number): string {
  if (secs % (7 * day) === 0) return `${secs / (7 * day)}W`;
  if (secs % day === 0) return `${secs / day}D`;
  if (secs % hour === 0) return `${secs / hour}h`;
  if (secs % minute === 0) return `${secs / minute}m`;
  return `${secs}s`;
}

/** Returns the time around two instants (in seconds) for which bars are loaded. */
export function windowAround(first: number, last: number, secs: number): { from: string; to: string } {
  const around = barsAround * secs;
  const at = (second: number) => new Date(second * 1000).toISOString();
  return { from: at(Math.floor(first) - around), to: at(Math.ceil(last) + around) };
}
