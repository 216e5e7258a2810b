import { describe, expect, test } from 'vitest';
import { otherPeriod } from '../../src/screens/reports/periods';
import {
  createPredicate,
  limitScope,
  limitToSet,
  narrowScope,
  parseSelection,
  sessionOf,
  type Trade,
} from '../../src/screens/reports/selection';
import { selectFromList } from '../../src/screens/reports/selectionOrder';

const clock = { tz: 'America/New_York', basis: 'close' as const };

const trade = (id: string, fields: Partial<Trade> = {}): Trade =>
  ({
    id,
    symbol: 'AAPL',
    direction: 'long',
    opened_at: '2026-03-02T15:00:00Z',
    closed_at: '2026-03-02T15:10:00Z',
    net_pnl: 10,
    r_multiple: null,
    setup_ids: [],
    tag_ids: [],
    tags: [],
    trade_quality: null,
    avg_entry_price: 10,
    qty_opened: 1,
    multiplier: 1,
    ...fields,
  }) as Trade;

test('parseSelection splits at the first colon', () => {
  expect(parseSelection('closed:2026-03-02T15:00:00Z..')).toEqual({
    kind: 'closed',
    key: '2026-03-02T15:00:00Z..',
  });
});

test.each([
  ['2026-03-02T08:59:59Z', 'overnight'],
  ['2026-03-02T09:00:00Z', 'premarket'],
  ['2026-03-02T14:30:00Z', 'rth'],
  ['2026-03-02T21:00:00Z', 'afterhours'],
  ['2026-03-03T01:00:00Z', 'overnight'],
  ['2026-07-02T13:30:00Z', 'rth'],
])('%s is in the %s session', (at, session) => {
  expect(sessionOf(at)).toBe(session);
});

describe('createPredicate', () => {
  test.each([
    ['hour', '10', true],
    ['hour', '15', false],
    ['weekday', '1', true],
    ['hold_time', '5m_15m', true],
    ['hold_time', '1m_5m', false],
    ['setup', '', true],
    ['grade', '', true],
    ['r', '0..1', false],
    ['closed', '2026-03-02T15:10:00Z..', true],
    ['closed', '..2026-03-02T15:09:59Z', false],
  ])('%s:%s is %s', (kind, key, expected) => {
    expect(createPredicate(kind, key, clock)!(trade('a'))).toBe(expected);
  });

  test('the lower edge of an R bucket is included, the upper is not', () => {
    const inBucket = createPredicate('r', '1..2', clock)!;
    expect([1, 1.99, 2].map((r_multiple) => inBucket(trade('a', { r_multiple })))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('a figure needs more than the trade', () => {
    expect(createPredicate('figure', 'wins', clock)).toBeNull();
  });
});

describe('scopes', () => {
  test('the API filters what it can', () => {
    expect(narrowScope({}, 'symbol', 'ES', clock)).toEqual({ symbol: ['ES'] });
    expect(narrowScope({ symbol: ['NQ'] }, 'symbol', 'ES', clock)).toEqual({ symbol: ['NQ'] });
    expect(narrowScope({}, 'hour', '9', clock)).toEqual({});
  });

  test('the API finds the trades of a figure', () => {
    const set = (which: string, ids: string[] = [], count = ids.length) =>
      limitToSet({ side: 'long' }, { which, trade_ids: ids, trade_count: count });
    expect(set('winners_and_losers')).toEqual({ side: 'long', outcome: ['win', 'loss'] });
    expect(set('with_r')).toEqual({ side: 'long', has_r: true });
    expect(set('max_drawdown', ['a', 'b'])).toEqual({ side: 'long', trade_id: ['a', 'b'] });
    expect(set('longest_run_of_wins', ['a', 'b'], 101)).toEqual({ side: 'long' });
    expect(set('all', ['a'])).toEqual({ side: 'long' });
    expect(limitToSet({ outcome: ['loss'] }, { which: 'winners', trade_ids: [], trade_count: 0 })).toBeNull();
  });

  test('limitScope never widens a scope', () => {
    const scope = { from: '2026-02-01T00:00:00Z', to: '2026-03-31T00:00:00Z' };
    expect(limitScope(scope, '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z')).toEqual({
      from: '2026-02-01T00:00:00Z',
      to: '2026-03-01T00:00:00Z',
    });
  });
});

describe('selectFromList', () => {
  const list = [
    trade('a', { net_pnl: -5, closed_at: '2026-03-02T10:00:00Z', qty_opened: 1 }),
    trade('b', { net_pnl: 5, closed_at: '2026-03-02T11:00:00Z', qty_opened: 2 }),
    trade('c', { net_pnl: 5, closed_at: '2026-03-02T12:00:00Z', qty_opened: 3 }),
    trade('d', { net_pnl: -5, closed_at: '2026-03-02T13:00:00Z', qty_opened: 4 }),
  ];
  const select = (kind: string, key: string) =>
    selectFromList(list, kind, key, {
      explanation: undefined,
      behavior: undefined,
      before: list.slice(1, 3),
      clock,
    })?.map((t) => t.id);

  test('finds the trades after a win', () => {
    expect(select('after', 'win')).toEqual(['d', 'c']);
  });

  test('finds the trades of a size quarter', () => {
    expect(['q1', 'q2', 'q3', 'q4'].map((q) => select('size', q))).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  test('is undefined while data is missing', () => {
    expect(select('figure', 'wins')).toBeUndefined();
  });
});

describe('otherPeriod', () => {
  const none = { from: '', to: '' };

  test('the previous period has the same length', () => {
    expect(otherPeriod({ from: '2026-03-01', to: '2026-03-10' }, 'before', none)).toEqual({
      from: '2026-02-19',
      to: '2026-02-28',
    });
  });

  test('a leap day becomes the day before', () => {
    expect(otherPeriod({ from: '2024-02-29', to: '2024-03-01' }, 'year', none)).toEqual({
      from: '2023-02-28',
      to: '2023-03-01',
    });
  });

  test('an open period has no previous one', () => {
    expect(otherPeriod({ from: '', to: '2026-03-10' }, 'before', none)).toBeNull();
  });

  test('a custom period needs one end', () => {
    expect(otherPeriod(none, 'custom', none)).toBeNull();
    expect(otherPeriod(none, 'custom', { from: '2026-01-01', to: '' })).toEqual({
      from: '2026-01-01',
      to: '',
    });
  });
});
