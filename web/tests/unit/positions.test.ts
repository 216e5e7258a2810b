import { describe, expect, it } from 'vitest';
import {
  groupPositions,
  listPositions,
  type Line,
  type Position,
  type RootTotals,
} from '../../src/screens/trades/positions';

const position = (trade_id: string, root: string, unrealized_pnl: number | null, pnl_currency = 'USD') =>
  ({ trade_id, symbol: `${root} ${trade_id}`, root, pnl_currency, unrealized_pnl }) as Position;
const total = (root: string, unrealized_pnl: number | null, currency = 'USD') =>
  ({ root, currency, unrealized_pnl }) as RootTotals;

const list = [
  position('1', 'NQ', 5),
  position('2', 'AMD', null),
  position('3', 'NQ', -7),
  position('4', 'AMD', 3),
  position('5', 'AMD', 1, 'EUR'),
];
const roots = [total('AMD', 1, 'EUR'), total('AMD', 3), total('NQ', -2)];
const ids = (lines: Line[]) => lines.map((l) => l.id).join(' · ');

describe('the lines of the positions table', () => {
  it('keep the order of the API until a column is chosen', () => {
    expect(ids(listPositions(list, null))).toBe('1 · 2 · 3 · 4 · 5');
    expect(ids(listPositions(list, { column: 'account', down: true }))).toBe('1 · 2 · 3 · 4 · 5');
  });

  it('are in the order of their sizes, whatever the side', () => {
    const sized = (trade_id: string, quantity: number) => ({ ...position(trade_id, 'NQ', 0), quantity });
    const some = [sized('1', -100), sized('2', 20), sized('3', -5)];
    expect(ids(listPositions(some, { column: 'quantity', down: true }))).toBe('1 · 2 · 3');
    expect(ids(listPositions(some, { column: 'quantity', down: false }))).toBe('3 · 2 · 1');
  });

  it('put positions without a value last in both directions', () => {
    expect(ids(listPositions(list, { column: 'unrealized', down: true }))).toBe('1 · 4 · 5 · 3 · 2');
    expect(ids(listPositions(list, { column: 'unrealized', down: false }))).toBe('3 · 5 · 4 · 1 · 2');
  });

  it('keep the positions of an underlying and currency below its totals', () => {
    expect(ids(groupPositions(list, roots, null))).toBe('AMD EUR · 5 · AMD USD · 2 · 4 · NQ USD · 1 · 3');
    expect(ids(groupPositions(list, roots, { column: 'unrealized', down: true }))).toBe(
      'AMD USD · 4 · 2 · AMD EUR · 5 · NQ USD · 1 · 3',
    );
    expect(ids(groupPositions(list, roots, { column: 'symbol', down: true }))).toBe(
      'NQ USD · 3 · 1 · AMD EUR · 5 · AMD USD · 4 · 2',
    );
  });
});
