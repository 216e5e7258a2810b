// The columns, the order and the visible rows of a DataTable. Pure functions.

import type { Snippet } from 'svelte';

export interface Column<T> {
  id: string;
  title: string;
  /** Renders the cell, if it is more than text. */
  cell?: Snippet<[T]>;
  /** Returns the cell's text. */
  text?: (row: T) => string;
  /** Returns the value the table sorts by; null sorts last. */
  by?: (row: T) => number | string | null;
  /** The field the server sorts by; the rows arrive in that order. */
  sort?: string;
  /** The text of the totals row, from figures of the API. */
  total?: string;
  number?: boolean; // aligned to the right
  width?: string; // such as 7rem
  fixed?: boolean; // cannot be hidden
  hidden?: boolean; // until the user shows it
}

export interface Order {
  column: string;
  down: boolean;
}

/** Returns the columns in the user's order; those it does not name keep their place after the one before them. */
export function arrangeColumns<C extends { id: string }>(columns: C[], order: string[]): C[] {
  const named = order.flatMap((id) => columns.find((c) => c.id === id) ?? []);
  if (named.length === 0) return columns;
  const arranged = [...named];
  columns.forEach((column, i) => {
    if (order.includes(column.id)) return;
    const before = columns[i - 1];
    arranged.splice(before ? arranged.indexOf(before) + 1 : 0, 0, column);
  });
  return arranged;
}

/** Returns the ids with one of them moved to the place of another. */
export function moveId(ids: string[], id: string, to: number): string[] {
  const left = ids.filter((other) => other !== id);
  left.splice(Math.max(0, Math.min(to, left.length)), 0, id);
  return left;
}

/** Returns the rows in the order of a column with `by`. A row that is not loaded yet is null and sorts last. */
export function sortRows<T>(rows: (T | null)[], columns: Column<T>[], order: Order | null): (T | null)[] {
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

/** Returns the order after a click on a column: numbers start with the largest; the third click removes the order. */
export function nextOrder<T>(column: Column<T>, now: Order | null): Order | null {
  if (now?.column !== column.id) return { column: column.id, down: column.number === true };
  return now.down === (column.number === true) ? { column: column.id, down: !now.down } : null;
}

/** Returns the range of rows to draw at a scroll position, with a few rows beyond either edge. */
export function visibleRows(
  count: number,
  rowHeight: number,
  scrollTop: number,
  height: number,
): { first: number; last: number } {
  const overscan = 8;
  const first = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight) - overscan, count));
  const last = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + overscan);
  return { first, last };
}
