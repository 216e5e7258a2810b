// Words about corporate actions.

import type { Schemas } from '../../lib/api/client';
import type { Kind } from '../../lib/api/queries.svelte';

type Action = Pick<Schemas['CorporateAction'], 'kind' | 'ratio_new' | 'ratio_old' | 'account_ids'>;

/** What is loaded again after a change to corporate actions. */
export const changedByActions: Kind[] = ['actions', 'trades', 'executions', 'analytics'];

/** Returns what an action does: "10-for-1 split". */
export function actionText({ kind, ratio_new, ratio_old }: Omit<Action, 'account_ids'>): string {
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
