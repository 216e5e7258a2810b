import { expect, test } from 'vitest';
import { isDecimal, toDecimal, toDecimalOrNull } from '../../src/lib/format/decimal';

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
