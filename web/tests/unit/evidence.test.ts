import { expect, test } from 'vitest';
import { biasText, chanceText, isClear } from '../../src/lib/evidence';

test('chance is unlikely below 5%, and possible with too few trades', () => {
  expect([0.049, 0.05, null].map((p) => chanceText(isClear(p)))).toEqual([
    'unlikely to be chance',
    'could be chance',
    'could be chance',
  ]);
});

test('a tag that selects by the result is marked', () => {
  expect(biasText({ selects_winners: true, selects_losers: false })).toBe(
    'Only winners can have this tag, so the comparison is biased',
  );
  expect(biasText({ selects_winners: false, selects_losers: true })).toMatch(/^Only losers/);
  expect(biasText({ selects_winners: false, selects_losers: false })).toBe('');
});
