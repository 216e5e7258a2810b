// The list of trades, page after page. The first page is an ordinary reading,
// which other screens' writes refresh; the pages behind it are fetched in order
// (a cursor leads to the next page only) as far as somebody looks, and a little
// further. A row that has not come yet is a Row without a trade, so the table
// has its full length from the start and nothing jumps.

import { answer, api, type Schemas } from '../../lib/api/client';
import { asApiError, errorOf, type ApiError } from '../../lib/api/errors';
import type { Scope } from '../../lib/filter/filter';
import type { Sorting } from './order';

export type Trade = Schemas['Trade'];

export interface Row {
  at: number; // place in the list of the server
  trade: Trade | null;
}

export interface TradeQuery extends Scope, Sorting {
  status?: 'open' | 'closed';
  reviewed?: boolean;
  import_batch_id?: string;
}

export interface Page {
  trades: Trade[];
  total: number;
  next: string | null; // the cursor of the page behind it
}

const firstPage = 200; // comes at once
const laterPage = 1000;
const ahead = 1500; // rows fetched beyond the last one looked at

export async function fetchPage(
  query: TradeQuery,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page> {
  const limit = cursor === null ? firstPage : laterPage;
  const fetched = await api
    .GET('/api/v1/trades', { params: { query: { ...query, limit, ...(cursor ? { cursor } : {}) } }, signal })
    .catch((fault: unknown) => {
      throw asApiError(fault);
    });
  if (!fetched.response.ok) throw errorOf(fetched.response, fetched.error);
  const trades = (fetched.data ?? []).map(slim);
  const total = Number(fetched.response.headers.get('X-Total-Count') ?? trades.length);
  return { trades, total, next: nextCursor(fetched.response.headers.get('Link')) };
}

/** A list of a hundred thousand needs the first words of each note only; the drawer reads the whole. */
function slim(trade: Trade): Trade {
  return trade.notes.length > 140 ? { ...trade, notes: trade.notes.slice(0, 140) } : trade;
}

export function nextCursor(link: string | null): string | null {
  const address = link?.match(/<([^>]+)>;\s*rel="next"/)?.[1];
  return address ? new URL(address, location.origin).searchParams.get('cursor') : null;
}

export class TradeList {
  private loaded = $state.raw<Trade[]>([]);
  total = $state(0);
  error = $state<ApiError | null>(null);
  busy = $state(false);

  private next: string | null = null;
  private wanted = 0;
  private query: TradeQuery = {};
  private head: Page | null = null;
  private turn = 0; // an answer for an older query is dropped

  readonly rows: Row[] = $derived.by(() => {
    const length = Math.max(this.total, this.loaded.length);
    return Array.from({ length }, (_, at) => ({ at, trade: this.loaded[at] ?? null }));
  });

  get trades(): Trade[] {
    return this.loaded;
  }

  /** Takes the first page. What came behind it is kept when that page ends as it did before. */
  begin(query: TradeQuery, head: Page): void {
    if (head === this.head) return;
    const same =
      this.head !== null &&
      JSON.stringify(query) === JSON.stringify(this.query) &&
      head.total === this.total &&
      head.trades.at(-1)?.id === this.loaded[head.trades.length - 1]?.id;
    this.head = head;
    this.query = query;
    if (same) {
      this.loaded = [...head.trades, ...this.loaded.slice(head.trades.length)];
      return;
    }
    this.turn++;
    this.busy = false;
    this.error = null;
    this.loaded = head.trades;
    this.total = head.total;
    this.next = head.next;
    this.wanted = Math.min(this.wanted, head.total);
    void this.fetchOn();
  }

  /** Somebody looks at this row. */
  look(at: number): void {
    if (at + ahead <= this.wanted) return;
    this.wanted = at + ahead;
    void this.fetchOn();
  }

  retry(): void {
    this.error = null;
    void this.fetchOn();
  }

  /** Shows a written trade at once, wherever it stands. */
  put(trade: Trade): void {
    this.loaded = this.loaded.map((t) => (t.id === trade.id ? slim(trade) : t));
  }

  drop(id: string): void {
    const left = this.loaded.filter((t) => t.id !== id);
    if (left.length < this.loaded.length) this.total--;
    this.loaded = left;
  }

  private async fetchOn(): Promise<void> {
    if (this.busy || this.error) return;
    const turn = this.turn;
    this.busy = true;
    try {
      while (this.next !== null && this.loaded.length < this.wanted) {
        const page = await fetchPage(this.query, this.next);
        if (turn !== this.turn) return;
        this.loaded = this.loaded.concat(page.trades);
        this.next = page.next;
        if (page.next === null) this.total = this.loaded.length;
      }
    } catch (fault) {
      if (turn === this.turn) this.error = asApiError(fault);
    } finally {
      if (turn === this.turn) this.busy = false;
    }
  }
}

/** A trade as it stands now, whole. */
export const readTrade = (id: string, signal?: AbortSignal) =>
  answer(api.GET('/api/v1/trades/{id}', { params: { path: { id } }, signal }));
