// Choices that a trade cannot tell by itself: those of its place in the row of
// trades, and those that the API found.

import type { Schemas } from '../../lib/api/client';
import { dayOf } from '../../lib/format/days';
import { chooser, type Trade } from './behind';

interface Known {
  how: Schemas['Explained'] | undefined;
  behaviour: Schemas['Behavior'] | undefined;
  clock: { tz: string; basis: 'close' | 'open' };
}

export function needs(kind: string): 'explained' | 'behaviour' | 'nothing' {
  if (kind === 'figure') return 'explained';
  return kind === 'behaviour' ? 'behaviour' : 'nothing';
}

/** The trades of such a choice; undefined while what it needs is not there. */
export function inOrder(list: Trade[], kind: string, key: string, known: Known): Trade[] | undefined {
  switch (kind) {
    case 'figure':
      return known.how && ofFigure(list, known.how, known);
    case 'behaviour':
      return known.behaviour && ofBehaviour(list, key, known.behaviour, known.clock.tz);
    case 'after':
      return following(list, key === 'win' ? 1 : -1);
    case 'size':
      return quarter(list, Number(key.slice(1)));
    default:
      return [];
  }
}

function ofFigure(list: Trade[], how: Schemas['Explained'], known: Known): Trade[] {
  const tells = chooser('which', how.which, known.clock);
  if (tells) return list.filter(tells);
  const ids = new Set(how.trade_ids);
  const named = list.filter((t) => ids.has(t.id));
  if (how.trade_count <= ids.size || named.length === 0) return named;
  // A long run is named by its first trades only. Runs have no gaps, so the rest follows them.
  const ordered = byClosing(list);
  const first = ordered.findIndex((t) => ids.has(t.id));
  return ordered.slice(first, first + how.trade_count).reverse();
}

function ofBehaviour(list: Trade[], name: string, found: Schemas['Behavior'], tz: string): Trade[] {
  if (name === 'overtrading') {
    const days = new Set(found.overtrading.events.map((e) => e.date));
    return list.filter((t) => days.has(dayOf(new Date(t.opened_at), tz)));
  }
  const detector =
    { revenge: found.revenge, overconfidence: found.overconfidence }[name] ?? found.loss_aversion;
  const ids = new Set(detector.events.map((e) => e.trade_id));
  return list.filter((t) => ids.has(t.id));
}

function byClosing(list: Trade[]): Trade[] {
  return [...list].sort(
    (a, b) => Date.parse(a.closed_at ?? '') - Date.parse(b.closed_at ?? '') || (a.id < b.id ? -1 : 1),
  );
}

function following(list: Trade[], sign: number): Trade[] {
  const ordered = byClosing(list);
  return ordered.filter((_, i) => i > 0 && Math.sign(Number(ordered[i - 1]!.net_pnl)) === sign).reverse();
}

/** Quarters of the sizes, by nearest rank; the size only puts trades in order. */
function quarter(list: Trade[], number: number): Trade[] {
  const size = (t: Trade) => Number(t.avg_entry_price) * Number(t.qty_opened) * Number(t.multiplier);
  const sizes = list.map(size).sort((a, b) => a - b);
  const limit = (k: number) => (k === 0 ? -Infinity : sizes[Math.ceil((k * sizes.length) / 4) - 1]!);
  return list.filter((t) => size(t) > limit(number - 1) && size(t) <= limit(number));
}
