// What a chart draws on its bars: fills, and the range of prices while a trade was
// open. Prices are in the bars' units, for drawing and comparing only.

import { findBarOf, findPosition, isEmpty, toUnits, type Bars, type Candle } from './bars';
import type { View } from './view';

export interface ChartFill {
  second: number; // when, in seconds since 1970
  price: number;
  quantity: number;
  side: 'buy' | 'sell';
  opens: boolean;
  text: string; // such as bought 2 at 5,032.25
}

/** A note written about an instant. */
export interface ChartNote {
  id: string;
  second: number;
  text: string; // one line
  isAction?: boolean; // a corporate action, which is on the time axis
}

/** A price drawn over the whole width. */
export interface ChartLevel {
  name: string;
  price: number;
  kind: 'entry' | 'exit' | 'stop' | 'target';
}

export interface Mark {
  at: number; // in bars, see findPosition
  price: number; // in units
  fill: ChartFill;
}

export function placeFills(bars: Bars, fills: ChartFill[]): Mark[] {
  return fills.map((fill) => ({
    at: findPosition(bars, fill.second),
    price: toUnits(fill.price, bars),
    fill,
  }));
}

export interface FillCheck {
  checked: number; // fills that have a bar
  outside: number; // of these, those above their bar's high or below its low
  missing: number; // fills without a bar
}

/** Counts the fills that do not agree with the bars. */
export function checkFills(bars: Bars, fills: ChartFill[]): FillCheck {
  const check = { checked: 0, outside: 0, missing: 0 };
  for (const fill of fills) {
    const i = findBarOf(bars, Math.floor(fill.second));
    if (i < 0) {
      check.missing++;
      continue;
    }
    check.checked++;
    const price = toUnits(fill.price, bars);
    if (price < bars.l[i]! || price > bars.h[i]!) check.outside++;
  }
  return check;
}

/** A trade on the chart: when it was open, and on which side. */
export interface Held {
  first: number; // of the first fill, in seconds
  last: number | null; // of the last fill; null while the trade is open
  isLong: boolean;
}

/** A price reached for certain, and one that may have been reached at most. */
export interface Bound {
  certain: number;
  possible: number;
}

export interface Extremes {
  best: Bound;
  worst: Bound;
  from: number; // in bars
  to: number;
}

/**
 * Returns the best and the worst price while a trade was open. The bars of the first and the last fill also contain
 * prices from before and after the trade, so their highs and lows are only possible. Prices of fills, the close
 * of the first bar and the open of the last are certain. null without bars of that time.
 */
export function findExtremes(bars: Bars, fills: ChartFill[], held: Held): Extremes | null {
  const end = held.last ?? Infinity;
  const prices = fills.map((fill) => toUnits(fill.price, bars));
  const certain = [...prices];
  const possible: number[] = [];
  for (let i = 0; i < bars.t.length; i++) {
    const [opening, closing] = [bars.t[i]!, bars.t[i]! + bars.secs];
    if (closing <= held.first || opening > end) continue;
    const startsInside = opening > held.first;
    const endsInside = closing <= end;
    possible.push(bars.h[i]!, bars.l[i]!);
    if (startsInside) certain.push(bars.o[i]!);
    if (endsInside) certain.push(bars.c[i]!);
    if (startsInside && endsInside) certain.push(bars.h[i]!, bars.l[i]!);
  }
  if (possible.length === 0) return null;
  const all = [...certain, ...possible];
  const high = { certain: maxOf(certain), possible: maxOf(all) };
  const low = { certain: minOf(certain), possible: minOf(all) };
  return {
    best: held.isLong ? high : low,
    worst: held.isLong ? low : high,
    from: findPosition(bars, held.first),
    to: held.last === null ? bars.t.length : findPosition(bars, held.last),
  };
}

const maxOf = (values: number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
const minOf = (values: number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);

/**
 * Returns the lowest and highest price to show: of the visible candles and the fills in view, and of the levels that are not
 * farther away than the candles are high. Farther ones would make the candles flat.
 */
export function findPriceRange(
  candles: Candle[],
  marks: Mark[],
  levels: number[],
  view: View,
): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const candle of candles) {
    if (isEmpty(candle)) continue;
    low = Math.min(low, candle.l);
    high = Math.max(high, candle.h);
  }
  for (const mark of marks) {
    if (mark.at < view.from || mark.at > view.to) continue;
    low = Math.min(low, mark.price);
    high = Math.max(high, mark.price);
  }
  if (low > high) return [0, 1];
  const span = high - low;
  const near = levels.filter((level) => level >= low - span && level <= high + span);
  const [bottom, top] = [Math.min(low, ...near), Math.max(high, ...near)];
  const padding = (top - bottom) * 0.06 || 1;
  return [bottom - padding, top + padding];
}

/** Returns round whole numbers of units between two prices, about `wanted` of them. */
export function tickPrices(low: number, high: number, wanted: number): number[] {
  const rough = Math.max(1, (high - low) / Math.max(1, wanted));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough && Number.isInteger(s)) ?? 10 * power;
  const ticks: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(tick);
  return ticks;
}

/** Moves labels apart that would overlap, and keeps them between top and foot. `each` is the height of one. */
export function spreadLabels(wanted: number[], top: number, foot: number, each: number): number[] {
  const order = wanted
    .map((y, i) => ({ y, i }))
    .sort((a, b) => a.y - b.y)
    .map(({ y, i }) => ({ y: Math.max(top, Math.min(y, foot)), i }));
  for (let k = 1; k < order.length; k++) order[k]!.y = Math.max(order[k]!.y, order[k - 1]!.y + each);
  let limit = foot;
  for (let k = order.length - 1; k >= 0; k--) {
    order[k]!.y = Math.min(order[k]!.y, limit);
    limit = order[k]!.y - each;
  }
  const placed: number[] = [];
  for (const { y, i } of order) placed[i] = y;
  return placed;
}
