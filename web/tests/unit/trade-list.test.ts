// @vitest-environment jsdom

import { afterEach, describe, expect, it, vi } from 'vitest';
import { nextCursor } from '../../src/lib/api/paging';
import { TradeList, type Page, type Trade } from '../../src/screens/trades/list.svelte';
import { formatSort, orderOf, parseSort, type SortableColumn } from '../../src/screens/trades/order';

const columns: SortableColumn[] = [
  { id: 'when', sort: 'closed_at' },
  { id: 'net', sort: 'net_pnl' },
  { id: 'notes' },
];

describe('the order of the trades table', () => {
  it('is read from the address and written back', () => {
    for (const text of ['net_pnl', '-net_pnl', '-closed_at']) {
      expect(formatSort(orderOf(parseSort(text), columns), columns)).toBe(text);
    }
    expect(parseSort('-net_pnl')).toEqual({ sort: 'net_pnl', order: 'desc' });
    expect(orderOf(parseSort('-net_pnl'), columns)).toEqual({ column: 'net', down: true });
  });

  it.each([null, '', '-', 'notes', 'toString', '--net_pnl'])('ignores %j', (text) => {
    expect(parseSort(text)).toEqual({});
  });

  it('is null for a column that the server cannot sort by', () => {
    expect(orderOf({}, columns)).toBeNull();
    expect(orderOf(parseSort('symbol'), columns)).toBeNull();
    expect(formatSort({ column: 'notes', down: true }, columns)).toBeNull();
    expect(formatSort(null, columns)).toBeNull();
  });
});

describe('nextCursor', () => {
  it('returns the cursor of the next page', () => {
    expect(nextCursor('</api/v1/trades?cursor=ab%2Fc&limit=2>; rel="next"')).toBe('ab/c');
  });

  it('returns null on the last page', () => {
    expect(nextCursor(null)).toBeNull();
    expect(nextCursor('</api/v1/trades?cursor=a>; rel="prev"')).toBeNull();
  });
});

const trade = (id: string, notes = '') => ({ id, notes }) as Trade;
const trades = (from: number, to: number, prefix = '') =>
  Array.from({ length: to - from }, (_, i) => trade(prefix + String(from + i)));

/** Answers requests for pages from a list of `total` trades, 1000 after the first 200. */
function serve(total: number) {
  const requested: string[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const { searchParams } = new URL(request.url);
    const start = Number(searchParams.get('cursor'));
    requested.push(String(start));
    const end = Math.min(start + 1000, total);
    const link = end < total ? `</api/v1/trades?cursor=${end}>; rel="next"` : '';
    return new Response(JSON.stringify(trades(start, end, searchParams.get('status') ?? '')), {
      headers: { 'Content-Type': 'application/json', 'X-Total-Count': String(total), Link: link },
    });
  });
  return requested;
}

const firstPage = (total: number): Page => ({
  trades: trades(0, Math.min(200, total)),
  total,
  next: total > 200 ? '200' : null,
});

afterEach(() => vi.unstubAllGlobals());

describe('TradeList', () => {
  it('has its full length before all rows are loaded', () => {
    const list = new TradeList();
    list.setFirstPage({}, firstPage(5000));
    expect(list.rows).toHaveLength(5000);
    expect([list.rows[199]?.id, list.rows[200]]).toEqual(['199', null]);
  });

  it('loads pages in order, as far as the table has been scrolled', async () => {
    const requested = serve(5000);
    const list = new TradeList();
    list.setFirstPage({}, firstPage(5000));
    list.loadTo(30);
    await vi.waitFor(() => expect(list.busy).toBe(false));
    expect(requested).toEqual(['200', '1200']);
    expect(list.trades.map((t) => t.id)).toEqual(trades(0, 2200).map((t) => t.id));
  });

  it('drops the pages of an older query', async () => {
    serve(1000);
    const list = new TradeList();
    list.setFirstPage({}, firstPage(1000));
    list.loadTo(0); // answered before the request below
    list.setFirstPage({ status: 'open' }, { ...firstPage(1000), trades: trades(0, 200, 'open') });
    await vi.waitFor(() => expect(list.trades).toHaveLength(1000));
    expect(list.trades.map((t) => t.id)).toEqual(trades(0, 1000, 'open').map((t) => t.id));
  });

  it('keeps later pages when the first page is refreshed', async () => {
    serve(1000);
    const list = new TradeList();
    list.setFirstPage({}, firstPage(1000));
    list.loadTo(0);
    await vi.waitFor(() => expect(list.trades).toHaveLength(1000));
    const refreshed = firstPage(1000);
    refreshed.trades[0] = trade('0', 'changed');
    list.setFirstPage({}, refreshed);
    expect([list.trades.length, list.trades[0]!.notes]).toEqual([1000, 'changed']);
  });

  it('stops at an error and loads on after a retry', async () => {
    const list = new TradeList();
    list.setFirstPage({}, firstPage(1000));
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('unreachable')));
    list.loadTo(0);
    await vi.waitFor(() => expect(list.error).not.toBeNull());
    serve(1000);
    list.retry();
    await vi.waitFor(() => expect(list.trades).toHaveLength(1000));
    expect(list.error).toBeNull();
  });

  it('shows changed and deleted trades at once', () => {
    const list = new TradeList();
    list.setFirstPage({}, firstPage(3));
    list.replace([trade('1', 'x'.repeat(500))]);
    expect(list.trades[1]!.notes).toHaveLength(140);
    list.remove('0');
    expect([list.total, list.rows.map((t) => t?.id)]).toEqual([2, ['1', '2']]);
    list.remove('unknown');
    expect(list.total).toBe(2);
  });
});
