// A replay shows the bars of a trade one after the other. Its only state is how many
// bars are shown; everything later stays hidden.

import { findBar, toDecimalText, toUnits, type Bars } from './bars';
import type { ChartFill } from './marks';

const before = 30; // bars before the entry
const after = 60; // bars after the exit

export const speeds = [1, 2, 5, 10, 30]; // bars a second

export interface Course {
  first: number; // the number of bars at the start
  last: number; // and at the end
}

/** Returns from where to where the time from the first to the last fill is replayed; without a last one to the end. */
export function planReplay(bars: Bars, held: { first: number; last: number | null }): Course {
  const count = bars.t.length;
  const entry = findBar(bars.t, held.first);
  const exit = held.last === null ? count : findBar(bars.t, held.last);
  const first = Math.max(1, Math.min(count, entry - before + 1));
  return { first, last: Math.max(first, Math.min(count, exit + 1 + after)) };
}

export function clampShown(shown: number, course: Course): number {
  return Math.max(course.first, Math.min(shown, course.last));
}

/** Returns the number of bars at which a fill appears: when its bar has ended. */
function shownAt(bars: Bars, fill: ChartFill): number {
  return findBar(bars.t, fill.second) + 1;
}

/** Returns the fills that have happened. */
export function fillsUntil(bars: Bars, fills: ChartFill[], shown: number): ChartFill[] {
  return fills.filter((fill) => shownAt(bars, fill) <= shown);
}

/** Returns the number of bars at the next fill in a direction, or at the end of the replay. */
export function findFill(
  bars: Bars,
  fills: ChartFill[],
  shown: number,
  direction: 1 | -1,
  course: Course,
): number {
  const stops = fills.map((fill) => shownAt(bars, fill)).filter((at) => (at - shown) * direction > 0);
  const end = direction > 0 ? course.last : course.first;
  return clampShown(direction > 0 ? Math.min(...stops, end) : Math.max(...stops, end), course);
}

export type ReplayAction =
  | 'toggle'
  | 'back'
  | 'forward'
  | 'previous-fill'
  | 'next-fill'
  | 'start'
  | 'end'
  | 'faster'
  | 'slower'
  | 'reveal'
  | 'note';

/** Returns what a key does in a replay, null for nothing. */
export function readReplayKey(key: string, shift: boolean): ReplayAction | null {
  const actions: Record<string, ReplayAction> = {
    ' ': 'toggle',
    ArrowLeft: shift ? 'previous-fill' : 'back',
    ArrowRight: shift ? 'next-fill' : 'forward',
    ArrowUp: 'faster',
    ArrowDown: 'slower',
    Home: 'start',
    End: 'end',
    v: 'reveal',
    n: 'note',
  };
  return actions[key] ?? null;
}

/** Returns the next speed in a direction; the first and the last stay. */
export function changeSpeed(speed: number, direction: 1 | -1): number {
  return speeds[speeds.indexOf(speed) + direction] ?? speed;
}

/** The results of trades bar by bar, as the API returns them. */
export interface RunningResults {
  bar_secs: number;
  t: number[];
  position: number[];
  pnl: number[] | null;
  r: number[] | null;
  mae_low: number[] | null;
  mae_high: number[] | null;
}

/** Returns the results at a bar's close, undefined if the response has no such bar. */
export function findResult(running: RunningResults, secs: number, opening: number) {
  const i = findBar(running.t, opening);
  if (running.bar_secs !== secs || running.t[i] !== opening) return undefined;
  return {
    position: running.position[i]!,
    pnl: running.pnl?.[i] ?? null,
    r: running.r?.[i] ?? null,
    mae: running.mae_low && running.mae_high && { low: running.mae_low[i]!, high: running.mae_high[i]! },
  };
}

/** Returns the exact sum of quantities, positive for buys and negative for sells. */
export function sumQuantities(fills: Pick<ChartFill, 'side' | 'quantity'>[]): string {
  const scale = Math.max(0, ...fills.map((fill) => countDecimals(fill.quantity)));
  const sum = fills.reduce(
    (total, { side, quantity }) => total + (side === 'buy' ? 1 : -1) * toUnits(quantity, { scale }),
    0,
  );
  return toDecimalText(sum, scale);
}

function countDecimals(n: number): number {
  const [digits, exponent] = String(n).split('e');
  return Math.max(0, (digits!.split('.')[1]?.length ?? 0) - Number(exponent ?? 0));
}
