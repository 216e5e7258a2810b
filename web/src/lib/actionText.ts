// What a corporate action does, in words.

import type { Schemas } from './api/client';

type Action = Pick<Schemas['CorporateAction'], 'kind' | 'ratio_new' | 'ratio_old'> &
  Partial<Pick<Schemas['CorporateAction'], 'new_symbol' | 'cash_per_share'>>;

/** Returns what an action does: "10-for-1 split", "exchange for 1 NEW per 2". */
export function actionText(action: Action): string {
  const { kind, ratio_new, ratio_old, new_symbol, cash_per_share } = action;
  if (kind === 'rename') return `renamed to ${new_symbol ?? ''}`;
  if (kind === 'exchange') {
    const cash = cash_per_share == null ? '' : ` and ${cash_per_share} a share`;
    return `exchanged for ${ratio_new} ${new_symbol ?? ''} per ${ratio_old}${cash}`;
  }
  if (kind === 'spin_off') return `spin-off of ${ratio_new} ${new_symbol ?? ''} per ${ratio_old}`;
  const split = ratio_new < ratio_old ? 'reverse split' : 'split';
  return `${ratio_new}-for-${ratio_old} ${kind === 'stock_dividend' ? 'stock dividend' : split}`;
}
