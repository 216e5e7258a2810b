// Selections that depend on more than the trade itself: on the order of all trades,
// or on what the API found.

import type { Schemas } from '../../lib/api/client';
import { dayOf } from '../../lib/format/days';
import { hasAllIds, type Trade, type TradeSet } from './selection';

interface Known {
  explanation: TradeSet | undefined;
  /** The trades after which the selected ones follow. */
  before: Trade[] | undefined;
  behavior: Schemas['BehaviorAnswer'] | undefined;
  clock: { tz: string; basis: 'close' | 'open' };
}

/** Returns the data a selection needs besides the trades. */
export function neededData(kind: string): 'explained' | 'behavior' | 'nothing' {
  if (kind === 'figure') return 'explained';
  return kind === 'behavior' ? 'behavior' : 'nothing';
}

/** Returns the selected trades; undefined while data is missing. */
export function selectFromList(list: Trade[], kind: string, key: string, known: Known): Trade[] | undefined {
  switch (kind) {
    case 'figure':
      return known.explanation && tradesOfFigure(list, known.explanation);
    case 'behavior':
      return known.behavior && tradesOfBehavior(list, key, known.behavior, known.clock.tz);
    case 'after':
      return known.before && tradesAfter(list, known.before);
    case 'size':
      return sizeQuarter(list, Number(key.slice(1)));
    default:
      return [];
  }
}

const streaks = ['max_drawdown', 'longest_run_of_wins', 'longest_run_of_losses'];

/** Returns a set's trades; the list is that of limitToSet. */
function tradesOfFigure(list: Trade[], explanation: TradeSet): Trade[] {
  if (!streaks.includes(explanation.which) || hasAllIds(explanation)) return list;
  const ids = new Set(explanation.trade_ids);
  // The API lists only the first trades of a long streak. A streak has no gaps, so the others follow them.
  const ordered = sortByClose(list);
  const first = ordered.findIndex((t) => ids.has(t.id));
  return ordered.slice(first, first + explanation.trade_count).reverse();
}

function tradesOfBehavior(
  list: Trade[],
  name: string,
  found: Schemas['BehaviorAnswer'],
  tz: string,
): Trade[] {
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

function tradesAfter(list: Trade[], before: Trade[]): Trade[] {
  const ids = new Set(before.map((t) => t.id));
  const ordered = sortByClose(list);
  return ordered.filter((_, i) => i > 0 && ids.has(ordered[i - 1]!.id)).reverse();
}

/** Returns the trades of a quarter of the sizes, by nearest rank. */
function sizeQuarter(list: Trade[], number: number): Trade[] {
  const size = (t: Trade) => Number(t.avg_entry_price) * Number(t.qty_opened) * Number(t.multiplier);
  const sizes = list.map(size).sort((a, b) => a - b);
  const limit = (k: number) => (k === 0 ? -Infinity : sizes[Math.ceil((k * sizes.length) / 4) - 1]!);
  return list.filter((t) => size(t) > limit(number - 1) && size(t) <= limit(number));
}
