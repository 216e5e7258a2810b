// The order of the table, as it stands in the address (?sort=net_pnl, ?sort=-net_pnl)
// and as the server is asked for it: the page holds a part of the list only.

import type { Order } from '../../components/table';
import type { operations } from '../../lib/api/schema';

type Field = NonNullable<NonNullable<operations['listTrades']['parameters']['query']>['sort']>;

/** Which field of a trade each column is sorted by; the two columns of instants change places with the basis. */
const fields: Record<string, Field> = {
  symbol: 'symbol',
  net: 'net_pnl',
  r: 'r_multiple',
  return: 'return_pct',
  size: 'qty_opened',
  entry: 'avg_entry_price',
  exit: 'avg_exit_price',
  held: 'time_in_trade_secs',
  fees: 'fees_total',
  risk: 'initial_risk',
  quality: 'trade_quality',
};

function fieldsBy(basis: 'close' | 'open'): Record<string, Field> {
  return basis === 'open'
    ? { ...fields, when: 'opened_at', other: 'closed_at' }
    : { ...fields, when: 'closed_at', other: 'opened_at' };
}

export interface Sorting {
  sort?: Field;
  order?: 'asc' | 'desc';
}

/** Reads ?sort=…; what the server does not know is no order. */
export function readSort(text: string | null): Sorting {
  const down = text?.startsWith('-') ?? false;
  const name = down ? text!.slice(1) : text;
  const sort = Object.values(fieldsBy('close')).find((field) => field === name);
  return sort ? { sort, order: down ? 'desc' : 'asc' } : {};
}

export function orderOf(sorting: Sorting, basis: 'close' | 'open'): Order | null {
  const column = Object.entries(fieldsBy(basis)).find(([, field]) => field === sorting.sort)?.[0];
  return column ? { column, down: sorting.order === 'desc' } : null;
}

export function writeSort(order: Order | null, basis: 'close' | 'open'): string | null {
  const field = order ? fieldsBy(basis)[order.column] : undefined;
  return field ? `${order!.down ? '-' : ''}${field}` : null;
}
