// What the import calls things: targets of a mapping, states of a batch, items
// of a reconciliation, and the questions that warnings of the server are.

import type { Schemas } from '../../lib/api/client';

export interface Target {
  id: string;
  label: string;
  hint: string;
}

/** In the order a reader thinks of them. */
export const targets: Target[] = [
  { id: 'symbol', label: 'Symbol', hint: 'AAPL, ESZ6, BTC-USD' },
  { id: 'side', label: 'Side', hint: 'buy or sell; without it the sign of the quantity decides' },
  { id: 'quantity', label: 'Quantity', hint: 'shares, contracts or lots' },
  { id: 'price', label: 'Price', hint: 'of one unit' },
  { id: 'executed_at', label: 'Date and time', hint: 'in one column' },
  { id: 'date', label: 'Date', hint: 'where the time has its own column' },
  { id: 'time', label: 'Time', hint: 'where the date has its own column' },
  { id: 'fees', label: 'Fees', hint: '' },
  { id: 'commission', label: 'Commission', hint: '' },
  { id: 'swap', label: 'Swap', hint: 'overnight financing' },
  { id: 'currency', label: 'Currency', hint: '' },
  { id: 'external_id', label: 'Fill id', hint: 'the broker’s own number; finds duplicates for certain' },
  { id: 'instrument_type', label: 'Instrument', hint: 'stock, option, future, forex, crypto' },
  { id: 'multiplier', label: 'Multiplier', hint: '' },
  { id: 'option_right', label: 'Call or put', hint: '' },
  { id: 'strike', label: 'Strike', hint: '' },
  { id: 'expiry', label: 'Expiry', hint: '' },
  { id: 'open_time', label: 'Opened at', hint: 'one row is one round trip' },
  { id: 'open_price', label: 'Entry price', hint: '' },
  { id: 'close_time', label: 'Closed at', hint: '' },
  { id: 'close_price', label: 'Exit price', hint: '' },
];

/** Those that nearly every file has; the rest is shown on demand. */
export const usual = ['symbol', 'side', 'quantity', 'price', 'executed_at', 'fees', 'commission'];

export function targetName(id: string): string {
  return targets.find((t) => t.id === id)?.label ?? id;
}

export type Status = Schemas['ImportBatch']['status'];

export const statusNames: Record<Status, string> = {
  pending: 'Not finished',
  committed: 'Imported',
  failed: 'Failed',
  reversed: 'Reversed',
};

export const statusTones: Record<Status, 'plain' | 'accent' | 'warn' | 'loss'> = {
  pending: 'warn',
  committed: 'accent',
  failed: 'loss',
  reversed: 'plain',
};

export const stageNames: Record<Schemas['ImportProgress']['stage'], string> = {
  checking: 'Checking against what is stored',
  writing: 'Writing fills and grouping trades',
  annotating: 'Adding notes and tags',
};

const items: Record<string, string> = {
  closed_pnl: 'Closed P&L',
  commission: 'Commission',
  swap: 'Swap',
  fees: 'Fees',
  deposits: 'Deposits and withdrawals',
  balance: 'Balance',
};

export function itemName(item: string): string {
  const known = items[item];
  if (known) return known;
  const words = item.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export interface Question {
  text: string;
  about: 'zone' | 'order' | 'mapping' | null; // what can be set to settle it
}

/** A warning speaks of the form fields of the API; the page asks instead. */
export function questionOf(warning: string): Question {
  const about = /source_tz/.test(warning)
    ? 'zone'
    : /date_order/.test(warning)
      ? 'order'
      : /column_mapping/.test(warning)
        ? 'mapping'
        : null;
  const sentences = warning.match(/[^.!?]+(?:[.!?](?=\S)[^.!?]*)*[.!?]?\s*/g) ?? [warning];
  const kept = sentences
    .filter((s) => !/source_tz|date_order|column_mapping/.test(s))
    .join('')
    .trim();
  return { text: kept || warning, about };
}
