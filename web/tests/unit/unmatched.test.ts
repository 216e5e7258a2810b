import { describe, expect, it } from 'vitest';
import { problemText, repairText } from '../../src/screens/trades/unmatched';

describe('positions that lack something', () => {
  it.each([
    [
      { reason: 'expired_unclosed' as const, proposal: { kind: 'expiry', symbol: 'A' } },
      '2 still open after expiry',
      'Record expiry',
    ],
    [
      { reason: 'expired_unclosed' as const, proposal: { kind: 'assignment', symbol: 'A' } },
      '2 still open after expiry',
      'Record assignment',
    ],
    [
      {
        reason: 'split_suspected' as const,
        proposal: { kind: 'split', symbol: 'A', ratio_new: 3, ratio_old: 2 },
      },
      'Traded 2 more than you held. The price suggests a split.',
      'Record 3-for-2 split',
    ],
    [
      { reason: 'sold_without_purchase' as const, proposal: { kind: 'opening', symbol: 'A' } },
      'Sold 2 more than you held. The file says that the sale closed a position.',
      'Add opening position',
    ],
    [
      { reason: 'nothing_to_close' as const, proposal: { kind: 'opening', symbol: 'A' } },
      'Closed 2 without an open position',
      'Add opening position',
    ],
  ])('describes %o', (u, problem, label) => {
    expect([problemText(u, '2'), repairText(u)]).toEqual([problem, label]);
  });
});
