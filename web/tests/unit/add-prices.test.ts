import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../src/lib/api/client';
import { findDoubt, settle } from '../../src/screens/trades/addPrices';

type Series = Schemas['BarPreviewSeries'];

const series = (change: Partial<Series> = {}) =>
  ({ symbol: 'NQH5', bars: 100, fills_checked: 10, fills_inside: 10, proposed: null, ...change }) as Series;
const preview = (list: Series[], missing: string[] = []) =>
  ({ series: list, missing_mapping: missing }) as unknown as Schemas['BarPreview'];

describe('a file of prices for a trade', () => {
  it('is imported at once if nothing is in doubt', () => {
    expect(findDoubt(preview([series()]), 'NQH5')).toBe('');
    expect(findDoubt(preview([series({ fills_inside: 9 })]), 'NQH5')).toBe('');
    expect(settle(preview([series()]), 'NQH5')).toBeNull();
  });

  it('is checked first if it has no bars, other prices or other times', () => {
    expect(findDoubt(preview([series({ bars: 0 })]), 'NQH5')).toMatch(/no prices that can be read/);
    expect(findDoubt(preview([series({ fills_inside: 8 })]), 'NQH5')).toMatch(/outside the bars/);
    expect(findDoubt(preview([series({ symbol: 'ESH5', fills_checked: 0 })]), 'NQH5')).toBe(
      'The file has prices of ESH5, but none at the time of your fills in NQH5.',
    );
    expect(findDoubt(preview([series()], ['tz', 'bar_secs']), 'NQH5')).toBe(
      'The file doesn’t say its time zone and bar length.',
    );
  });

  it('is read again with the symbol it lacks and the reading that fits the fills', () => {
    const proposed = { tz: 'America/Chicago', stamp: 'close', price_scale: 0.01, fills_inside: 10 };
    const read = preview([series({ fills_inside: 2, proposed: proposed as Series['proposed'] })], ['symbol']);
    expect(settle(read, 'NQH5')).toEqual({
      symbol: 'NQH5',
      tz: 'America/Chicago',
      stamp: 'close',
      price_scale: '0.01',
    });
  });
});
