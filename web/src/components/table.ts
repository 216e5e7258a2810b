// Columns, order and the window of rows that a DataTable draws. Pure.

export interface Column<T> {
  id: string;
  title: string;
  /** What the cell says, unless the table is given a `cell` snippet for it. */
  text?: (row: T) => string;
  /** What it sorts by; a column without it does not sort. null goes last. */
  by?: (row: T) => number | string | null;
  /** What the totals row says, from figures of the API. */
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

export function sorted<T>(rows: T[], columns: Column<T>[], order: Order | null): T[] {
  const by = columns.find((c) => c.id === order?.column)?.by;
  if (!order || !by) return rows;
  const sign = order.down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = by(a);
    const y = by(b);
    if (x === y) return 0;
    if (x === null) return 1;
    if (y === null) return -1;
    if (typeof x === 'string' && typeof y === 'string') return sign * x.localeCompare(y);
    return x < y ? -sign : sign;
  });
}

/** First press up or down by what is usual: numbers start with the largest. */
export function nextOrder<T>(column: Column<T>, now: Order | null): Order | null {
  if (now?.column !== column.id) return { column: column.id, down: column.number === true };
  return now.down === (column.number === true) ? { column: column.id, down: !now.down } : null;
}

/** The rows to draw for a scroll position, with some beyond either edge. */
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
