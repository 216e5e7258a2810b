// The values of the form that edits a fill.

import type { Schemas } from '../../lib/api/client';
import { decimalText, toDecimal, type Decimal } from '../../lib/format/decimal';

export interface FillValues {
  side: string;
  quantity: string;
  price: string;
  fees: string;
  commission: string;
  executed_at: string;
}

export function fillValues(fill: Schemas['TradeFill']): FillValues {
  return {
    side: fill.side,
    quantity: decimalText(fill.quantity),
    price: decimalText(fill.price),
    fees: decimalText(fill.fees),
    commission: decimalText(fill.commission),
    executed_at: fill.executed_at,
  };
}

export type FillChange = {
  side?: 'buy' | 'sell';
  quantity?: Decimal;
  price?: Decimal;
  fees?: Decimal;
  commission?: Decimal;
  executed_at?: string;
};

/** Returns the fields that differ. Others are not sent: a number that was read as a float would be stored rounded. */
export function changedFields(before: FillValues, after: FillValues): FillChange {
  const change: FillChange = {};
  if (after.side !== before.side) change.side = after.side as 'buy' | 'sell';
  for (const name of ['quantity', 'price', 'fees', 'commission'] as const) {
    if (after[name] !== before[name]) change[name] = toDecimal(after[name] || '0');
  }
  if (after.executed_at !== before.executed_at) change.executed_at = after.executed_at;
  return change;
}
