import { describe, expect, it } from 'vitest';
import { accountsText, parseRatio, ratioText, titleOf } from '../../src/screens/actions/actions';

describe('corporate actions', () => {
  it.each([
    [{ kind: 'split' as const, symbol: 'NVDA', ratio_new: 10, ratio_old: 1 }, 'NVDA split', '10 for 1'],
    [{ kind: 'split' as const, symbol: 'USO', ratio_new: 1, ratio_old: 8 }, 'USO reverse split', '1 for 8'],
    [
      { kind: 'stock_dividend' as const, symbol: 'KO', ratio_new: 21, ratio_old: 20 },
      'KO stock dividend',
      '21 for 20',
    ],
  ])('names %o', (action, title, ratio) => {
    expect([titleOf(action), ratioText(action)]).toEqual([title, ratio]);
  });

  it('names the accounts', () => {
    const nameOf = (id: string) => id.toUpperCase();
    expect(accountsText({ account_ids: [] }, nameOf)).toBe('all accounts');
    expect(accountsText({ account_ids: ['a', 'b'] }, nameOf)).toBe('A, B');
  });

  it('reads whole ratios only', () => {
    expect(['10', '1', '0', '-2', '1.5', 'x', ''].map(parseRatio)).toEqual([
      10,
      1,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
