// Words about positions that seem to lack a fill or a split.

import type { Schemas } from '../../lib/api/client';

export type Unmatched = Schemas['UnmatchedPosition'];

/** Returns what is wrong with a position. quantity is written out. */
export function problemText(u: Pick<Unmatched, 'reason' | 'proposal'>, quantity: string): string {
  switch (u.reason) {
    case 'sold_without_purchase':
      return `Sold ${quantity} more than you held. The file says that the sale closed a position.`;
    case 'expired_unclosed':
      return `${quantity} still open after expiry`;
    case 'split_suspected':
      return `Traded ${quantity} more than you held. The price suggests a split.`;
    case 'nothing_to_close':
      return `Closed ${quantity} without an open position`;
  }
}

const kinds: Record<string, string> = {
  expiry: 'Record expiry',
  assignment: 'Record assignment',
  exercise: 'Record exercise',
  opening: 'Add opening position',
};

/** Returns the label of the button that repairs a position. */
export function repairText({ reason, proposal: p }: Pick<Unmatched, 'reason' | 'proposal'>): string {
  if (reason === 'split_suspected') return `Record ${p.ratio_new}-for-${p.ratio_old} split`;
  return kinds[p.kind] ?? 'Repair';
}
