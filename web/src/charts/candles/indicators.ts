// Lines over the candles, computed from the bars that are loaded. They are for drawing:
// values are floating-point numbers in the bars' units, null where earlier bars are missing.

import type { Bars } from './bars';

export const indicatorIds = ['vwap', 'ema9', 'ema20', 'ema50', 'ema200', 'prior_day'] as const;
export type IndicatorId = (typeof indicatorIds)[number];

export const indicatorNames: Record<IndicatorId, string> = {
  vwap: 'VWAP',
  ema9: 'EMA 9',
  ema20: 'EMA 20',
  ema50: 'EMA 50',
  ema200: 'EMA 200',
  prior_day: 'Prior day high and low',
};

export type Values = (number | null)[];

/** A line over the bars. */
export interface IndicatorLine {
  id: IndicatorId;
  name: string; // short, for the legend
  values: Values; // one for each bar
  steps: boolean; // horizontal for a day, with a gap between two days
}

const day = 86_400;
const longestPause = 7200; // within a trading day, such as lunch in Hong Kong

/**
 * Returns the indexes at which a trading day begins, from those at which a session does. Sessions with a short break
 * between them are one day, unless they last longer than a day together, as those of futures do.
 */
export function findDays({ t, secs }: Bars, sessionStarts: number[]): number[] {
  const days: number[] = [];
  sessionStarts.forEach((start, n) => {
    const first = days.at(-1);
    const end = (sessionStarts[n + 1] ?? t.length) - 1;
    const isSame =
      first !== undefined &&
      t[start]! - t[start - 1]! - secs < longestPause &&
      t[end]! + secs - t[first]! <= day;
    if (!isSame) days.push(start);
  });
  return days;
}

/** Returns the exponential moving average of closes. It begins with the average of the first `length` closes. */
export function computeEma(closes: number[], length: number): Values {
  const values: Values = Array<number | null>(closes.length).fill(null);
  if (closes.length < length) return values;
  const weight = 2 / (length + 1);
  let value = closes.slice(0, length).reduce((sum, close) => sum + close, 0) / length;
  values[length - 1] = value;
  for (let i = length; i < closes.length; i++) {
    value += weight * (closes[i]! - value);
    values[i] = value;
  }
  return values;
}

/**
 * Returns the average of high, low and close since the day began, weighted by volume. The first day may have begun
 * before the first bar: it has no values, unless `isFromStart`.
 */
export function computeVwap(bars: Bars, days: number[], isFromStart: boolean): Values {
  const values: Values = Array<number | null>(bars.t.length).fill(null);
  if (!bars.v) return values;
  days.forEach((start, n) => {
    if (n === 0 && !isFromStart) return;
    let [amount, volume] = [0, 0];
    for (let i = start; i < (days[n + 1] ?? bars.t.length); i++) {
      amount += ((bars.h[i]! + bars.l[i]! + bars.c[i]!) / 3) * bars.v![i]!;
      volume += bars.v![i]!;
      if (volume > 0) values[i] = amount / volume;
    }
  });
  return values;
}

/** Returns the highest and the lowest price of the day before. The first day counts only if `isFromStart`. */
export function computePriorDay(
  bars: Bars,
  days: number[],
  isFromStart: boolean,
): { high: Values; low: Values } {
  const high: Values = Array<number | null>(bars.t.length).fill(null);
  const low: Values = [...high];
  for (let n = isFromStart ? 1 : 2; n < days.length; n++) {
    let [top, bottom] = [-Infinity, Infinity];
    for (let i = days[n - 1]!; i < days[n]!; i++) {
      top = Math.max(top, bars.h[i]!);
      bottom = Math.min(bottom, bars.l[i]!);
    }
    const end = days[n + 1] ?? bars.t.length;
    high.fill(top, days[n], end);
    low.fill(bottom, days[n], end);
  }
  return { high, low };
}

const emaLengths: Partial<Record<IndicatorId, number>> = { ema9: 9, ema20: 20, ema50: 50, ema200: 200 };

/** Computes the chosen indicators. `isFromStart` means that there are no earlier bars. */
export function computeIndicators(
  bars: Bars,
  days: number[],
  chosen: IndicatorId[],
  isFromStart: boolean,
): IndicatorLine[] {
  return indicatorIds
    .filter((id) => chosen.includes(id))
    .flatMap((id): IndicatorLine[] => {
      const length = emaLengths[id];
      if (length) return [{ id, name: `EMA ${length}`, values: computeEma(bars.c, length), steps: false }];
      if (id === 'vwap')
        return [{ id, name: 'VWAP', values: computeVwap(bars, days, isFromStart), steps: false }];
      const { high, low } = computePriorDay(bars, days, isFromStart);
      return [
        { id, name: 'Prior high', values: high, steps: true },
        { id, name: 'Prior low', values: low, steps: true },
      ];
    });
}

/** Says what the chosen indicators lack at a bar; '' if they have their values. */
export function explainGaps(bars: Bars, lines: IndicatorLine[], at: number): string {
  const missing = new Set(lines.filter((line) => line.values[at] === null).map((line) => line.id));
  const texts: string[] = [];
  const emas = [...missing].filter((id) => emaLengths[id]);
  if (emas.length > 0) {
    const longest = Math.max(...emas.map((id) => emaLengths[id]!));
    texts.push(
      `${emas.map((id) => indicatorNames[id]).join(', ')}: ${longest - 1} earlier bars needed, ${at} available.`,
    );
  }
  const isDaily = bars.secs >= day;
  if (missing.has('vwap'))
    texts.push(
      isDaily
        ? 'VWAP needs bars shorter than a day.'
        : bars.v
          ? 'VWAP: bars are missing since the day began.'
          : 'VWAP needs volume, which these bars lack.',
    );
  if (missing.has('prior_day'))
    texts.push(
      isDaily
        ? 'Prior day high and low need bars shorter than a day.'
        : 'Prior day high and low: bars of the day before are missing.',
    );
  return texts.join(' ');
}

/**
 * Returns how many days must begin before the bar of a trade, so that the chosen indicators have their values there:
 * the first day is often loaded in part.
 */
export function daysNeeded(chosen: IndicatorId[]): number {
  return chosen.includes('prior_day') ? 3 : chosen.includes('vwap') ? 2 : 0;
}
