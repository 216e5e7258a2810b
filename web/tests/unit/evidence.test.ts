import { expect, test } from 'vitest';
import { biasText, chanceText, evidenceText, isClear } from '../../src/lib/evidence';

test('chance is unlikely below 5%, and possible with too few trades', () => {
  expect([0.049, 0.05, null].map((p) => chanceText(isClear(p)))).toEqual([
    'unlikely to be chance',
    'could be chance',
    'could be chance',
  ]);
});

test('words and interval of a row do not contradict each other', () => {
  const [without, above, having] = [
    { low: -92, high: -8 },
    { low: 3, high: 95 },
    { low: -8, high: 40 },
  ];
  expect(evidenceText(0.01, without)).toBe('unlikely to be chance');
  expect(evidenceText(0.2, without)).toBe('could be chance, as one of several');
  expect(evidenceText(0.2, above)).toBe('could be chance, as one of several');
  expect(evidenceText(null, above)).toBe('too few trades to tell');
  expect(evidenceText(0.2, having)).toBe('could be chance');
  expect(evidenceText(null, having)).toBe('could be chance');
  expect(evidenceText(null, null)).toBe('could be chance');
});

test('a tag that selects by the result is marked', () => {
  expect(biasText({ selects_winners: true, selects_losers: false })).toBe(
    'Only winners can have this tag, so the comparison is biased',
  );
  expect(biasText({ selects_winners: false, selects_losers: true })).toMatch(/^Only losers/);
  expect(biasText({ selects_winners: false, selects_losers: false })).toBe('');
});
