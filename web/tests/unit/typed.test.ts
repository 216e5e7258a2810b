import { describe, expect, test } from 'vitest';
import { hasDecimalComma, normalizeNumber } from '../../src/lib/format/typed';

describe('normalizeNumber', () => {
  test.each([
    ['1250.5', '1250.5'],
    [' 1 250.5 ', '1250.5'],
    ['1,5', '1.5'],
    ['0,125', '0.125'],
    ['0,12345678', '0.12345678'],
    ['1,250.50', '1250.50'],
    ['1.250,50', '1250.50'],
    ["1'250.50", '1250.50'],
    ['12,345,678', '12345678'],
    ['12.345.678', '12345678'],
    ['12.345.678,9', '12345678.9'],
    ['\u22125', '-5'],
    ['-0,5', '-0.5'],
    ['.5', '.5'],
    ['', ''],
  ])('%s becomes %s in every locale', (typed, read) => {
    expect(normalizeNumber(typed, false)).toBe(read);
    expect(normalizeNumber(typed, true)).toBe(read);
  });

  test('three digits after one comma depend on the locale', () => {
    expect(normalizeNumber('1,085', false)).toBe('1085');
    expect(normalizeNumber('1,085', true)).toBe('1.085');
  });

  test.each(['1,25,50', '1.2.3', '1,2.3,4', '12,34.5', '1.250,5,5', 'abc', '1e5', '5 %'])(
    '%s stays as it is and is invalid',
    (typed) => {
      const read = normalizeNumber(typed, false);
      expect(read).toBe(typed.replaceAll(' ', ''));
      expect(read).not.toMatch(/^[-+]?(\d+\.?\d*|\.\d+)$/);
    },
  );

  test('hasDecimalComma follows the locale', () => {
    expect(hasDecimalComma('de')).toBe(true);
    expect(hasDecimalComma('en-US')).toBe(false);
    expect(hasDecimalComma('de-CH')).toBe(false);
  });
});
