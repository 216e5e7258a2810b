// The form for a trade that is entered by hand: its values, their checks, and the
// request that saves the fills and the annotations in one step.

import { answer, api, type Annotations, type Schemas } from '../../lib/api/client';
import type { ApiError } from '../../lib/api/errors';
import type { FieldErrors } from '../../lib/form.svelte';
import { toDecimal, type WithDecimals } from '../../lib/format/decimal';

export type Mode = 'trade' | 'fill';

export interface Leg {
  price: string;
  at: string;
  fees: string;
}

export interface Entry {
  account: string; // '' for the default account
  symbol: string;
  instrument: string;
  direction: 'long' | 'short';
  side: 'buy' | 'sell'; // of a single fill
  quantity: string;
  multiplier: string;
  right: string;
  strike: string;
  expiry: string;
  entry: Leg;
  exit: Leg;
  stop: string;
  target: string;
  risk: string;
  notes: string;
  setupIds: string[];
  tagIds: string[];
}

export function emptyEntry(): Entry {
  return {
    account: '',
    symbol: '',
    instrument: 'stock',
    direction: 'long',
    side: 'buy',
    quantity: '',
    multiplier: '',
    right: 'call',
    strike: '',
    expiry: '',
    entry: { price: '', at: '', fees: '' },
    exit: { price: '', at: '', fees: '' },
    stop: '',
    target: '',
    risk: '',
    notes: '',
    setupIds: [],
    tagIds: [],
  };
}

/** Returns what is missing or contradicts itself, by field. */
export function validateEntry(values: Entry, mode: Mode): FieldErrors {
  const errors: FieldErrors = {};
  if (!values.symbol.trim()) errors.symbol = 'Enter a symbol.';
  if (!values.quantity.trim()) errors.quantity = 'Enter a quantity.';
  if (!values.entry.price.trim()) errors['entry.price'] = 'Enter a price.';
  if (!values.entry.at) errors['entry.at'] = 'Enter a time.';
  if (mode === 'fill') return errors;
  const { price, at } = values.exit;
  if (price.trim() && !at) errors['exit.at'] = 'Enter a time, or clear the exit price.';
  if (at && !price.trim()) errors['exit.price'] = 'Enter a price, or clear the exit time.';
  if (at && values.entry.at && at < values.entry.at) errors['exit.at'] = 'The exit must be after the entry.';
  return errors;
}

const legFields: Record<string, string> = { price: 'price', executed_at: 'at', fees: 'fees' };
const fields: Record<string, string> = {
  account_id: 'account',
  stop_price: 'stop',
  target_price: 'target',
  initial_risk: 'risk',
};

/** Returns the field of the form that an error of the API belongs to, with its message. */
export function assignEntryError(error: ApiError): FieldErrors {
  if (!error.field) return {};
  const [, leg, name] = /^fills\.(\d+)\.(.+)$/.exec(error.field) ?? [];
  const message = error.message.replace(/^Fill \d+: /, '');
  if (name === undefined) return { [fields[error.field] ?? error.field]: message };
  const legField = legFields[name];
  return { [legField ? `${leg === '0' ? 'entry' : 'exit'}.${legField}` : name]: message };
}

/** Returns the fills of an entry: one, or two if the trade has an exit. */
function fillsOf(values: Entry, mode: Mode): WithDecimals<Schemas['NewFill']>[] {
  const first = mode === 'fill' ? values.side : values.direction === 'long' ? 'buy' : 'sell';
  const legs: [Leg, 'buy' | 'sell'][] = [[values.entry, first]];
  if (mode === 'trade' && values.exit.price.trim())
    legs.push([values.exit, first === 'buy' ? 'sell' : 'buy']);
  const details = optionDetails(values);
  return legs.map(([leg, side]) => ({
    symbol: values.symbol,
    instrument_type: values.instrument,
    side,
    quantity: toDecimal(values.quantity),
    price: toDecimal(leg.price),
    executed_at: leg.at,
    ...(leg.fees.trim() ? { fees: toDecimal(leg.fees) } : {}),
    ...(values.multiplier.trim() ? { multiplier: toDecimal(values.multiplier) } : {}),
    ...(details ? { details } : {}),
  }));
}

function optionDetails(values: Entry): Record<string, string> | null {
  if (values.instrument !== 'option') return null;
  return {
    option_right: values.right,
    ...(values.strike.trim() ? { strike: values.strike.trim() } : {}),
    ...(values.expiry ? { expiry: values.expiry } : {}),
  };
}

function annotationsOf(values: Entry, mode: Mode): Annotations {
  if (mode === 'fill') return {};
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
export function entryBody(values: Entry, mode: Mode, account: string) {
  return { account_id: account, fills: fillsOf(values, mode), ...annotationsOf(values, mode) };
}

export interface SavedEntry {
  trade: string; // the entered trade
  fills: string[]; // the fills that were added
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
    fills: [...new Set(trades.flatMap((t) => t.added_execution_ids))],
    isDuplicate: trades.some((t) => (t.deduped ?? 0) > 0),
    warnings: [...new Set(trades.flatMap((t) => t.warnings ?? []))],
  };
}

export async function saveEntry(values: Entry, mode: Mode, account: string): Promise<SavedEntry> {
  const body = entryBody(values, mode, account);
  return summarizeEntry(await answer(api.POST('/api/v1/trades', { body })));
}

export async function deleteFills(ids: string[]): Promise<void> {
  for (const id of ids) await answer(api.DELETE('/api/v1/executions/{id}', { params: { path: { id } } }));
}
