// The types of cash transactions, with their labels.

import type { Schemas } from '../../lib/api/client';

export type CashType = Schemas['Cash']['type'];

export const cashTypes: { value: CashType; label: string }[] = [
  { value: 'deposit', label: 'Deposit' },
  { value: 'withdrawal', label: 'Withdrawal' },
  { value: 'fee', label: 'Fee' },
  { value: 'dividend', label: 'Dividend' },
  { value: 'interest', label: 'Interest' },
  { value: 'adjustment', label: 'Adjustment' },
];

export function cashLabel(type: CashType): string {
  return cashTypes.find((t) => t.value === type)?.label ?? type;
}

/** Explains how the sign of an amount counts for a type. */
export const cashHints: Record<CashType, string> = {
  deposit: 'Always counted as money in.',
  withdrawal: 'Always counted as money out.',
  fee: 'Always counted as money out.',
  dividend: 'Money in. Enter a negative amount for a charge.',
  interest: 'Money in. Enter a negative amount for a charge.',
  adjustment: 'Enter a negative amount for money out.',
};
