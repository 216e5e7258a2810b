import { describe, expect, it } from 'vitest';
import {
  bandPath,
  centerBefore,
  colorDepth,
  dropOverlaps,
  findNearest,
  findNearestPoint,
  fitAxis,
  linePath,
  pickEvenly,
  placeInBins,
  shownAtFirst,
  stepTo,
  textWidth,
  ticks,
  timeTicks,
} from '../../src/charts/scale';

describe('scale', () => {
  it('ticks are round and span the values', () => {
    expect(ticks(0, 97)).toEqual([0, 25, 50, 75, 100]);
    expect(ticks(-3, 8)).toEqual([-5, 0, 5, 10]);
    expect(ticks(5, 5)).toEqual([0, 5]);
    expect(ticks(NaN, 1)).toEqual([0]);
  });

  it('an axis ends shortly beyond its values, at no empty part', () => {
    const { range, marks } = fitAxis([0, -200, 25_500]);
    expect(range).toEqual([-1228, 26_528]);
    expect(marks).toEqual([0, 10_000, 20_000]);
    expect(fitAxis([5, 5])).toEqual({ range: [0, 5], marks: [0, 5] });
    expect(fitAxis([0, 0])).toEqual({ range: [0, 1], marks: [0, 1] });
  });

  it('times of an axis are firsts of months at an even distance, or days', () => {
    const at = (day: string) => Date.parse(`${day}T09:30:00Z`);
    const days = (from: string, to: string, wanted: number) =>
      timeTicks(at(from), at(to), wanted).map((ms) => new Date(ms).toISOString().slice(0, 10));
    expect(days('2024-11-18', '2026-11-18', 9)).toEqual([
      '2025-01-01',
      '2025-04-01',
      '2025-07-01',
      '2025-10-01',
      '2026-01-01',
      '2026-04-01',
      '2026-07-01',
      '2026-10-01',
    ]);
    expect(days('2026-03-02', '2026-03-06', 6)).toEqual([
      '2026-03-02',
      '2026-03-03',
      '2026-03-04',
      '2026-03-05',
    ]);
    expect(days('2026-08-20', '2026-11-18', 9)).toEqual([
      '2026-08-31',
      '2026-09-14',
      '2026-09-28',
      '2026-10-12',
      '2026-10-26',
      '2026-11-09',
    ]);
    expect(days('2010-06-01', '2026-06-01', 4)).toEqual(['2015-01-01', '2020-01-01', '2025-01-01']);
    expect(days('2026-03-02', '2026-03-02', 5)).toEqual([]);
  });

  it('stepTo moves within the points, from the last one at first', () => {
    expect(stepTo('ArrowLeft', -1, 40)).toBe(38);
    expect(stepTo('ArrowRight', 39, 40)).toBe(39);
    expect(stepTo('ArrowLeft', 0, 40)).toBe(0);
    expect([stepTo('PageUp', 20, 40), stepTo('Home', 20, 40), stepTo('End', 20, 40)]).toEqual([18, 0, 39]);
    expect([stepTo('a', 20, 40), stepTo('Home', -1, 0)]).toEqual([null, null]);
  });

  it('findNearest returns the index of the nearest point', () => {
    expect([
      findNearest([], 1),
      findNearest([5], 9),
      findNearest([0, 10, 20], 14),
      findNearest([0, 10, 20], 99),
    ]).toEqual([-1, 0, 1, 2]);
  });

  it('pickEvenly leaves room for each label', () => {
    expect(pickEvenly(10, 100, 30)).toEqual([0, 3, 6, 9]);
  });

  it('centerBefore keeps a label inside its chart', () => {
    const width = textWidth('Nov 2026');
    expect(centerBefore(300, 100, 'Nov 2026')).toBe(100);
    expect(centerBefore(300, 290, 'Nov 2026') + width / 2).toBe(300);
  });

  it('colorDepth separates a loss of 64 from one of 488', () => {
    expect(colorDepth(-488, 488) - colorDepth(-64, 488)).toBeGreaterThan(0.5);
  });

  it('findNearestPoint measures in both directions', () => {
    expect(findNearestPoint([0, 10, 10], [0, 50, 0], 9, 40)).toBe(1);
    expect(findNearestPoint([0, 10, 10], [0, 50, 0], 9, 4)).toBe(2);
    expect(findNearestPoint([], [], 1, 1)).toBe(-1);
  });

  it('paths go through the points, bands back along the lower bound', () => {
    expect(linePath([0, 2], [1, 3])).toBe('M0.0 1.0L2.0 3.0');
    expect(bandPath([0, 2], [1, 1], [3, 4])).toBe('M0.0 3.0L2.0 4.0L2.0 1.0L0.0 1.0Z');
  });

  it('dropOverlaps keeps labels apart', () => {
    const labels = [0, 10, 40, 200].map((at) => ({ at, text: '1.5 R' }));
    expect(dropOverlaps(labels).map((l) => l.at)).toEqual([0, 40, 200]);
  });
});

describe('bins and lists', () => {
  const bins = [
    { low: null, high: -1 },
    { low: -1, high: 0 },
    { low: 0, high: 2 },
    { low: 2, high: null },
  ];

  it('placeInBins finds the place of a value, in the middle of an open bin', () => {
    expect(placeInBins(-5, bins)).toBe(0.5);
    expect(placeInBins(-0.25, bins)).toBe(1.75);
    expect(placeInBins(0, bins)).toBe(2);
    expect(placeInBins(9, bins)).toBe(3.5);
    expect(placeInBins(2, bins.slice(0, 3))).toBe(3);
  });

  it('shownAtFirst never hides only a few', () => {
    expect(shownAtFirst(25, 24)).toBe(25);
    expect(shownAtFirst(15, 12)).toBe(15);
    expect(shownAtFirst(16, 12)).toBe(12);
  });
});
