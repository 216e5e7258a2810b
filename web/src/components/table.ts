// Columns, order and the window of rows that a DataTable draws. Pure.

import type { Snippet } from 'svelte';

export interface Column<T> {
  id: string;
  title: string;
  /** The text of the cell. */
  text?: (row: T) => string;
  /** The cell, if it is more than text. */
  cell?: Snippet<[T]>;
  /** The value that the table sorts by; null goes last. */
  by?: (row: T) => number | string | null;
  /** The field that the server sorts by; the rows arrive in that order. */
  sort?: string;
  /** The cell of the totals row, from figures of the API. */
  total?: string;
  number?: boolean; // to the right
  width?: string; // such as 7rem
  fixed?: boolean; // cannot be hidden
  hidden?: boolean; // until the reader chooses it
}

export interface Order {
  column: string;
  down: boolean;
}

/** Returns the rows in the order of a column with `by`. A row that is not loaded yet is null and goes last. */
export function sorted<T>(rows: (T | null)[], columns: Column<T>[], order: Order | null): (T | null)[] {
  const by = columns.find((c) => c.id === order?.column)?.by;
  if (!order || !by) return rows;
  const sign = order.down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = a === null ? null : by(a);
    const y = b === null ? null : by(b);
    if (x === y) return 0;
    if (x === null) return 1;
    if (y === null) return -1;
    if (typeof x === 'string' && typeof y === 'string') return sign * x.localeCompare(y);
    return x < y ? -sign : sign;
  });
}

/** Returns the order after a click on a column: numbers start with the largest, a third click removes the order. */
export function nextOrder<T>(column: Column<T>, now: Order | null): Order | null {
  if (now?.column !== column.id) return { column: column.id, down: column.number === true };
  return now.down === (column.number === true) ? { column: column.id, down: !now.down } : null;
}

/** Returns which rows to draw at a scroll position, with some beyond either edge. */
export function windowOf(
  count: number,
  rowHeight: number,
  scrollTop: number,
  height: number,
): { first: number; last: number } {
  const beyond = 8;
  const first = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight) - beyond, count));
  const last = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + beyond);
  return { first, last };
}
