import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../src/lib/api/client';
import {
  describeFills,
  describeGaps,
  describeOverlaps,
  describeRange,
  isSameReading,
} from '../../src/screens/prices/describe';

const formats = {
  count: (n: number) => String(n),
  plural: (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`,
};

const series = {
  fills_checked: 12,
  fills_inside: 11,
  similar: false,
  overlaps: 0,
  conflicts: 0,
  gap_days: 0,
  tz: 'UTC',
  stamp: 'open',
  price_scale: 1,
  proposed: null,
} as unknown as Schemas['BarPreviewSeries'];

describe('the preview of bars', () => {
  it('counts fills, overlaps and gaps', () => {
    expect(describeFills(series, formats)).toBe('11 of 12 inside');
    expect(describeFills({ ...series, similar: true }, formats)).toBe('11 of 12 inside (other contract)');
    expect(describeFills({ ...series, fills_checked: 0 }, formats)).toBe('none in this range');
    expect(describeOverlaps(series, formats)).toBe('none');
    expect(describeOverlaps({ ...series, overlaps: 5 }, formats)).toBe('5');
    expect(describeOverlaps({ ...series, overlaps: 5, conflicts: 2 }, formats)).toBe(
      '5, 2 with other values that are replaced',
    );
    expect(describeGaps({ ...series, gap_days: 1 }, formats)).toBe('1 day');
  });

  it('writes a range of one day once', () => {
    const day = (at: string) => at.slice(0, 10);
    expect(describeRange('2026-03-02T14:30:00Z', '2026-03-02T20:59:00Z', day)).toBe('2026-03-02');
    expect(describeRange('2026-03-02T14:30:00Z', '2026-03-03T20:59:00Z', day)).toBe(
      '2026-03-02 – 2026-03-03',
    );
  });

  it('compares the proposal with what is used', () => {
    const proposed = {
      tz: 'UTC',
      stamp: 'open' as const,
      price_scale: 1,
      fills_checked: 12,
      fills_inside: 12,
      certain: true,
    };
    expect(isSameReading({ ...series, proposed })).toBe(true);
    expect(isSameReading({ ...series, proposed: { ...proposed, stamp: 'close' } })).toBe(false);
    expect(isSameReading(series)).toBe(false);
  });
});
