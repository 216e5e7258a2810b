// How accounts and their cash are called.

import type { Schemas } from '../../lib/api/client';
import { accountTypes } from '../../lib/accountChoices';

export type CashType = Schemas['Cash']['type'];

export const cashTypes: { value: CashType; label: string }[] = [
  { value: 'deposit', label: 'Deposit' },
  { value: 'withdrawal', label: 'Withdrawal' },
  { value: 'fee', label: 'Fee' },
  { value: 'dividend', label: 'Dividend' },
  { value: 'interest', label: 'Interest' },
  { value: 'adjustment', label: 'Adjustment' },
];

export function cashName(type: CashType): string {
  return cashTypes.find((t) => t.value === type)?.label ?? type;
}

/** What the sign that is typed means for a type. */
export const cashHints: Record<CashType, string> = {
  deposit: 'Money in, whatever the sign.',
  withdrawal: 'Money out, whatever the sign.',
  fee: 'Money out, whatever the sign.',
  dividend: 'Money in; with a minus it is a charge.',
  interest: 'Money in; with a minus it is a charge.',
  adjustment: 'As you sign it: -5 takes 5 out.',
};

export function kindName(type: string): string {
  return accountTypes.find((t) => t.value === type)?.label ?? type;
}
