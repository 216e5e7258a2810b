import { describe, expect, it } from 'vitest';
import {
  chooseLength,
  findBarOf,
  findPosition,
  findSharedLength,
  groupBars,
  isEmpty,
  joinBars,
  joinTimes,
  nameLength,
  offerLengths,
  spreadBars,
  toDecimalText,
  toUnits,
  windowAround,
  type Bars,
} from '../../src/charts/candles/bars';
import {
  checkFills,
  findExtremes,
  findPriceRange,
  placeFills,
  spreadLabels,
  tickPrices,
  type ChartFill,
} from '../../src/charts/candles/marks';
import { loadMore } from '../../src/charts/candles/moreBars';
import { toChartActions, toChartNotes } from '../../src/charts/candles/notes';
import {
  changeSpeed,
  clampShown,
  fillsUntil,
  findFill,
  findResult,
  planReplay,
  readReplayKey,
  sumQuantities,
} from '../../src/charts/candles/replay';
import { createLocalTime, findSessions, labelTimes } from '../../src/charts/candles/timeAxis';
import {
  chooseGroup,
  clampView,
  cutCandles,
  findCandle,
  panView,
  readKey,
  revealBar,
  viewAround,
  zoomView,
} from '../../src/charts/candles/view';

/** Minute bars from the given rows of open, high, low and close, in cents. */
function makeBars(rows: [number, number, number, number][], start = 0): Bars {
  const column = (k: number) => rows.map((row) => row[k]!);
  const t = rows.map((_, i) => start + i * 60);
  return {
    secs: 60,
    scale: 2,
    volumeScale: 0,
    t,
    o: column(0),
    h: column(1),
    l: column(2),
    c: column(3),
    v: rows.map((_, i) => i + 1),
  };
}

const fill = (second: number, price: number, side: 'buy' | 'sell' = 'buy'): ChartFill => ({
  second,
  price,
  quantity: 1,
  side,
  opens: side === 'buy',
  text: '',
});

const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const utc = createLocalTime('UTC');

describe('bars', () => {
  it('toDecimalText writes integers at a scale exactly', () => {
    expect(toDecimalText(503225, 2)).toBe('5032.25');
    expect(toDecimalText(-5, 3)).toBe('-0.005');
    expect(toDecimalText(42, 0)).toBe('42');
    expect(toDecimalText(9007199254740991, 8)).toBe('90071992.54740991');
  });

  it('toUnits is exact where a product of floats is not', () => {
    expect(toUnits(1.005, { scale: 3 })).toBe(1005);
    expect(toUnits(0.0000001, { scale: 8 })).toBe(10);
    expect(toUnits(4.35, { scale: 2 })).toBe(435);
  });

  it('finds the bar of a time and the place of a time between bars', () => {
    const bars = {
      ...makeBars([
        [1, 1, 1, 1],
        [1, 1, 1, 1],
      ]),
      t: [60, 240],
    };
    expect([59, 60, 119.9, 120, 240, 301].map((s) => findBarOf(bars, s))).toEqual([-1, 0, 0, -1, 1, -1]);
    expect([0, 90, 200, 270].map((s) => findPosition(bars, s))).toEqual([0, 0.5, 1, 1.5]);
  });

  it('groupBars merges bars, but not across sessions', () => {
    const bars = makeBars([
      [10, 12, 9, 11],
      [11, 15, 10, 14],
      [14, 14, 8, 9],
      [9, 10, 9, 10],
    ]);
    expect(groupBars(bars, 3, [])).toEqual([
      { first: 0, end: 3, o: 10, h: 15, l: 8, c: 9, v: 6 },
      { first: 3, end: 4, o: 9, h: 10, l: 9, c: 10, v: 4 },
    ]);
    expect(groupBars(bars, 3, [0, 1]).map((c) => [c.first, c.end])).toEqual([
      [0, 1],
      [1, 4],
    ]);
  });

  it('chooses, offers and names bar lengths', () => {
    expect([30, 2400, 6 * 3600, 40 * 86_400].map(chooseLength)).toEqual([1, 30, 300, 86_400]);
    expect(offerLengths(60)).toEqual([60, 300, 900, 3600, 14_400]);
    expect(offerLengths(86_400)).toEqual([86_400, 604_800]);
    expect(offerLengths(0)).toEqual([]);
    expect([15, 300, 14_400, 86_400, 604_800].map(nameLength)).toEqual(['15s', '5m', '4h', '1D', '1W']);
  });

  it('instruments share the longest of their lengths below a day', () => {
    expect(findSharedLength([60, 300, 0])).toBe(300);
    expect(findSharedLength([60, 86_400])).toBe(60);
    expect(findSharedLength([86_400, 0])).toBe(86_400);
    expect(findSharedLength([0])).toBe(0);
  });

  it('windowAround stays below the 2,000 bars of the API', () => {
    const { from, to } = windowAround(0, 120 * 60, 60);
    expect((Date.parse(to) - Date.parse(from)) / 60_000).toBeLessThan(2000);
  });
});

describe('bars of several instruments', () => {
  const early = makeBars([
    [1, 3, 1, 2],
    [2, 4, 2, 3],
    [3, 5, 3, 4],
  ]);
  const late = makeBars(
    [
      [10, 12, 9, 11],
      [11, 13, 10, 12],
    ],
    120,
  );

  it('have the times of all, and none where there was no bar', () => {
    const times = joinTimes([late, early]);
    expect(times).toEqual([0, 60, 120, 180]);
    const spread = spreadBars(late, times);
    expect(spread.t).toBe(times);
    expect(spread.c).toEqual([NaN, NaN, 11, 12]);
    expect(spread.v).toBe(null);
    expect(findPosition(spread, 60)).toBe(1);
  });

  it('are merged at the same places, and empty candles change no range', () => {
    const times = joinTimes([late, early, makeBars([[7, 7, 7, 7]], 240)]);
    const [a, b] = [early, late].map((bars) => groupBars(spreadBars(bars, times), 2, [0]));
    const places = [
      [0, 2],
      [2, 4],
      [4, 5],
    ];
    expect(a!.map(({ first, end }) => [first, end])).toEqual(places);
    expect(b!.map(({ first, end }) => [first, end])).toEqual(places);
    expect(a!.map(isEmpty)).toEqual([false, false, true]);
    expect(a![1]).toMatchObject({ o: 3, h: 5, l: 3, c: 4 }); // its second bar is empty
    expect(groupBars(spreadBars(late, times), 3, [0])[0]).toMatchObject({ o: 10, h: 12, l: 9, c: 11 });
    const [low, high] = findPriceRange(b!, [], [], { from: 0, to: 5 });
    expect(low).toBeLessThan(9);
    expect(high).toBeLessThan(14);
  });
});

describe('more bars', () => {
  const flat = (times: number[], secs = 60): Bars => ({
    ...makeBars(times.map(() => [1, 1, 1, 1])),
    secs,
    t: times,
  });
  /** A server with bars of a minute at the given times, which makes longer ones if there are more than `most`. */
  const serve = (stored: number[], most = 2000) => {
    const asked: [number, number][] = [];
    return {
      asked,
      load: (from: number, to: number) => {
        asked.push([from, to]);
        let secs = 60;
        let times = stored.filter((t) => t >= from && t <= to);
        while (times.length > most) {
          secs *= 60;
          times = [...new Set(times.map((t) => Math.floor(t / secs) * secs))];
        }
        return Promise.resolve(flat(times, secs));
      },
    };
  };
  const day = 86_400;
  const minutes = (from: number, count: number) => range(count).map((i) => from + i * 60);

  it('joinBars uses the larger scale, and zero for volumes that are missing', () => {
    const earlier = { ...makeBars([[10, 12, 9, 11]]), scale: 1, v: null };
    const joined = joinBars(earlier, makeBars([[1110, 1120, 1100, 1115]], 60));
    expect(joined).toMatchObject({ scale: 2, t: [0, 60], o: [100, 1110], l: [90, 1100], v: [0, 1] });
  });

  it('are those next to the loaded ones', async () => {
    const { load } = serve(minutes(10 * day, 3000));
    const edge = { at: 10 * day + 2500 * 60, end: 10 * day, secs: 60 };
    const found = (await loadMore(load, -1, edge))!;
    expect([found.t.length, found.t.at(-1)]).toEqual([1000, edge.at - 60]);
    const later = (await loadMore(load, 1, { ...edge, end: 10 * day + 2999 * 60 }))!;
    expect([later.t[0], later.t.length]).toEqual([edge.at + 60, 499]);
  });

  it('are found across a break, and a long step leads to the nearest', async () => {
    const stored = minutes(0, 5000);
    const monday = 5000 * 60 + 3 * day;
    const { load, asked } = serve(stored, 2000);
    const found = (await loadMore(load, -1, { at: monday, end: 0, secs: 60 }))!;
    expect(found.t.at(-1)).toBe(stored.at(-1));
    expect(asked.length).toBeLessThan(8);
    const { load: ahead } = serve(minutes(monday, 5000), 2000);
    const next = (await loadMore(ahead, 1, { at: 5000 * 60, end: monday + 4999 * 60, secs: 60 }))!;
    expect(next.t[0]).toBe(monday);
  });

  it('are undefined at the end of the series', async () => {
    const { load, asked } = serve(minutes(0, 10));
    expect(await loadMore(load, -1, { at: 0, end: 0, secs: 60 })).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('time axis', () => {
  it('local time follows the change of clocks', () => {
    const local = createLocalTime('America/New_York');
    const hours = (iso: string) => (local(Date.parse(iso) / 1000) / 3600) % 24;
    expect(hours('2026-03-08T06:59:00Z')).toBeCloseTo(1.983, 2);
    expect(hours('2026-03-08T07:00:00Z')).toBe(3);
  });

  it('sessions begin after a break, and at midnight without breaks', () => {
    const session = (start: number, bars: number) => range(bars).map((i) => start + i * 60);
    expect(findSessions([...session(0, 30), ...session(86_400, 30)], 60, utc)).toEqual([0, 30]);
    expect(findSessions([...session(0, 30), ...session(32 * 60, 30)], 60, utc)).toEqual([0]); // two minutes without a trade
    const crypto = range(60).map((i) => 12 * 3600 + i * 3600);
    expect(findSessions(crypto, 3600, utc)).toEqual([0, 12, 36]);
    expect(findSessions([0, 86_400], 86_400, utc)).toEqual([]);
  });

  it('labels have round times, days where they change, and room', () => {
    const t = range(180).map((i) => 22.5 * 3600 + i * 60); // 22:30 to 1:30
    const labels = labelTimes(t, 0, 180, 5, utc);
    expect(labels.filter((l) => l.isDay).map((l) => l.index)).toEqual([90]);
    expect(labels.every((l) => (t[l.index]! / 60) % 15 === 0)).toBe(true);
    for (let i = 1; i < labels.length; i++)
      expect((labels[i]!.index - labels[i - 1]!.index) * 5).toBeGreaterThanOrEqual(72);
    expect(labels.length).toBeGreaterThan(4);
  });

  it('daily bars are labeled with days', () => {
    const t = range(30).map((i) => i * 86_400);
    const labels = labelTimes(t, 0, 30, 20, utc);
    expect(labels.map((l) => l.index).slice(0, 3)).toEqual([1, 5, 9]);
    expect(labels.every((l) => l.isDay)).toBe(true);
  });
});

describe('view', () => {
  it('stays within the bars', () => {
    expect(clampView({ from: -5, to: 35 }, 100)).toEqual({ from: 0, to: 40 });
    expect(clampView({ from: 90, to: 130 }, 100)).toEqual({ from: 60, to: 100 });
    expect(clampView({ from: 50, to: 51 }, 100)).toEqual({ from: 50, to: 62 });
    expect(clampView({ from: 0, to: 500 }, 5)).toEqual({ from: 0, to: 5 });
    expect(clampView({ from: 90, to: 130 }, 100, 10)).toEqual({ from: 70, to: 110 });
  });

  it('shows a trade with bars around it', () => {
    expect(viewAround(100, 110, 500)).toEqual({ from: 80, to: 131 });
  });

  it('zooms around the anchor and pans', () => {
    const view = { from: 100, to: 200 };
    const near = zoomView(view, 0.5, 120, 1000);
    expect(near).toEqual({ from: 110, to: 160 });
    expect((120 - near.from) / (near.to - near.from)).toBe(0.2);
    expect(zoomView(view, 100, 120, 1000)).toEqual({ from: 0, to: 1000 });
    expect(panView(view, -150, 1000)).toEqual({ from: 0, to: 100 });
  });

  it('moves only as far as needed to show a bar', () => {
    const view = { from: 100, to: 200 };
    expect(revealBar(view, 150, 1000)).toBe(view);
    expect(revealBar(view, 200, 1000)).toEqual({ from: 101, to: 201 });
    expect(revealBar(view, 90, 1000)).toEqual({ from: 90, to: 190 });
  });

  it('merges bars that would be too narrow', () => {
    expect([100, 400, 2000].map((to) => chooseGroup({ from: 0, to }, 600))).toEqual([1, 2, 10]);
  });

  it('leaves out a candle that would be cut at the left edge', () => {
    const candles = groupBars(makeBars(range(10).map(() => [1, 1, 1, 1])), 3, []); // 0 to 3, 6, 9 and 10
    const firsts = (from: number, to: number) => cutCandles(candles, { from, to }).map((c) => c.first);
    expect([firsts(0, 10), firsts(1, 10), firsts(3, 6), firsts(3, 6.5), firsts(3, 12)]).toEqual([
      [0, 3, 6, 9],
      [3, 6, 9],
      [3],
      [3, 6],
      [3, 6, 9],
    ]);
    expect(viewAround(100.4, 120.7, 1000)).toEqual({ from: 80, to: 142 });
  });

  it('finds the candle below the pointer', () => {
    const bars = makeBars(range(7).map(() => [1, 1, 1, 1]));
    const candles = groupBars(bars, 3, []);
    expect([-1, 0, 2.9, 3, 6.5, 7].map((at) => findCandle(candles, at))).toEqual([-1, 0, 0, 1, 2, -1]);
  });

  it('keys read, pan, zoom and reset', () => {
    const visible = { first: 10, last: 40 };
    expect(readKey('ArrowRight', false, -1, 100, visible)).toEqual({ kind: 'read', at: 10 });
    expect(readKey('ArrowLeft', false, -1, 100, visible)).toEqual({ kind: 'read', at: 40 });
    expect(readKey('ArrowRight', false, 20, 100, visible)).toEqual({ kind: 'read', at: 21 });
    expect(readKey('End', false, 20, 100, visible)).toEqual({ kind: 'read', at: 99 });
    expect(readKey('ArrowLeft', true, 20, 100, visible)).toEqual({ kind: 'pan', by: -0.25 });
    expect(readKey('+', true, 20, 100, visible)).toMatchObject({ kind: 'zoom' });
    expect(readKey('0', false, 20, 100, visible)).toEqual({ kind: 'reset' });
    expect(readKey('j', false, 20, 100, visible)).toBeNull();
  });
});

describe('marks', () => {
  const bars = makeBars([
    [1000, 1100, 900, 1050], // a buy at 10.20 in this bar
    [1050, 1080, 990, 1000],
    [1000, 1300, 950, 1200], // a sell at 11.00 in this bar
  ]);

  it('highs and lows of the bars with the first and last fill are only possible', () => {
    const long = { first: 20, last: 150, isLong: true };
    const extremes = findExtremes(bars, [fill(20, 10.2), fill(150, 11, 'sell')], long)!;
    expect(extremes.best).toEqual({ certain: 1100, possible: 1300 });
    expect(extremes.worst).toEqual({ certain: 990, possible: 900 });
    const short = findExtremes(bars, [fill(20, 10.2)], { ...long, isLong: false })!;
    expect(short.best).toEqual({ certain: 990, possible: 900 });
    expect([extremes.from, extremes.to]).toEqual([20 / 60, 2.5]);
  });

  it('a bar that is held whole is certain, also the last one of an open trade', () => {
    const open = findExtremes(bars, [fill(20, 10.2)], { first: 20, last: null, isLong: true })!;
    expect(open.best).toEqual({ certain: 1300, possible: 1300 });
    expect(open.to).toBe(3);
    // A fill at the end of a bar is not inside it.
    const whole = findExtremes(bars, [], { first: 20, last: 120, isLong: true })!;
    expect(whole.best.certain).toBe(1080);
    expect(findExtremes(bars, [], { first: 1000, last: 2000, isLong: true })).toBeNull();
  });

  it('counts fills outside of their bars and without one', () => {
    const fills = [fill(20, 10.2), fill(61, 10.81), fill(62, 9.9), fill(999, 10)];
    expect(checkFills(bars, fills)).toEqual({ checked: 3, outside: 1, missing: 1 });
  });

  it('the price range ignores levels that are far away', () => {
    const view = { from: 0, to: 2 };
    const candles = cutCandles(groupBars(bars, 1, []), view);
    expect(findPriceRange(candles, [], [], view)).toEqual([900 - 12, 1100 + 12]);
    expect(findPriceRange(candles, [], [1200, 5000], view)).toEqual([900 - 18, 1200 + 18]);
    expect(findPriceRange(candles, placeFills(bars, [fill(61, 12)]), [], view)[1]).toBe(1200 + 18);
    expect(findPriceRange([], [], [], view)).toEqual([0, 1]);
  });

  it('ticks of prices are whole units', () => {
    expect(tickPrices(900, 1100, 4)).toEqual([900, 950, 1000, 1050, 1100]);
    expect(tickPrices(3.2, 6.1, 10)).toEqual([4, 5, 6]);
  });

  it('labels do not overlap and stay inside', () => {
    expect(spreadLabels([50, 52, 10], 0, 100, 13)).toEqual([50, 63, 10]);
    expect(spreadLabels([-40, 300, 299], 0, 100, 13)).toEqual([0, 100, 87]);
  });
});

describe('replay', () => {
  const bars = makeBars(range(200).map(() => [1, 1, 1, 1]));
  const fills = [fill(100 * 60 + 30, 1), fill(110 * 60, 1), fill(120 * 60 + 59, 1, 'sell')];
  const held = { first: fills[0]!.second, last: fills[2]!.second, isLong: true };
  const course = planReplay(bars, held);

  it('starts 30 bars before the entry and ends after the exit', () => {
    expect(course).toEqual({ first: 71, last: 181 });
    expect(planReplay(bars, { ...held, last: null }).last).toBe(200);
    expect(planReplay(bars, { ...held, first: 0 }).first).toBe(1);
    expect([clampShown(5, course), clampShown(500, course)]).toEqual([71, 181]);
  });

  it('fills appear when their bar has ended', () => {
    expect([100, 101, 111, 121].map((shown) => fillsUntil(bars, fills, shown).length)).toEqual([0, 1, 2, 3]);
  });

  it('goes to the next and the previous fill, and to the ends', () => {
    expect([71, 101, 111, 121].map((shown) => findFill(bars, fills, shown, 1, course))).toEqual([
      101, 111, 121, 181,
    ]);
    expect([121, 115, 101].map((shown) => findFill(bars, fills, shown, -1, course))).toEqual([111, 111, 71]);
  });

  it('has keys for everything, and speeds that end', () => {
    expect([' ', 'ArrowRight', 'Home', 'x'].map((key) => readReplayKey(key, false))).toEqual([
      'toggle',
      'forward',
      'start',
      null,
    ]);
    expect(readReplayKey('ArrowLeft', true)).toBe('previous-fill');
    expect(readReplayKey('v', false)).toBe('reveal');
    expect([changeSpeed(2, 1), changeSpeed(1, -1), changeSpeed(30, 1)]).toEqual([5, 1, 30]);
  });

  it('finds the result at the close of a bar', () => {
    const running = {
      bar_secs: 60,
      t: [60, 120],
      position: [0, 2],
      pnl: [0, 12.5],
      r: null,
      mae_low: [0, 3],
      mae_high: [0, 4],
    };
    expect(findResult(running, 60, 120)).toEqual({
      ...{ position: 2, pnl: 12.5, r: null },
      mae: { low: 3, high: 4 },
    });
    expect(findResult({ ...running, mae_low: null }, 60, 120)?.mae).toBeNull();
    expect(findResult(running, 60, 180)).toBeUndefined();
    expect(findResult(running, 300, 120)).toBeUndefined();
  });

  it('shows the notes about an instant, by their first line', () => {
    const note = (id: string, occurred_at: string, title: string, body: string) => ({
      id,
      occurred_at,
      title,
      body,
    });
    expect(
      toChartNotes([
        note('b', '1970-01-01T00:02:00Z', '', 'wanted out\nbut stayed'),
        note('c', '1970-01-01', 'the day', ''),
        note('a', '1970-01-01T00:01:00Z', 'Early', 'x'),
      ]),
    ).toEqual([
      { id: 'a', second: 60, text: 'Early' },
      { id: 'b', second: 120, text: 'wanted out' },
    ]);
  });

  it('places corporate actions during a trade at the start of their days', () => {
    const action = (id: string, fields: object) => ({
      id,
      kind: 'split' as const,
      symbol: 'SPLT',
      new_symbol: null,
      ratio_new: 10,
      ratio_old: 1,
      cost_share: null,
      cash_per_share: null,
      effective_on: '2024-06-10',
      tz: 'America/New_York',
      applies_to: 'all' as const,
      account_ids: [],
      source: 'user' as const,
      note: '',
      created_at: '2024-06-10T00:00:00Z',
      updated_at: '2024-06-10T00:00:00Z',
      ...fields,
    });
    const trade = { account_id: 'a', symbols: ['SPLT'], opened_at: '2024-06-03T15:00:00Z', closed_at: null };
    expect(
      toChartActions(
        [
          action('during', { account_ids: ['a'] }),
          action('before', { effective_on: '2024-06-03' }),
          action('other symbol', { symbol: 'ELSE' }),
          action('other account', { account_ids: ['b'] }),
        ],
        trade,
      ),
    ).toEqual([
      {
        id: 'during',
        second: Date.parse('2024-06-10T04:00:00Z') / 1000,
        text: '10-for-1 split',
        isAction: true,
      },
    ]);
    expect(toChartActions([action('after', {})], { ...trade, closed_at: '2024-06-04T15:00:00Z' })).toEqual(
      [],
    );
  });

  it('adds quantities exactly', () => {
    const of = (quantity: number, side: 'buy' | 'sell') => ({ quantity, side });
    expect(sumQuantities([of(0.1, 'buy'), of(0.2, 'buy')])).toBe('0.3');
    expect(sumQuantities([of(1e-7, 'sell'), of(2, 'buy'), of(2, 'sell')])).toBe('-0.0000001');
    expect(sumQuantities([])).toBe('0');
  });
});
