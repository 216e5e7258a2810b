// Words about corporate actions.

import type { Schemas } from '../../lib/api/client';
import type { Kind } from '../../lib/api/queries.svelte';

type Action = Pick<Schemas['CorporateAction'], 'kind' | 'account_ids'>;

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

/** Returns the accounts on which an action acts. */
export function accountsText(action: Pick<Action, 'account_ids'>, nameOf: (id: string) => string): string {
  return action.account_ids.length === 0 ? 'All accounts' : action.account_ids.map(nameOf).join(', ');
}

/** Returns a typed ratio as a whole number, or undefined. */
export function parseRatio(text: string): number | undefined {
  const n = Number(text);
  return Number.isSafeInteger(n) && n >= 1 && n <= 1_000_000_000_000 ? n : undefined;
}
