// Words for a trade that several parts of the screen use.

import type { Schemas } from '../../lib/api/client';
import { hidden, nothing, quantity, type Amount, type Notation } from '../../lib/format/format';

type Named = Pick<Schemas['Trade'], 'symbol' | 'option_right' | 'strike' | 'expiry'>;

/** 255P 18 Dec for an option, else nothing. */
export function contractDetail(trade: Named, expiry: (day: string) => string): string {
  if (!trade.option_right) return '';
  const right = trade.option_right.slice(0, 1).toUpperCase();
  return [`${trade.strike ?? ''}${right}`, trade.expiry ? expiry(trade.expiry) : ''].join(' ').trim();
}

/** AAPL, or AAPL 255 put 18 Dec for an option. */
export function contract(trade: Named, expiry: (day: string) => string): string {
  if (!trade.option_right) return trade.symbol;
  const parts = [trade.symbol, trade.strike, trade.option_right, trade.expiry ? expiry(trade.expiry) : null];
  return parts.filter((p) => p !== null).join(' ');
}

/** An average price, as many decimals as its size calls for: averages do not end. */
export function averagePrice(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  const size = Math.abs(Number(value));
  const most = size >= 1000 ? 2 : size >= 10 ? 4 : size >= 0.1 ? 5 : 10;
  return new Intl.NumberFormat(n.locale, { minimumFractionDigits: 2, maximumFractionDigits: most })
    .format(value as number)
    .replace('-', '\u2212');
}

/** How much: with prices beside it this tells the amount, so it hides with the amounts. */
export function size(value: Amount | null | undefined, n: Notation): string {
  return n.hideAmounts && value !== null && value !== undefined ? hidden : quantity(value, n);
}

export const grades: Record<number, string> = {
  1: 'Poor',
  2: 'Weak',
  3: 'Fair',
  4: 'Good',
  5: 'Excellent',
};

export const feelings = ['calm', 'confident', 'anxious', 'fearful', 'greedy', 'frustrated', 'bored', 'tired'];

export const instruments = [
  { value: 'stock', label: 'Stock or ETF' },
  { value: 'option', label: 'Option' },
  { value: 'future', label: 'Future' },
  { value: 'forex', label: 'Forex' },
  { value: 'crypto', label: 'Crypto' },
  { value: 'cfd', label: 'CFD' },
];
