// Words about corporate actions.

import type { Schemas } from '../../lib/api/client';

type Action = Pick<Schemas['CorporateAction'], 'kind' | 'symbol' | 'ratio_new' | 'ratio_old' | 'account_ids'>;

/** Returns what an action is: "NVDA split". */
export function titleOf(action: Pick<Action, 'kind' | 'symbol' | 'ratio_new' | 'ratio_old'>): string {
  if (action.kind === 'stock_dividend') return `${action.symbol} stock dividend`;
  return `${action.symbol} ${action.ratio_new < action.ratio_old ? 'reverse split' : 'split'}`;
}

/** Returns a ratio as brokers write it: "10 for 1". */
export function ratioText(action: Pick<Action, 'ratio_new' | 'ratio_old'>): string {
  return `${action.ratio_new} for ${action.ratio_old}`;
}

/** Returns the accounts on which an action acts. */
export function accountsText(action: Pick<Action, 'account_ids'>, nameOf: (id: string) => string): string {
  return action.account_ids.length === 0 ? 'all accounts' : action.account_ids.map(nameOf).join(', ');
}

/** Returns a typed ratio as a whole number, or undefined. */
export function parseRatio(text: string): number | undefined {
  const n = Number(text);
  return Number.isSafeInteger(n) && n >= 1 && n <= 1_000_000_000_000 ? n : undefined;
}
