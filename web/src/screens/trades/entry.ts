// The form for fills entered by hand: its values, their checks, and the
// request that saves the fills and the annotations in one step.

import { answer, api, type Annotations, type Schemas } from '../../lib/api/client';
import type { ApiError } from '../../lib/api/errors';
import type { FieldErrors } from '../../lib/form.svelte';
import { decimalText, isDecimal, toDecimal, type WithDecimals } from '../../lib/format/decimal';

export type Side = 'buy' | 'sell';

export interface FillRow {
  side: Side;
  quantity: string;
  price: string;
  at: string; // RFC 3339, '' if it is missing
  fees: string;
}

export interface Entry {
  account: string; // '' for the default account
  symbol: string;
  instrument: string;
  multiplier: string;
  right: string;
  strike: string;
  expiry: string;
  lot: string; // of the trade an exit belongs to
  fills: FillRow[];
  stop: string;
  target: string;
  risk: string;
  notes: string;
  setupIds: string[];
  tagIds: string[];
}

export function emptyEntry(now = ''): Entry {
  return {
    account: '',
    symbol: '',
    instrument: 'stock',
    multiplier: '',
    right: 'call',
    strike: '',
    expiry: '',
    lot: '',
    fills: [{ side: 'buy', quantity: '', price: '', at: now, fees: '' }],
    stop: '',
    target: '',
    risk: '',
    notes: '',
    setupIds: [],
    tagIds: [],
  };
}

type Detail = Schemas['TradeDetail'];

/** Returns a trade's instrument, account and contract. */
function instrumentOf(trade: Detail) {
  const [first] = trade.fills;
  const details = first?.details ?? {};
  return {
    account: trade.account_id,
    symbol: trade.symbol,
    instrument: trade.instrument_type,
    multiplier: first && first.multiplier !== 1 ? decimalText(first.multiplier) : '',
    right: details.option_right || 'call',
    strike: details.strike ?? '',
    expiry: details.expiry ?? '',
  };
}

/** Returns a new entry like a trade: its instrument, account, side, quantity and setups. */
export function copyEntry(trade: Detail, now: string): Entry {
  const side: Side = trade.direction === 'short' ? 'sell' : 'buy';
  return {
    ...emptyEntry(),
    ...instrumentOf(trade),
    fills: [{ side, quantity: decimalText(trade.qty_opened), price: '', at: now, fees: '' }],
    setupIds: [...trade.setup_ids],
  };
}

/** Returns the entry of an exit that closes what is open of a trade. */
export function exitEntry(trade: Detail, now: string): Entry {
  const side: Side = trade.direction === 'short' ? 'buy' : 'sell';
  return {
    ...emptyEntry(),
    ...instrumentOf(trade),
    lot: trade.fills[0]?.details.lot ?? '',
    fills: [{ side, quantity: decimalText(trade.qty_remaining), price: '', at: now, fees: '' }],
  };
}

interface Units {
  units: bigint;
  scale: number;
}

function parseUnits(text: string): Units | null {
  const typed = text.trim();
  if (!isDecimal(typed)) return null;
  const [whole, decimals = ''] = typed.replace('+', '').split('.') as [string, string?];
  return {
    units: BigInt((whole === '' || whole === '-' ? `${whole}0` : whole) + decimals),
    scale: decimals.length,
  };
}

/** Returns the quantity that rows leave open, and its side; null if a quantity is not a number. */
export function openQuantity(rows: FillRow[]): { side: Side; quantity: string } | null {
  const parsed = rows.map((row) => parseUnits(row.quantity));
  if (parsed.some((p) => p === null)) return null;
  const scale = Math.max(0, ...parsed.map((p) => p!.scale));
  let sum = 0n;
  for (const [i, p] of parsed.entries()) {
    const units = p!.units * 10n ** BigInt(scale - p!.scale);
    sum += rows[i]!.side === 'buy' ? units : -units;
  }
  const digits = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, '0');
  const decimals = digits.slice(digits.length - scale).replace(/0+$/, '');
  const whole = scale === 0 ? digits : digits.slice(0, digits.length - scale);
  return {
    side: sum < 0n ? 'sell' : 'buy',
    quantity: scale > 0 && decimals ? `${whole}.${decimals}` : whole,
  };
}

/** Returns the next row: it closes what is open, or repeats the side of the last one. */
export function nextRow(rows: FillRow[], at: string): FillRow {
  const open = openQuantity(rows);
  const last = rows.at(-1);
  const isOpen = open !== null && open.quantity !== '0';
  return {
    side: isOpen ? (open.side === 'buy' ? 'sell' : 'buy') : (last?.side ?? 'buy'),
    quantity: isOpen ? open.quantity : '',
    price: '',
    at,
    fees: '',
  };
}

export function isBlank(row: FillRow): boolean {
  return row.price.trim() === '' && row.fees.trim() === '';
}

/** Returns the rows to send: an empty last row is left out unless it is the only one. */
export function filledRows(rows: FillRow[]): FillRow[] {
  return rows.length > 1 && isBlank(rows.at(-1)!) ? rows.slice(0, -1) : rows;
}

/** Returns what is missing, by field. */
export function validateEntry(values: Entry): FieldErrors {
  const errors: FieldErrors = {};
  if (!values.symbol.trim()) errors.symbol = 'Enter a symbol.';
  for (const [i, row] of filledRows(values.fills).entries()) {
    if (!row.quantity.trim()) errors[`fills.${i}.quantity`] = 'Enter a quantity.';
    if (!row.price.trim()) errors[`fills.${i}.price`] = 'Enter a price.';
    if (!row.at) errors[`fills.${i}.at`] = 'Enter a time.';
  }
  return errors;
}

const rowFields: Record<string, string> = {
  side: 'side',
  quantity: 'quantity',
  price: 'price',
  executed_at: 'at',
  fees: 'fees',
};
const fields: Record<string, string> = {
  account_id: 'account',
  stop_price: 'stop',
  target_price: 'target',
  initial_risk: 'risk',
  'details.strike': 'strike',
  'details.expiry': 'expiry',
};

/** Returns the field of the form an error of the API belongs to, with its message. */
export function assignEntryError(error: ApiError): FieldErrors {
  if (!error.field) return {};
  const [, row, name] = /^fills\.(\d+)\.(.+)$/.exec(error.field) ?? [];
  const message = error.message.replace(/^Fill \d+: /, '');
  if (name === undefined) return { [fields[error.field] ?? error.field]: message };
  const rowField = rowFields[name];
  return { [rowField ? `fills.${row}.${rowField}` : (fields[name] ?? name)]: message };
}

function fillsOf(values: Entry): WithDecimals<Schemas['NewFill']>[] {
  const details = detailsOf(values);
  return filledRows(values.fills).map((row) => ({
    symbol: values.symbol,
    instrument_type: values.instrument,
    side: row.side,
    quantity: toDecimal(row.quantity),
    price: toDecimal(row.price),
    executed_at: row.at,
    ...(row.fees.trim() ? { fees: toDecimal(row.fees) } : {}),
    ...(values.multiplier.trim() ? { multiplier: toDecimal(values.multiplier) } : {}),
    ...(details ? { details } : {}),
  }));
}

function detailsOf(values: Entry): Record<string, string> | null {
  const option =
    values.instrument === 'option'
      ? {
          option_right: values.right,
          ...(values.strike.trim() ? { strike: values.strike.trim() } : {}),
          ...(values.expiry ? { expiry: values.expiry } : {}),
        }
      : {};
  const details = { ...option, ...(values.lot ? { lot: values.lot } : {}) };
  return Object.keys(details).length > 0 ? details : null;
}

function annotationsOf(values: Entry): Annotations {
  return {
    ...(values.notes.trim() ? { notes: values.notes } : {}),
    ...(values.setupIds.length > 0 ? { setup_ids: values.setupIds } : {}),
    ...(values.tagIds.length > 0 ? { tag_ids: values.tagIds } : {}),
    ...(values.stop.trim() ? { stop_price: toDecimal(values.stop) } : {}),
    ...(values.target.trim() ? { target_price: toDecimal(values.target) } : {}),
    ...(values.risk.trim() ? { initial_risk: toDecimal(values.risk) } : {}),
  };
}

/** Returns the body of POST /trades. */
export function entryBody(values: Entry, account: string) {
  return { account_id: account, fills: fillsOf(values), ...annotationsOf(values) };
}

/** Returns the body of POST /trades/preview, or null while a value is missing or not a number. */
export function previewBody(values: Entry, account: string) {
  const rows = filledRows(values.fills);
  const numbers = rows.flatMap((row) => [row.quantity, row.price, ...(row.fees.trim() ? [row.fees] : [])]);
  if (values.multiplier.trim()) numbers.push(values.multiplier);
  const isComplete =
    account !== '' &&
    values.symbol.trim() !== '' &&
    rows.every((row) => row.at !== '') &&
    numbers.every((text) => isDecimal(text.trim()));
  return isComplete ? { account_id: account, fills: fillsOf(values) } : null;
}

export interface SavedEntry {
  trade: string; // the entered trade
  isDuplicate: boolean; // a fill was already stored
  warnings: string[];
}

/** Summarizes the answer of POST /trades. A fill that crosses zero belongs to two trades; the entered trade is the
    one with most of the new fills. */
export function summarizeEntry(trades: Schemas['WrittenTrade'][]): SavedEntry {
  const added = (t: Schemas['WrittenTrade']) => t.added_execution_ids.length;
  const entered = trades.reduce((best, t) => (added(t) >= added(best) ? t : best));
  return {
    trade: entered.id,
    isDuplicate: trades.some((t) => (t.deduped ?? 0) > 0),
    warnings: [...new Set(trades.flatMap((t) => t.warnings ?? []))],
  };
}

export async function saveEntry(values: Entry, account: string): Promise<SavedEntry> {
  return summarizeEntry(await answer(api.POST('/api/v1/trades', { body: entryBody(values, account) })));
}
