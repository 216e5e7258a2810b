// @vitest-environment jsdom

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/lib/api/errors';
import { applyChange, undoChange, withAnnotations } from '../../src/screens/trades/annotate';
import {
  assignEntryError,
  emptyEntry,
  entryBody,
  summarizeEntry,
  validateEntry,
  type Entry,
} from '../../src/screens/trades/entry';
import { changedFields, fillValues } from '../../src/screens/trades/fill';

const entry = (change: Partial<Entry> = {}): Entry => ({
  ...emptyEntry(),
  symbol: 'AAPL',
  quantity: '100',
  entry: { price: '10.1', at: '2026-03-02T14:30:00Z', fees: '' },
  ...change,
});
const exit = { price: '12.2', at: '2026-03-02T15:30:00Z', fees: '1.50' };

describe('validateEntry', () => {
  it('requires symbol, quantity, price and time', () => {
    expect(Object.keys(validateEntry(emptyEntry(), 'trade'))).toEqual([
      'symbol',
      'quantity',
      'entry.price',
      'entry.at',
    ]);
    expect(validateEntry(entry(), 'trade')).toEqual({});
  });

  it('requires a complete exit after the entry', () => {
    const errors = (change: Partial<Entry['exit']>) =>
      Object.keys(validateEntry(entry({ exit: { ...exit, ...change } }), 'trade'));
    expect(errors({})).toEqual([]);
    expect(errors({ at: '' })).toEqual(['exit.at']);
    expect(errors({ price: '' })).toEqual(['exit.price']);
    expect(errors({ at: '2026-03-01T00:00:00Z' })).toEqual(['exit.at']);
    expect(validateEntry(entry({ exit: { ...exit, at: '' } }), 'fill')).toEqual({});
  });
});

describe('entryBody', () => {
  it('has two fills with opposite sides for a trade with an exit', () => {
    const body = entryBody(entry({ direction: 'short', exit }), 'trade', 'main');
    expect(body.account_id).toBe('main');
    expect(body.fills.map((f) => [f.side, f.price, f.fees])).toEqual([
      ['sell', '10.1', undefined],
      ['buy', '12.2', '1.50'],
    ]);
  });

  it('has one fill for an open position and for a single fill', () => {
    expect(entryBody(entry(), 'trade', 'main').fills).toHaveLength(1);
    const body = entryBody(entry({ side: 'sell', exit, notes: 'unused' }), 'fill', 'main');
    expect(body.fills.map((f) => f.side)).toEqual(['sell']);
    expect(body).not.toHaveProperty('notes');
  });

  it('has only the annotations that were entered', () => {
    const body = entryBody(entry({ stop: '9.1', tagIds: ['t'] }), 'trade', 'main');
    expect(body).toMatchObject({ stop_price: '9.1', tag_ids: ['t'] });
    expect(Object.keys(body)).toHaveLength(4);
  });

  it('has the contract of an option', () => {
    const option = { instrument: 'option', right: 'put', strike: '255', expiry: '2026-12-18' };
    expect(entryBody(entry(option), 'trade', 'main').fills[0]!.details).toEqual({
      option_right: 'put',
      strike: '255',
      expiry: '2026-12-18',
    });
    expect(entryBody(entry(), 'trade', 'main').fills[0]).not.toHaveProperty('details');
  });
});

describe('assignEntryError', () => {
  const assign = (field: string, message = 'Wrong.') =>
    assignEntryError(new ApiError(422, 'invalid', message, field));

  it('finds the field of the form', () => {
    expect(assign('fills.0.price', 'Fill 1: price is missing.')).toEqual({
      'entry.price': 'price is missing.',
    });
    expect(assign('fills.1.executed_at')).toEqual({ 'exit.at': 'Wrong.' });
    expect(assign('fills.1.quantity')).toEqual({ quantity: 'Wrong.' });
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
    expect(saved).toEqual({ trade: 'new', fills: ['a', 'b'], isDuplicate: false, warnings: ['check it'] });
  });

  it('reports fills that were already stored', () => {
    expect(summarizeEntry([written('old', [], 2)])).toMatchObject({
      trade: 'old',
      fills: [],
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

  it('are undone only where they changed something', () => {
    const trades = [trade('1', ['early']), trade('2', ['late', 'early']), trade('3', [], 'before')];
    const change = { add_tag_ids: ['late'], remove_tag_ids: ['early'] };
    expect(undoChange(trades, change)).toEqual([
      { ids: ['1'], change: { add_tag_ids: ['early'], remove_tag_ids: ['late'] } },
      { ids: ['2'], change: { add_tag_ids: ['early'] } },
      { ids: ['3'], change: { remove_tag_ids: ['late'] } },
    ]);
    expect(undoChange(trades, { set: { reviewed: true } })).toEqual([
      { ids: ['1', '2'], change: { set: { reviewed: false } } },
    ]);
    expect(undoChange(trades, { add_setup_ids: ['orb'] })).toEqual([]);
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
