import { describe, expect, it } from 'vitest';
import { every, nearest, strength, ticks } from '../../src/charts/scale';
import { nextOrder, sorted, windowOf, type Column } from '../../src/components/table';
import { match } from '../../src/app/routes';
import { hintFor } from '../../src/screens/start/strength';

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

describe('tables', () => {
  it('sort, with nothing last either way', () => {
    const names = (down: boolean, column = 'pnl') =>
      sorted(rows, columns, { column, down })
        .map((r) => r!.name)
        .join('');
    expect([names(false), names(true), names(false, 'name'), names(true, 'name')]).toEqual([
      'acb',
      'cab',
      'abc',
      'cba',
    ]);
    expect(sorted(rows, columns, null)).toBe(rows);
  });

  it('a third press takes the order away', () => {
    const first = nextOrder(columns[1]!, null);
    const second = nextOrder(columns[1]!, first);
    expect([first?.down, second?.down, nextOrder(columns[1]!, second)]).toEqual([true, false, null]);
  });

  it('draw only what is in view', () => {
    expect(windowOf(100_000, 40, 0, 600)).toEqual({ first: 0, last: 23 });
    expect(windowOf(100_000, 40, 2_000_000, 600)).toEqual({ first: 49_992, last: 50_023 });
    expect(windowOf(3, 40, 9_999, 600)).toEqual({ first: 3, last: 3 });
  });
});

describe('axes', () => {
  it('have round steps that span the values', () => {
    expect(ticks(0, 97)).toEqual([0, 25, 50, 75, 100]);
    expect(ticks(-3, 8)).toEqual([-5, 0, 5, 10]);
    expect(ticks(5, 5)).toEqual([0, 5]);
    expect(ticks(NaN, 1)).toEqual([0]);
  });

  it('find the nearest point', () => {
    expect([nearest([], 1), nearest([5], 9), nearest([0, 10, 20], 14), nearest([0, 10, 20], 99)]).toEqual([
      -1, 0, 1, 2,
    ]);
    expect(every(10, 100, 30)).toEqual([0, 3, 6, 9]);
  });

  it('tell a loss of 64 from one of 488', () => {
    expect(strength(-488, 488) - strength(-64, 488)).toBeGreaterThan(0.5);
  });
});

describe('addresses', () => {
  it.each([
    ['/', 'Today', {}],
    ['/trades/', 'Trades', {}],
    ['/trades/7%2F8', 'Trade', { id: '7/8' }],
    ['/s/abc', 'Shared journal', { token: 'abc' }],
    ['/trades/%E0%A4%A', 'Trade', { id: '%E0%A4%A' }],
  ])('%s', (path, title, params) => {
    const found = match(path);
    expect([found.route?.title, found.params]).toEqual([title, params]);
  });

  it('nothing else', () => {
    expect([match('/docs').route, match('/trades/1/2').route, match('/api/v1/me').route]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('the password hint', () => {
  it('grows with the password', () => {
    const level = (password: string) => hintFor(password, 'anna@example.com', 10).level;
    expect([
      level('short'),
      level('aaaaaaaaaaaa'),
      level('anna1234567'),
      level('tea and toast'),
      level('A quiet harbour at 7'),
    ]).toEqual([0, 0, 1, 1, 3]);
  });
});
