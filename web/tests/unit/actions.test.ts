import { describe, expect, it } from 'vitest';
import { actionText } from '../../src/lib/actionText';
import { accountsText, parseRatio } from '../../src/screens/actions/actions';

describe('corporate actions', () => {
  it.each([
    [{ kind: 'split' as const, ratio_new: 10, ratio_old: 1 }, '10-for-1 split'],
    [{ kind: 'split' as const, ratio_new: 1, ratio_old: 8 }, '1-for-8 reverse split'],
    [{ kind: 'stock_dividend' as const, ratio_new: 21, ratio_old: 20 }, '21-for-20 stock dividend'],
    [{ kind: 'rename' as const, ratio_new: 1, ratio_old: 1, new_symbol: 'META' }, 'renamed to META'],
    [
      { kind: 'exchange' as const, ratio_new: 1, ratio_old: 2, new_symbol: 'NEW', cash_per_share: 4.5 },
      'exchanged for 1 NEW per 2 and 4.5 a share',
    ],
    [{ kind: 'spin_off' as const, ratio_new: 1, ratio_old: 3, new_symbol: 'KID' }, 'spin-off of 1 KID per 3'],
  ])('describes %o', (action, text) => {
    expect(actionText(action)).toBe(text);
  });

  it('names the accounts', () => {
    const nameOf = (id: string) => id.toUpperCase();
    expect(accountsText({ account_ids: [] }, nameOf)).toBe('All accounts');
    expect(accountsText({ account_ids: ['a', 'b'] }, nameOf)).toBe('A, B');
  });

  it('reads whole ratios only', () => {
    const typed = ['10', '1', '0', '-2', '1.5', 'x', ''];
    expect(typed.map(parseRatio)).toEqual([10, 1, ...Array<undefined>(5).fill(undefined)]);
  });
});
