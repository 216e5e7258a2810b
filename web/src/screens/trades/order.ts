// The order of the trades table. The server sorts, because the page holds only a
// part of the list; the address holds the order (?sort=net_pnl, ?sort=-net_pnl).

import type { Column, Order } from '../../components/table';
import type { operations } from '../../lib/api/schema';

export type SortField = NonNullable<NonNullable<operations['listTrades']['parameters']['query']>['sort']>;

/** A column the server can sort by its field. */
export type SortableColumn = Pick<Column<unknown>, 'id'> & { sort?: SortField };

export interface Sorting {
  sort?: SortField;
  order?: 'asc' | 'desc';
}

const sortFields: Record<SortField, true> = {
  opened_at: true,
  closed_at: true,
  symbol: true,
  net_pnl: true,
  return_pct: true,
  r_multiple: true,
  time_in_trade_secs: true,
  qty_opened: true,
  avg_entry_price: true,
  avg_exit_price: true,
  fees_total: true,
  initial_risk: true,
  trade_quality: true,
};

/** Parses the value of ?sort=…; a field the server does not sort by is ignored. */
export function parseSort(text: string | null): Sorting {
  const down = text?.startsWith('-') ?? false;
  const name = (down ? text?.slice(1) : text) ?? '';
  return Object.hasOwn(sortFields, name) ? { sort: name as SortField, order: down ? 'desc' : 'asc' } : {};
}

/** Returns the value of ?sort=… for an order of the table, or null for the default order. */
export function formatSort(order: Order | null, columns: SortableColumn[]): string | null {
  const field = columns.find((column) => column.id === order?.column)?.sort;
  return field ? `${order!.down ? '-' : ''}${field}` : null;
}

/** Returns the order of the table for the sorting in the address; null if no column has its field. */
export function orderOf(sorting: Sorting, columns: SortableColumn[]): Order | null {
  const column = columns.find(({ sort }) => sort !== undefined && sort === sorting.sort);
  return column ? { column: column.id, down: sorting.order === 'desc' } : null;
}
