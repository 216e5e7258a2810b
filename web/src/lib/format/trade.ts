// How the page writes what is specific to trades: contracts, average prices and
// sizes.

import { date, hidden, nothing, quantity, type Amount, type Notation } from './format';

export interface Contract {
  symbol: string;
  option_right: string | null;
  strike: number | null;
  expiry: string | null;
}

/** An option's terms, such as 255P 18 Dec; '' for other instruments. */
export function contractTerms(trade: Contract, n: Notation): string {
  if (!trade.option_right) return '';
  const right = trade.option_right.slice(0, 1).toUpperCase();
  return `${strike(trade, n)}${right} ${trade.expiry ? date(trade.expiry, n, 'short') : ''}`.trim();
}

/** The symbol, and an option's terms in words: AAPL 255 put 18 Dec. */
export function contractName(trade: Contract, n: Notation): string {
  if (!trade.option_right) return trade.symbol;
  const expiry = trade.expiry ? date(trade.expiry, n, 'short') : '';
  return [trade.symbol, strike(trade, n), trade.option_right, expiry].filter(Boolean).join(' ');
}

/** A strike price has no separators of thousands: 5800C. */
function strike(trade: Contract, n: Notation): string {
  if (trade.strike === null) return '';
  const digits = new Intl.NumberFormat(n.locale, { useGrouping: false, maximumFractionDigits: 10 });
  return digits.format(trade.strike);
}

/** An average price with a number of decimals that fits its size, since an average may have endless ones. */
export function averagePrice(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  const size = Math.abs(Number(value));
  const most = size >= 1000 ? 2 : size >= 10 ? 4 : size >= 0.1 ? 5 : 10;
  return new Intl.NumberFormat(n.locale, { minimumFractionDigits: 2, maximumFractionDigits: most })
    .format(value as number)
    .replace('-', '\u2212');
}

/** A trade's quantity. It is hidden together with amounts, because with the prices it reveals them. */
export function tradeQuantity(value: Amount | null | undefined, n: Notation): string {
  return n.hideAmounts && value !== null && value !== undefined ? hidden : quantity(value, n);
}
