import { expect, test } from 'vitest';
import { decimalText, isDecimal, toDecimal, toDecimalOrNull } from '../../src/lib/format/decimal';

test.each(['0', '-1', '+2.50', '.5', '5.', '123456789012345.000000000000000001'])(
  '%s is a decimal',
  (text) => {
    expect(isDecimal(text)).toBe(true);
  },
);

test.each(['', '.', '1,5', '1e5', '5 %', '--1', 'NaN', '1.2.3'])('%j is not a decimal', (text) => {
  expect(isDecimal(text)).toBe(false);
});

test('toDecimal keeps every digit', () => {
  expect(toDecimal(' 0.1000000000000000055 ')).toBe('0.1000000000000000055');
});

test('toDecimalOrNull clears an empty field', () => {
  expect(toDecimalOrNull('  ')).toBeNull();
  expect(toDecimalOrNull('0')).toBe('0');
});

test.each([
  [8.12e-7, '0.000000812'],
  [-1e-7, '-0.0000001'],
  [1.5e21, '1500000000000000000000'],
  [1250.5, '1250.5'],
  [0, '0'],
  [null, ''],
  [undefined, ''],
])('decimalText writes %s as %j', (value, text) => {
  expect(decimalText(value)).toBe(text);
});
