import { describe, expect, it } from 'vitest';
import { currencyDecimals } from '../../src/lib/format/format';
import { decimalsOf, roundedDifference } from '../../src/screens/reports/figures';

describe('a difference', () => {
  it('is that of the figures as they are written', () => {
    expect(roundedDifference(10.006, 9.994, 2)).toBe(0.02);
    expect(roundedDifference(0.33349, 0.33251, 3)).toBe(0);
    expect(roundedDifference(-0.004, 0.004, 2)).toBe(0);
    expect(roundedDifference(null, 1, 2)).toBeNull();
  });

  it('has the decimals of its kind', () => {
    expect(decimalsOf('money', 'USD')).toBe(2);
    expect(decimalsOf('money', 'JPY')).toBe(0);
    expect(decimalsOf('share', 'USD')).toBe(3);
    expect(currencyDecimals('USDT')).toBe(8);
  });
});
