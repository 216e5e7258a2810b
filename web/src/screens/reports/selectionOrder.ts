// Selections that depend on more than the trade itself: on the order of all trades,
// or on what the API found.

import type { Schemas } from '../../lib/api/client';
import { dayOf } from '../../lib/format/days';
import { createPredicate, type Trade } from './selection';

interface Known {
  explanation: Schemas['Explained'] | undefined;
  behavior: Schemas['Behavior'] | undefined;
  clock: { tz: string; basis: 'close' | 'open' };
}

/** Returns the data that a selection needs besides the trades. */
export function neededData(kind: string): 'explained' | 'behavior' | 'nothing' {
  if (kind === 'figure') return 'explained';
  return kind === 'behavior' ? 'behavior' : 'nothing';
}

/** Returns the selected trades; undefined while data is missing. */
export function selectFromList(list: Trade[], kind: string, key: string, known: Known): Trade[] | undefined {
  switch (kind) {
    case 'figure':
      return known.explanation && tradesOfFigure(list, known.explanation, known);
    case 'behavior':
      return known.behavior && tradesOfBehavior(list, key, known.behavior, known.clock.tz);
    case 'after':
      return tradesAfter(list, key === 'win' ? 1 : -1);
    case 'size':
      return sizeQuarter(list, Number(key.slice(1)));
    default:
      return [];
  }
}

function tradesOfFigure(list: Trade[], explanation: Schemas['Explained'], known: Known): Trade[] {
  const matches = createPredicate('which', explanation.which, known.clock);
  if (matches) return list.filter(matches);
  const ids = new Set(explanation.trade_ids);
  const listed = list.filter((t) => ids.has(t.id));
  if (explanation.trade_count <= ids.size || listed.length === 0) return listed;
  // The API lists only the first trades of a long streak. A streak has no gaps, so the others follow them.
  const ordered = sortByClose(list);
  const first = ordered.findIndex((t) => ids.has(t.id));
  return ordered.slice(first, first + explanation.trade_count).reverse();
}

function tradesOfBehavior(list: Trade[], name: string, found: Schemas['Behavior'], tz: string): Trade[] {
  if (name === 'overtrading') {
    const days = new Set(found.overtrading.events.map((e) => e.date));
    return list.filter((t) => days.has(dayOf(new Date(t.opened_at), tz)));
  }
  const detector =
    { revenge: found.revenge, overconfidence: found.overconfidence }[name] ?? found.loss_aversion;
  const ids = new Set(detector.events.map((e) => e.trade_id));
  return list.filter((t) => ids.has(t.id));
}

function sortByClose(list: Trade[]): Trade[] {
  return [...list].sort(
    (a, b) => Date.parse(a.closed_at ?? '') - Date.parse(b.closed_at ?? '') || (a.id < b.id ? -1 : 1),
  );
}

function tradesAfter(list: Trade[], sign: number): Trade[] {
  const ordered = sortByClose(list);
  return ordered.filter((_, i) => i > 0 && Math.sign(Number(ordered[i - 1]!.net_pnl)) === sign).reverse();
}

/** Returns the trades of a quarter of the sizes, by nearest rank. */
function sizeQuarter(list: Trade[], number: number): Trade[] {
  const size = (t: Trade) => Number(t.avg_entry_price) * Number(t.qty_opened) * Number(t.multiplier);
  const sizes = list.map(size).sort((a, b) => a - b);
  const limit = (k: number) => (k === 0 ? -Infinity : sizes[Math.ceil((k * sizes.length) / 4) - 1]!);
  return list.filter((t) => size(t) > limit(number - 1) && size(t) <= limit(number));
}
