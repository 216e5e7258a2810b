// The lines of the positions table: positions in an order, on request below a line for
// each underlying. Amounts are compared, never computed.

import type { Order } from '../../components/table';
import type { Schemas } from '../../lib/api/client';

export type Position = Schemas['Position'];
export type RootTotals = Schemas['RootTotals'];

export type Line =
  { id: string; group: RootTotals; position: null } | { id: string; group: null; position: Position };

type Value = number | string | null;

/** What each column is sorted by. */
export const sortValues: Record<string, (p: Position) => Value> = {
  symbol: (p) => p.symbol,
  quantity: (p) => Math.abs(p.quantity),
  entry: (p) => p.avg_entry_price,
  last: (p) => p.mark?.price ?? null,
  unrealized: (p) => p.unrealized_pnl,
  today: (p) => p.day_change,
  risk: (p) => p.open_risk,
  stop: (p) => p.stop_price,
  distance: (p) => p.stop_distance_pct,
  held: (p) => -Date.parse(p.opened_at),
};

const groupValues: Record<string, (g: RootTotals) => Value> = {
  unrealized: (g) => g.unrealized_pnl,
  today: (g) => g.day_change,
  risk: (g) => g.open_risk,
};

/** Compares two values; null comes last in both directions. */
function compare(a: Value, b: Value, down: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const sign = down ? -1 : 1;
  return sign * (typeof a === 'string' && typeof b === 'string' ? a.localeCompare(b) : a < b ? -1 : 1);
}

function sortPositions(list: Position[], order: Order | null): Position[] {
  const by = sortValues[order?.column ?? ''];
  if (!order || !by) return list;
  return [...list].sort((a, b) => compare(by(a), by(b), order.down));
}

const keyOf = (root: string, currency: string) => `${root} ${currency}`;
const line = (position: Position): Line => ({ id: position.trade_id, group: null, position });

/** Returns a line for each position. */
export function listPositions(list: Position[], order: Order | null): Line[] {
  return sortPositions(list, order).map(line);
}

/**
 * Returns a line for each underlying and currency, followed by its positions. Groups are in the order of their own
 * value of the column, or of their names if it has none.
 */
export function groupPositions(list: Position[], roots: RootTotals[], order: Order | null): Line[] {
  const value = groupValues[order?.column ?? ''];
  const isByName = order?.column === 'symbol';
  const groups = [...roots].sort((a, b) =>
    order && value
      ? compare(value(a), value(b), order.down)
      : compare(a.root, b.root, isByName && order.down),
  );
  const members = new Map<string, Line[]>(groups.map((g) => [keyOf(g.root, g.currency), []]));
  for (const p of sortPositions(list, order)) members.get(keyOf(p.root, p.pnl_currency))?.push(line(p));
  return groups.flatMap((group) => {
    const id = keyOf(group.root, group.currency);
    return [{ id, group, position: null }, ...members.get(id)!];
  });
}
