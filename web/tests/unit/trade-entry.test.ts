// @vitest-environment jsdom

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/lib/api/errors';
import { applyChange, withAnnotations } from '../../src/screens/trades/annotate';
import {
  assignEntryError,
  copyEntry,
  emptyEntry,
  entryBody,
  exitEntry,
  nextRow,
  openQuantity,
  previewBody,
  summarizeEntry,
  validateEntry,
  type Entry,
  type FillRow,
} from '../../src/screens/trades/entry';
import { changedFields, fillValues } from '../../src/screens/trades/fill';
import { parsePastedFills } from '../../src/screens/trades/paste';

const at = '2026-03-02T14:30:00Z';
const row = (change: Partial<FillRow> = {}): FillRow => ({
  side: 'buy',
  quantity: '100',
  price: '10.1',
  at,
  fees: '',
  ...change,
});
const exit = row({ side: 'sell', price: '12.2', at: '2026-03-02T15:30:00Z', fees: '1.50' });
const entry = (change: Partial<Entry> = {}): Entry => ({
  ...emptyEntry(),
  symbol: 'AAPL',
  fills: [row()],
  ...change,
});

describe('validateEntry', () => {
  it('requires symbol, quantity, price and time', () => {
    expect(Object.keys(validateEntry(emptyEntry()))).toEqual([
      'symbol',
      'fills.0.quantity',
      'fills.0.price',
      'fills.0.at',
    ]);
    expect(validateEntry(entry({ fills: [row(), exit] }))).toEqual({});
  });

  it('leaves out an empty last row, but not one in between', () => {
    const blank = row({ side: 'sell', price: '' });
    expect(validateEntry(entry({ fills: [row(), blank] }))).toEqual({});
    expect(Object.keys(validateEntry(entry({ fills: [row(), blank, exit] })))).toEqual(['fills.1.price']);
  });
});

describe('openQuantity', () => {
  it('is exact, with its side', () => {
    expect(openQuantity([row(), exit])).toEqual({ side: 'buy', quantity: '0' });
    expect(openQuantity([row({ quantity: '0.3' }), row({ side: 'sell', quantity: '0.1' })])).toEqual({
      side: 'buy',
      quantity: '0.2',
    });
    expect(openQuantity([row({ side: 'sell', quantity: '.25' })])).toEqual({
      side: 'sell',
      quantity: '0.25',
    });
    expect(openQuantity([row({ quantity: '10' }), row({ quantity: '2.50' })])).toEqual({
      side: 'buy',
      quantity: '12.5',
    });
    expect(openQuantity([row({ quantity: '' })])).toBeNull();
  });
});

describe('nextRow', () => {
  it('closes what is open', () => {
    expect(nextRow([row()], 'now')).toEqual({
      side: 'sell',
      quantity: '100',
      price: '',
      at: 'now',
      fees: '',
    });
    expect(nextRow([row({ side: 'sell' }), row({ quantity: '40' })], 'now')).toMatchObject({
      side: 'buy',
      quantity: '60',
    });
  });

  it('repeats the side of the last row if nothing is open', () => {
    expect(nextRow([row(), exit], 'now')).toMatchObject({ side: 'sell', quantity: '' });
  });
});

describe('entryBody', () => {
  it('has a fill for each row', () => {
    const body = entryBody(
      entry({ fills: [row({ side: 'sell' }), row({ price: '12.2', fees: '1.50' })] }),
      'main',
    );
    expect(body.account_id).toBe('main');
    expect(body.fills.map((f) => [f.side, f.price, f.fees])).toEqual([
      ['sell', '10.1', undefined],
      ['buy', '12.2', '1.50'],
    ]);
  });

  it('has only the annotations that were entered', () => {
    const body = entryBody(entry({ stop: '9.1', tagIds: ['t'] }), 'main');
    expect(body).toMatchObject({ stop_price: '9.1', tag_ids: ['t'] });
    expect(Object.keys(body)).toHaveLength(4);
  });

  it('has the contract of an option', () => {
    const option = { instrument: 'option', right: 'put', strike: '255', expiry: '2026-12-18' };
    expect(entryBody(entry(option), 'main').fills[0]!.details).toEqual({
      option_right: 'put',
      strike: '255',
      expiry: '2026-12-18',
    });
    expect(entryBody(entry(), 'main').fills[0]).not.toHaveProperty('details');
  });
});

describe('previewBody', () => {
  it('is null until every value is a number', () => {
    expect(previewBody(entry(), 'main')).toMatchObject({ account_id: 'main', fills: [{ side: 'buy' }] });
    expect(previewBody(entry(), '')).toBeNull();
    expect(previewBody(entry({ fills: [row({ price: '1,2x' })] }), 'main')).toBeNull();
    expect(previewBody(entry({ fills: [row({ fees: 'x' })] }), 'main')).toBeNull();
    expect(previewBody(entry({ fills: [row({ at: '' })] }), 'main')).toBeNull();
  });
});

describe('entries from a trade', () => {
  const trade = {
    account_id: 'main',
    symbol: 'ESZ6',
    instrument_type: 'future',
    direction: 'short',
    qty_opened: 3,
    qty_remaining: 2,
    setup_ids: ['orb'],
    fills: [{ multiplier: 50, details: { lot: '7' } }],
  } as never;

  it('copy the instrument, side and quantity', () => {
    expect(copyEntry(trade, at)).toMatchObject({
      account: 'main',
      symbol: 'ESZ6',
      multiplier: '50',
      lot: '',
      setupIds: ['orb'],
      fills: [{ side: 'sell', quantity: '3', price: '', at }],
    });
  });

  it('close what is open of the same lot', () => {
    const body = entryBody({ ...exitEntry(trade, at), fills: [row({ side: 'buy', quantity: '2' })] }, 'main');
    expect(exitEntry(trade, at).fills).toEqual([{ side: 'buy', quantity: '2', price: '', at, fees: '' }]);
    expect(body.fills[0]).toMatchObject({ symbol: 'ESZ6', multiplier: '50', details: { lot: '7' } });
  });
});

describe('parsePastedFills', () => {
  const english = { decimal: '.', group: ',' } as const;

  it('reads rows of a spreadsheet, with and without a header', () => {
    const text =
      'Side\tQty\tPrice\tTime\tFees\nBUY\t1,000\t10.5\t2026-03-02 9:30\t1.2\nsold\t-1000\t11\t\t\n';
    expect(parsePastedFills(text, 'America/New_York', english)).toEqual([
      { side: 'buy', quantity: '1000', price: '10.5', at: '2026-03-02T14:30:00Z', fees: '1.2' },
      { side: 'sell', quantity: '1000', price: '11', at: '', fees: '' },
    ]);
    expect(parsePastedFills('b\t1\t1,5', 'UTC', { decimal: ',', group: '.' })).toMatchObject([
      { price: '1.5' },
    ]);
  });

  it('leaves other text alone', () => {
    expect(parsePastedFills('10.5', 'UTC', english)).toBeNull();
    expect(parsePastedFills('a\tb\nc\td', 'UTC', english)).toBeNull();
  });
});

describe('assignEntryError', () => {
  const assign = (field: string, message = 'Wrong.') =>
    assignEntryError(new ApiError(422, 'invalid', message, field));

  it('finds the field of the form', () => {
    expect(assign('fills.0.price', 'Fill 1: price is missing.')).toEqual({
      'fills.0.price': 'price is missing.',
    });
    expect(assign('fills.1.executed_at')).toEqual({ 'fills.1.at': 'Wrong.' });
    expect(assign('fills.1.multiplier')).toEqual({ multiplier: 'Wrong.' });
    expect(assign('fills.0.details.strike')).toEqual({ strike: 'Wrong.' });
    expect(assign('account_id')).toEqual({ account: 'Wrong.' });
    expect(assign('stop_price')).toEqual({ stop: 'Wrong.' });
  });

  it('leaves an error without a field to the form', () => {
    expect(assignEntryError(new ApiError(500, 'internal', 'Failed.'))).toEqual({});
  });
});

describe('summarizeEntry', () => {
  const written = (id: string, added: string[], deduped?: number) =>
    ({ id, added_execution_ids: added, deduped, warnings: ['check it'] }) as never;

  it('opens the trade that has both fills', () => {
    const saved = summarizeEntry([written('old', ['a']), written('new', ['a', 'b'])]);
    expect(saved).toEqual({ trade: 'new', isDuplicate: false, warnings: ['check it'] });
  });

  it('reports fills that were already stored', () => {
    expect(summarizeEntry([written('old', [], 2)])).toMatchObject({
      trade: 'old',
      isDuplicate: true,
    });
  });
});

describe('changedFields', () => {
  it('has only fields that differ', () => {
    const before = fillValues({
      side: 'buy',
      quantity: 1,
      price: 10,
      fees: 1,
      commission: 0,
      executed_at: '2026-03-02T14:30:00Z',
    } as never);
    expect(changedFields(before, before)).toEqual({});
    expect(changedFields(before, { ...before, side: 'sell', price: '10.10', fees: '' })).toEqual({
      side: 'sell',
      price: '10.10',
      fees: '0',
    });
  });
});

describe('bulk changes', () => {
  const late = { id: 'late', name: 'Late', color: '#000', kind: 'tag' } as never;
  const trade = (id: string, tags: string[], reviewed_at: string | null = null) =>
    ({ id, tag_ids: tags, tags: [], setup_ids: ['orb'], reviewed_at }) as never;

  it('are shown before the list is fetched again', () => {
    const change = { add_tag_ids: ['late'], remove_tag_ids: ['early'], set: { reviewed: true } };
    const now = '2026-03-02T00:00:00Z';
    expect(applyChange(trade('1', ['early']), change, [late], now)).toMatchObject({
      tag_ids: ['late'],
      tags: [late],
      setup_ids: ['orb'],
      reviewed_at: now,
    });
    expect(applyChange(trade('2', [], 'before'), change, [late], now)).toMatchObject({
      reviewed_at: 'before',
    });
  });
});

describe('withAnnotations', () => {
  it('shows pending annotations', () => {
    const stored = { notes: 'old', setup_ids: ['a'], reviewed_at: null } as never;
    expect(withAnnotations(stored, { notes: 'new', setup_id: null })).toMatchObject({
      notes: 'new',
      setup_ids: [],
      reviewed_at: null,
    });
    expect(withAnnotations(stored, { reviewed: true }).reviewed_at).not.toBeNull();
  });
});
