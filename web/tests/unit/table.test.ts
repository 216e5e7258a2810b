import { describe, expect, it } from 'vitest';
import {
  arrangeColumns,
  moveId,
  nextOrder,
  sortRows,
  visibleRows,
  type Column,
} from '../../src/components/table';

interface Row {
  name: string;
  pnl: number | null;
}
const columns: Column<Row>[] = [
  { id: 'name', title: 'Name', by: (r) => r.name },
  { id: 'pnl', title: 'P&L', by: (r) => r.pnl, number: true },
];
const rows: Row[] = [
  { name: 'b', pnl: null },
  { name: 'a', pnl: -2 },
  { name: 'c', pnl: 10 },
];

describe('a table', () => {
  it('sorts rows without a value last in both directions', () => {
    const names = (down: boolean, column = 'pnl') =>
      sortRows(rows, columns, { column, down })
        .map((r) => r!.name)
        .join('');
    expect([names(false), names(true), names(false, 'name'), names(true, 'name')]).toEqual([
      'acb',
      'cab',
      'abc',
      'cba',
    ]);
    expect(sortRows(rows, columns, null)).toBe(rows);
  });

  it('removes the order on the third click', () => {
    const first = nextOrder(columns[1]!, null);
    const second = nextOrder(columns[1]!, first);
    expect([first?.down, second?.down, nextOrder(columns[1]!, second)]).toEqual([true, false, null]);
  });

  it('keeps the order of columns, and puts a new one after its neighbor', () => {
    const make = (ids: string) => [...ids].map((id) => ({ id }));
    const arrange = (ids: string, order: string) =>
      arrangeColumns(make(ids), [...order])
        .map((c) => c.id)
        .join('');
    expect([
      arrange('abcd', ''),
      arrange('abcd', 'dcba'),
      arrange('abcd', 'ca'),
      arrange('abcd', 'xcb'),
    ]).toEqual(['abcd', 'dcba', 'cdab', 'acdb']);
    expect(moveId(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c']);
    expect(moveId(['a', 'b', 'c'], 'c', -1)).toEqual(['c', 'a', 'b']);
    expect(moveId(['a', 'b', 'c'], 'a', 9)).toEqual(['b', 'c', 'a']);
  });

  it('draws only the rows in view', () => {
    expect(visibleRows(100_000, 40, 0, 600)).toEqual({ first: 0, last: 23 });
    expect(visibleRows(100_000, 40, 2_000_000, 600)).toEqual({ first: 49_992, last: 50_023 });
    expect(visibleRows(3, 40, 9_999, 600)).toEqual({ first: 3, last: 3 });
  });
});
