// The list of trades, loaded page by page. The first page is an ordinary query,
// which writes on other screens refresh; later pages are fetched in order (a
// cursor leads to the next page only), as far as the table has been scrolled and
// a little further. A row that is not loaded yet is null, so the table has its
// full length from the start.

import { answer, api, type Schemas } from '../../lib/api/client';
import { nextCursor } from '../../lib/api/paging';
import { asApiError, errorOf, type ApiError } from '../../lib/api/errors';
import type { Scope } from '../../lib/filter/filter';
import type { Sorting } from './order';

export type Trade = Schemas['Trade'];

export type TradeQuery = Scope & Sorting;

export interface Page {
  trades: Trade[];
  total: number;
  next: string | null; // the cursor of the next page
}

const firstPageSize = 200; // small, so it arrives fast
const pageSize = 1000;
const prefetched = 1500; // rows loaded beyond the last one in view
const maxNotesLength = 140; // of a row; the drawer loads the whole trade

/** Fetches one page of the list; without a cursor the first one. */
export async function fetchPage(
  query: TradeQuery,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page> {
  const limit = cursor === null ? firstPageSize : pageSize;
  const fetched = await api
    .GET('/api/v1/trades', { params: { query: { ...query, limit, ...(cursor ? { cursor } : {}) } }, signal })
    .catch((fault: unknown) => {
      throw asApiError(fault);
    });
  if (!fetched.response.ok) throw errorOf(fetched.response, fetched.error);
  const trades = (fetched.data ?? []).map(shortenNotes);
  const total = Number(fetched.response.headers.get('X-Total-Count') ?? trades.length);
  return { trades, total, next: nextCursor(fetched.response.headers.get('Link')) };
}

/** Cuts long notes: a list of a hundred thousand trades would hold all of them in memory. */
function shortenNotes(trade: Trade): Trade {
  return trade.notes.length > maxNotesLength
    ? { ...trade, notes: trade.notes.slice(0, maxNotesLength) }
    : trade;
}

export class TradeList {
  private loaded = $state.raw<Trade[]>([]);
  total = $state(0);
  error = $state<ApiError | null>(null);
  busy = $state(false);

  private next: string | null = null;
  private wanted = 0; // how many rows to load
  private query: TradeQuery = {};
  private firstPage: Page | null = null;
  private generation = 0; // pages of an older query are dropped

  /** All rows of the list; null for those that are not loaded yet. */
  readonly rows: (Trade | null)[] = $derived.by(() => {
    const length = Math.max(this.total, this.loaded.length);
    return Array.from({ length }, (_, index) => this.loaded[index] ?? null);
  });

  /** The loaded trades. */
  get trades(): Trade[] {
    return this.loaded;
  }

  /** Sets the first page. Later pages are kept if the query is the same and the page ends with the same trade. */
  setFirstPage(query: TradeQuery, page: Page): void {
    if (page === this.firstPage) return;
    const isUnchanged =
      this.firstPage !== null &&
      JSON.stringify(query) === JSON.stringify(this.query) &&
      page.total === this.total &&
      page.trades.at(-1)?.id === this.loaded[page.trades.length - 1]?.id;
    this.firstPage = page;
    this.query = query;
    if (isUnchanged) {
      this.loaded = [...page.trades, ...this.loaded.slice(page.trades.length)];
      return;
    }
    this.generation++;
    this.busy = false;
    this.error = null;
    this.loaded = page.trades;
    this.total = page.total;
    this.next = page.next;
    this.wanted = Math.min(this.wanted, page.total);
    void this.loadWanted();
  }

  /** Loads the rows up to an index, and some more. */
  loadTo(index: number): void {
    if (index + prefetched <= this.wanted) return;
    this.wanted = index + prefetched;
    void this.loadWanted();
  }

  /** Loads all rows. Returns when they are loaded or loading has failed. */
  loadAll(): Promise<void> {
    return this.loadFirst(this.total);
  }

  /** Loads the first rows. Returns when they are loaded or loading has failed. */
  async loadFirst(count: number): Promise<void> {
    this.wanted = Math.max(this.wanted, Math.min(count, this.total));
    while (this.next !== null && this.error === null && this.loaded.length < this.wanted) {
      await this.loadWanted();
      if (this.busy) await new Promise((done) => setTimeout(done, 50)); // another call is loading
    }
  }

  retry(): void {
    this.error = null;
    void this.loadWanted();
  }

  /** Tries again if the last page could not be loaded because the server was unreachable. */
  retryIfAway(): void {
    if (this.error?.isAway) this.retry();
  }

  /** Shows changed trades at once. */
  replace(trades: Trade[]): void {
    const changed = new Map(trades.map((t) => [t.id, shortenNotes(t)]));
    this.loaded = this.loaded.map((t) => changed.get(t.id) ?? t);
  }

  remove(id: string): void {
    const left = this.loaded.filter((t) => t.id !== id);
    if (left.length < this.loaded.length) this.total--;
    this.loaded = left;
  }

  private async loadWanted(): Promise<void> {
    if (this.busy || this.error) return;
    const generation = this.generation;
    this.busy = true;
    try {
      while (this.next !== null && this.loaded.length < this.wanted) {
        const page = await fetchPage(this.query, this.next);
        if (generation !== this.generation) return;
        this.loaded = this.loaded.concat(page.trades);
        this.next = page.next;
        if (page.next === null) this.total = this.loaded.length;
      }
    } catch (fault) {
      if (generation === this.generation) this.error = asApiError(fault);
    } finally {
      if (generation === this.generation) this.busy = false;
    }
  }
}

/** Fetches one trade with its fills and attachments. */
export const fetchTrade = (id: string, signal?: AbortSignal) =>
  answer(api.GET('/api/v1/trades/{id}', { params: { path: { id } }, signal }));

/** Fetches a page of the later fills of a long trade. */
export async function fetchFills(
  id: string,
  cursor: string,
): Promise<{ fills: Schemas['TradeFill'][]; next: string | null }> {
  const request = api.GET('/api/v1/trades/{id}/fills', {
    params: { path: { id }, query: { cursor, limit: pageSize } },
  });
  const fills = await answer(request);
  return { fills, next: nextCursor((await request).response.headers.get('Link')) };
}
