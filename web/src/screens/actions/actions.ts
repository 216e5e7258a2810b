// Words about corporate actions.

import type { Schemas } from '../../lib/api/client';
import type { Kind } from '../../lib/api/queries.svelte';

type Action = Pick<Schemas['CorporateAction'], 'kind' | 'ratio_new' | 'ratio_old' | 'account_ids'> &
  Partial<Pick<Schemas['CorporateAction'], 'new_symbol' | 'cash_per_share'>>;

/** The kinds with their names. */
export const kinds: { value: Action['kind']; label: string }[] = [
  { value: 'split', label: 'Split' },
  { value: 'stock_dividend', label: 'Stock dividend' },
  { value: 'rename', label: 'Rename' },
  { value: 'exchange', label: 'Exchange' },
  { value: 'spin_off', label: 'Spin-off' },
];

/** Returns whether a kind has a second symbol. */
export const hasNewSymbol = (kind: Action['kind']): boolean =>
  kind === 'rename' || kind === 'exchange' || kind === 'spin_off';

/** What is loaded again after a change to corporate actions. */
export const changedByActions: Kind[] = ['actions', 'trades', 'executions', 'analytics'];

/** Returns what an action does: "10-for-1 split", "exchange for 1 NEW per 2". */
export function actionText(action: Omit<Action, 'account_ids'>): string {
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

/** Returns the accounts on which an action acts. */
export function accountsText(action: Pick<Action, 'account_ids'>, nameOf: (id: string) => string): string {
  return action.account_ids.length === 0 ? 'All accounts' : action.account_ids.map(nameOf).join(', ');
}

/** Returns a typed ratio as a whole number, or undefined. */
export function parseRatio(text: string): number | undefined {
  const n = Number(text);
  return Number.isSafeInteger(n) && n >= 1 && n <= 1_000_000_000_000 ? n : undefined;
}
