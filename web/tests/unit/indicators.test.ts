import { describe, expect, it } from 'vitest';
import { cutBars, type Bars } from '../../src/charts/candles/bars';
import {
  computeEma,
  computeIndicators,
  computePriorDay,
  computeVwap,
  daysNeeded,
  explainGaps,
  findDays,
  indicatorIds,
} from '../../src/charts/candles/indicators';
import { createLocalTime, findSessions } from '../../src/charts/candles/timeAxis';

const utc = createLocalTime('UTC');

/** A generator of numbers below a limit, always the same. */
function drawNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** Bars in runs of [opening, count], with a random walk of prices. */
function walk(seed: number, secs: number, runs: [number, number][]): Bars {
  const draw = drawNumbers(seed);
  const bars: Bars = { secs, scale: 2, volumeScale: 0, t: [], o: [], h: [], l: [], c: [], v: [] };
  let price = 10_000;
  for (const [start, count] of runs)
    for (let i = 0; i < count; i++) {
      const open = price;
      price = Math.max(100, price + draw(41) - 20);
      bars.t.push(start + i * secs);
      bars.o.push(open);
      bars.c.push(price);
      bars.h.push(Math.max(open, price) + draw(10));
      bars.l.push(Math.min(open, price) - draw(10));
      bars.v!.push(draw(4) === 0 ? 0 : draw(1000));
    }
  return bars;
}

const hour = 3600;
const day = 24 * hour;
const daysOf = (bars: Bars) => findDays(bars, findSessions(bars.t, bars.secs, utc));

// Three days of 6.5 hours, the first one cut.
const stock = walk(7, 300, [
  [14.5 * hour + 3 * hour, 42],
  [day + 14.5 * hour, 78],
  [2 * day + 14.5 * hour, 78],
]);

describe('trading days', () => {
  it('begin after a long break', () => {
    expect(daysOf(stock)).toEqual([0, 42, 120]);
  });

  it('contain sessions with a short break, as in Hong Kong', () => {
    const morningAndAfternoon: [number, number][] = [0, 1].flatMap((n): [number, number][] => [
      [n * day + 1.5 * hour, 30],
      [n * day + 5 * hour, 36],
    ]);
    expect(daysOf(walk(1, 300, morningAndAfternoon))).toEqual([0, 66]);
  });

  it('are separate if sessions fill the day, as those of futures', () => {
    const bars = walk(2, 900, [
      [23 * hour, 92],
      [day + 23 * hour, 92],
      [2 * day + 23 * hour, 40],
    ]);
    expect(daysOf(bars)).toEqual([0, 92, 184]);
  });

  it('begin at midnight without breaks', () => {
    expect(daysOf(walk(3, hour, [[0, 72]]))).toEqual([0, 24, 48]);
  });
});

describe('EMA', () => {
  // Independently: the weights of all closes written out.
  const slowEma = (closes: number[], length: number, i: number): number | null => {
    if (i < length - 1) return null;
    const weight = 2 / (length + 1);
    let sum = 0;
    for (let k = length; k <= i; k++) sum += weight * (1 - weight) ** (i - k) * closes[k]!;
    for (let k = 0; k < length; k++) sum += ((1 - weight) ** (i - length + 1) / length) * closes[k]!;
    return sum;
  };

  it.each([9, 20, 50, 200])('of %i bars is the weighted sum of all closes', (length) => {
    const { c } = walk(length, 60, [[0, 260]]);
    const values = computeEma(c, length);
    for (let i = 0; i < c.length; i++) {
      const slow = slowEma(c, length, i);
      if (slow === null) expect(values[i]).toBeNull();
      else expect(values[i]).toBeCloseTo(slow, 6);
    }
  });

  it('has no value with fewer bars than its length', () => {
    expect(computeEma([1, 2, 3], 4)).toEqual([null, null, null]);
    expect(computeEma([1, 2, 6], 3)).toEqual([null, null, 3]);
  });
});

describe('VWAP', () => {
  const days = daysOf(stock);
  // Independently: the sums again for every bar.
  const slowVwap = (i: number): number | null => {
    const start = days.filter((d) => d <= i).at(-1)!;
    let [amount, volume] = [0, 0];
    for (let k = i; k >= start; k--) {
      amount += stock.v![k]! * (stock.h[k]! + stock.l[k]! + stock.c[k]!);
      volume += stock.v![k]! * 3;
    }
    return volume === 0 ? null : amount / volume;
  };

  it('starts again every day, and has no value on a day that may have begun earlier', () => {
    const values = computeVwap(stock, days, false);
    expect(values.slice(0, 42).every((v) => v === null)).toBe(true);
    const all = computeVwap(stock, days, true);
    for (let i = 0; i < stock.t.length; i++) {
      const slow = slowVwap(i);
      if (slow === null) expect(all[i]).toBeNull();
      else expect(all[i]).toBeCloseTo(slow, 6);
      if (i >= 42) expect(values[i]).toBe(all[i]);
    }
  });

  it('needs volume', () => {
    expect(computeVwap({ ...stock, v: null }, days, true).every((v) => v === null)).toBe(true);
  });
});

describe('prior day high and low', () => {
  it('are those of all bars of the day before, if all are there', () => {
    const days = daysOf(stock);
    const part = computePriorDay(stock, days, false);
    const all = computePriorDay(stock, days, true);
    for (let i = 0; i < stock.t.length; i++) {
      const before = stock.t
        .map((_, k) => k)
        .filter((k) => (i >= 120 ? k >= 42 && k < 120 : i >= 42 && k < 42));
      const high = before.length > 0 ? Math.max(...before.map((k) => stock.h[k]!)) : null;
      const low = before.length > 0 ? Math.min(...before.map((k) => stock.l[k]!)) : null;
      expect([all.high[i], all.low[i]]).toEqual([high, low]);
      expect([part.high[i], part.low[i]]).toEqual(i >= 120 ? [high, low] : [null, null]);
    }
  });
});

describe('indicators', () => {
  it('depend on no later bar', () => {
    const all = computeIndicators(stock, daysOf(stock), [...indicatorIds], false);
    for (const count of [1, 43, 119, 121, 150]) {
      const cut = cutBars(stock, count);
      const seen = computeIndicators(cut, daysOf(cut), [...indicatorIds], false);
      expect(seen.map((line) => line.values)).toEqual(all.map((line) => line.values.slice(0, count)));
    }
  });

  it('say which bars are missing', () => {
    const lines = (bars: Bars) => computeIndicators(bars, daysOf(bars), [...indicatorIds], false);
    expect(explainGaps(stock, lines(stock), 30)).toBe(
      'EMA 50, EMA 200: 199 earlier bars needed, 30 available. VWAP: bars are missing since the day began. ' +
        'Prior day high and low: bars of the day before are missing.',
    );
    const silent = { ...stock, v: null };
    expect(explainGaps(silent, lines(silent), 197)).toBe(
      'EMA 200: 199 earlier bars needed, 197 available. VWAP needs volume, which these bars lack.',
    );
    const daily = walk(5, day, [[0, 300]]);
    expect(explainGaps(daily, lines(daily), 250)).toBe(
      'VWAP needs bars shorter than a day. Prior day high and low need bars shorter than a day.',
    );
    expect(explainGaps(stock, lines(stock).slice(0, 2), 150)).toBe('');
    expect([daysNeeded(['ema9']), daysNeeded(['vwap']), daysNeeded(['vwap', 'prior_day'])]).toEqual([
      0, 2, 3,
    ]);
  });
});
