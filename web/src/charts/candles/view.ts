// The part of the bars that is visible: from and to count bars from the left, so
// that 0 to 10 are the first ten.

import { stepTo } from '../scale';
import type { Candle } from './bars';

export interface View {
  from: number;
  to: number;
}

const fewest = 12; // bars that stay visible
const narrowest = 3; // the width of a candle in pixels

/** Returns the view nearest to the given one that stays within the bars, with `room` for bars to come. */
export function clampView(view: View, count: number, room = 0): View {
  const most = Math.max(count + room, 1);
  const size = Math.min(most, Math.max(fewest, view.to - view.from));
  const from = Math.max(0, Math.min(view.from, most - size));
  return { from, to: from + size };
}

/** Returns the view from one bar to another, with some bars before and after. */
export function viewAround(first: number, last: number, count: number): View {
  const around = Math.max(20, (last - first) * 0.35);
  return clampView({ from: Math.floor(first - around), to: Math.ceil(last + 1 + around) }, count);
}

/** Shows fewer bars for a factor below 1, more above. The bar at `anchor` stays where it is. */
export function zoomView(view: View, factor: number, anchor: number, count: number, room = 0): View {
  const size = Math.min(count + room, Math.max(fewest, (view.to - view.from) * factor));
  const share = (anchor - view.from) / (view.to - view.from);
  const from = anchor - share * size;
  return clampView({ from, to: from + size }, count, room);
}

export function panView(view: View, by: number, count: number, room = 0): View {
  return clampView({ from: view.from + by, to: view.to + by }, count, room);
}

/** Moves the view only as far as needed to show a bar. */
export function revealBar(view: View, index: number, count: number, room = 0): View {
  if (index < view.from) return panView(view, index - view.from, count, room);
  if (index + 1 > view.to) return panView(view, index + 1 - view.to, count, room);
  return view;
}

/** Returns how many bars share a candle, so candles are wide enough. */
export function chooseGroup(view: View, width: number): number {
  const perCandle = (narrowest * (view.to - view.from)) / Math.max(1, width);
  return [1, 2, 5, 10, 20, 50, 100].find((size) => size >= perCandle) ?? 200;
}

/** Returns the candles that begin in a view: one that is cut at its left edge would look like another. */
export function cutCandles(candles: Candle[], view: View): Candle[] {
  let first = Math.max(0, findCandle(candles, Math.max(0, view.from)));
  if ((candles[first]?.first ?? Infinity) < view.from - 0.01) first++;
  const last = findCandle(candles, view.to);
  return candles.slice(first, last < 0 ? undefined : last + (candles[last]!.first < view.to ? 1 : 0));
}

/** Returns the index of the candle at a position, -1 if none. */
export function findCandle(candles: Candle[], position: number): number {
  let low = 0;
  let high = candles.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (candles[mid]!.first <= position) low = mid + 1;
    else high = mid;
  }
  return low - 1 >= 0 && position < candles[low - 1]!.end ? low - 1 : -1;
}

export type KeyAction =
  | { kind: 'read'; at: number }
  | { kind: 'pan'; by: number }
  | { kind: 'zoom'; factor: number }
  | { kind: 'reset' };

/**
 * Returns what a key does on the chart, null for nothing. Arrows read candle by candle, with Shift they pan; plus and
 * minus zoom, 0 shows the start view again. `at` is the selected candle, -1 for none; `visible` are the candles from
 * and to which the first arrow leads.
 */
export function readKey(
  key: string,
  shift: boolean,
  at: number,
  count: number,
  visible: { first: number; last: number },
): KeyAction | null {
  if (key === '+' || key === '=') return { kind: 'zoom', factor: 1 / 1.5 };
  if (key === '-' || key === '_') return { kind: 'zoom', factor: 1.5 };
  if (key === '0') return { kind: 'reset' };
  if (shift && key === 'ArrowLeft') return { kind: 'pan', by: -0.25 };
  if (shift && key === 'ArrowRight') return { kind: 'pan', by: 0.25 };
  if (at < 0 && key === 'ArrowRight') return { kind: 'read', at: visible.first };
  if (at < 0 && key === 'ArrowLeft') return { kind: 'read', at: visible.last };
  const to = stepTo(key, at, count);
  return to === null ? null : { kind: 'read', at: to };
}
