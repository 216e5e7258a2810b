import { describe, expect, it } from 'vitest';
import { defaultMultiplier, previewNet, type EnteredTrade } from '../../src/screens/trades/preview';

const long: EnteredTrade = {
  direction: 'long',
  quantity: '100',
  entry: '10.1',
  exit: '12.2',
  fees: ['', ''],
  multiplier: '1',
};

describe('previewNet', () => {
  it.each([
    ['a long trade', {}, '210'],
    ['a short trade', { direction: 'short' as const }, '-210'],
    ['a multiplier', { multiplier: '50' }, '10500'],
    ['fees of both legs', { fees: ['1.50', '0.25'] }, '208.25'],
    ['a rebate', { fees: ['-1.5'] }, '211.5'],
    ['breakeven', { exit: '10.10' }, '0'],
    ['a number without digits before the point', { quantity: '.5' }, '1.05'],
    ['a fraction below one', { quantity: '0.001', exit: '10.2' }, '0.0001'],
  ])('computes %s', (_, change, net) => {
    expect(previewNet({ ...long, ...change })).toBe(net);
  });

  it('is exact where floats are not', () => {
    expect(previewNet({ ...long, quantity: '3', entry: '0.1', exit: '0.3' })).toBe('0.6');
    const large = { quantity: '123456789012345678', entry: '0.000000000000000001', exit: '1' };
    expect(previewNet({ ...long, ...large })).toBe('123456789012345677.876543210987654322');
  });

  it.each([
    ['no exit', { exit: '' }],
    ['no multiplier', { multiplier: '' }],
    ['a quantity that is not a number', { quantity: 'many' }],
    ['an unfinished number', { entry: '-' }],
    ['fees that are not a number', { fees: ['1,5'] }],
  ])('returns null for %s', (_, change) => {
    expect(previewNet({ ...long, ...change })).toBeNull();
  });
});

describe('defaultMultiplier', () => {
  it('is 100 for options, 1 for stocks and unknown for futures', () => {
    expect(['option', 'stock', 'forex', 'future'].map(defaultMultiplier)).toEqual(['100', '1', '1', '']);
  });
});
