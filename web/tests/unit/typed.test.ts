import { describe, expect, test } from 'vitest';
import { isDecimal } from '../../src/lib/format/decimal';
import { findReadings, normalizeNumber, numberSigns, showNumber } from '../../src/lib/format/typed';

const locales = ['en-US', 'de-DE', 'fr-FR', 'de-CH'];
const read = (typed: string, locale: string) => normalizeNumber(typed, numberSigns(locale));
const show = (value: string, locale: string) => showNumber(value, numberSigns(locale));

describe('normalizeNumber', () => {
  test.each([
    ['1250.5', '1250.5'],
    [' 1 250.5 ', '1250.5'],
    ['1\u202f250,5', '1250.5'],
    ['1,5', '1.5'],
    ['1.5', '1.5'],
    ['0,125', '0.125'],
    ['0.125', '0.125'],
    ['0,12345678', '0.12345678'],
    ['1.0850', '1.0850'],
    ['1,250.50', '1250.50'],
    ['1.250,50', '1250.50'],
    ["1'250.50", '1250.50'],
    ['1\u2019250.50', '1250.50'],
    ['12,345,678', '12345678'],
    ['12.345.678', '12345678'],
    ['12.345.678,9', '12345678.9'],
    ['123456789012345678.123456789', '123456789012345678.123456789'],
    ['\u22125', '-5'],
    ['-0,5', '-0.5'],
    ['.5', '.5'],
    ['', ''],
  ])('%s becomes %s in every locale', (typed, value) => {
    for (const locale of locales) expect(read(typed, locale)).toBe(value);
  });

  test.each([
    ['en-US', '1085', '1.085'],
    ['de-DE', '1.085', '1.085?'],
    ['fr-FR', '1.085', '1.085'],
    ['de-CH', '1,085?', '1.085'],
  ])('three digits after one separator in %s', (locale, afterComma, afterPoint) => {
    expect(read('1,085', locale)).toBe(afterComma);
    expect(read('1.085', locale)).toBe(afterPoint);
  });

  test.each(['1,25,50', '1.2.3', '1,2.3,4', '12,34.5', '1.250,5,5', 'abc', '1e5', '5 %'])(
    '%s stays as it is and is invalid',
    (typed) => {
      for (const locale of locales) {
        expect(read(typed, locale)).toBe(typed.replaceAll(' ', ''));
        expect(isDecimal(read(typed, locale))).toBe(false);
      }
    },
  );
});

describe('an ambiguous number', () => {
  test('is not a number for the API, and is shown as it was typed', () => {
    expect(isDecimal(read('-1.250', 'de-DE'))).toBe(false);
    expect(show(read('-1.250', 'de-DE'), 'de-DE')).toBe('-1.250');
  });

  test('has two readings, which are not ambiguous', () => {
    expect(findReadings(read('-1.250', 'de-DE'), numberSigns('de-DE'))).toEqual(['-1250', '-1,250']);
    expect(findReadings(read('1,250', 'de-CH'), numberSigns('de-CH'))).toEqual(['1250', '1.250']);
    for (const typed of ['1250', '1,250']) expect(isDecimal(read(typed, 'de-DE'))).toBe(true);
    expect(findReadings('1.250', numberSigns('de-DE'))).toBeNull();
  });
});

describe('showNumber', () => {
  test.each([
    ['en-US', '1250.5'],
    ['de-DE', '1250,5'],
    ['fr-FR', '1250,5'],
    ['de-CH', '1250.5'],
  ])('writes the decimal sign of %s', (locale, shown) => {
    expect(show('1250.5', locale)).toBe(shown);
  });

  test.each(locales)('what %s shows is read as the same number', (locale) => {
    for (const value of ['1.085', '-1.250', '0.00000001', '1250', '12345678.123', '.5', '1.', ''])
      expect(read(show(value, locale), locale)).toBe(value);
  });

  test('text that is not a number stays', () => {
    expect(show('1e-7', 'de-DE')).toBe('1e-7');
  });
});
