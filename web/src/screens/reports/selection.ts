// Selects a figure's trades. The API filters trades by account, time, symbol,
// side, setup and tag; hours, sessions, grades and the like are filtered here, by
// the same rules the API groups by. Nothing is added up.
//
// A selection is written kind:key in the address, such as hour:9.

import type { Schemas } from '../../lib/api/client';
import { dayOf, endOf, lastDayOf, startOf, weekdayOf } from '../../lib/format/days';
import type { Scope } from '../../lib/filter/filter';

export type Trade = Schemas['Trade'];
export type Predicate = (trade: Trade) => boolean;

export function parseSelection(text: string): { kind: string; key: string } {
  const at = text.indexOf(':');
  return at < 0 ? { kind: text, key: '' } : { kind: text.slice(0, at), key: text.slice(at + 1) };
}

interface Clock {
  tz: string;
  basis: 'close' | 'open';
}

const hourFormats = new Map<string, Intl.DateTimeFormat>();

/** Returns the minutes since midnight in a time zone. */
function minuteOfDay(at: string, tz: string): number {
  let format = hourFormats.get(tz);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: tz,
      hourCycle: 'h23',
      hour: '2-digit',
      minute: '2-digit',
    });
    hourFormats.set(tz, format);
  }
  const [hour, minute] = format.format(new Date(at)).split(':').map(Number);
  return hour! * 60 + minute!;
}

export function sessionOf(at: string): string {
  const minute = minuteOfDay(at, 'America/New_York');
  if (minute < 240 || minute >= 1200) return 'overnight';
  if (minute < 570) return 'premarket';
  return minute < 960 ? 'rth' : 'afterhours';
}

const holdingTimes: [string, number][] = [
  ['under_1m', 60],
  ['1m_5m', 300],
  ['5m_15m', 900],
  ['15m_1h', 3600],
  ['1h_4h', 14400],
  ['4h_1d', 86400],
  ['1d_1w', 604800],
];

function holdingTimeOf(t: Trade): string {
  const seconds = (Date.parse(t.closed_at ?? '') - Date.parse(t.opened_at)) / 1000;
  return holdingTimes.find(([, below]) => seconds < below)?.[0] ?? 'over_1w';
}

const basisTime = (t: Trade, clock: Clock) => (clock.basis === 'open' ? t.opened_at : (t.closed_at ?? ''));

type Outcome = 'win' | 'loss' | 'breakeven';

/** The outcomes of the sets of trades that figures are computed from. The API knows the breakeven tolerance. */
const outcomesOfSet: Record<string, Outcome[]> = {
  winners: ['win'],
  losers: ['loss'],
  breakeven: ['breakeven'],
  winners_and_losers: ['win', 'loss'],
};

/** A set of trades a figure is computed from, and the ids of its first trades. */
export interface TradeSet {
  which: string;
  trade_count: number;
  trade_ids: string[];
}

/** Returns the scope of the trades with an outcome, or null if the scope has none of them. */
export function limitToOutcomes(scope: Scope, outcomes: Outcome[]): Scope | null {
  const left = outcomes.filter((o) => !scope.outcome || scope.outcome.includes(o));
  return left.length > 0 ? { ...scope, outcome: left } : null;
}

/** Returns a set's scope, or null if the scope has none of its trades. Of a set the API cannot filter it has more than the set. */
export function limitToSet(scope: Scope, set: TradeSet): Scope | null {
  const outcomes = outcomesOfSet[set.which];
  if (outcomes) return limitToOutcomes(scope, outcomes);
  if (set.which === 'with_r') return scope.has_r === false ? null : { ...scope, has_r: true };
  return set.which !== 'all' && hasAllIds(set) ? { ...scope, trade_id: set.trade_ids } : scope;
}

export const hasAllIds = (set: TradeSet) => set.trade_ids.length === set.trade_count;

/** Returns a selection's predicate, or null if it depends on more than the trade itself. */
export function createPredicate(kind: string, key: string, clock: Clock): Predicate | null {
  switch (kind) {
    case 'which':
    case 'root':
      return () => true; // the API filters it
    case 'symbol':
      return (t) => t.symbol === key;
    case 'side':
      return (t) => t.direction === key;
    case 'account':
      return (t) => t.account_id === key;
    case 'instrument':
      return (t) => t.instrument_type === key;
    case 'setup':
      return (t) => (key ? t.setup_ids.includes(key) : t.setup_ids.length === 0);
    case 'tag':
      return (t) => (key ? t.tag_ids.includes(key) : t.tag_ids.length === 0);
    case 'mistake':
      return (t) => (key ? t.tag_ids.includes(key) : !t.tags.some((tag) => tag.kind === 'mistake'));
    case 'grade':
      return (t) => (t.trade_quality ?? '').toString() === key;
    case 'hour':
      return (t) => Math.floor(minuteOfDay(t.opened_at, clock.tz) / 60) === Number(key);
    case 'weekday':
      return (t) => weekdayOf(dayOf(new Date(t.opened_at), clock.tz)) === Number(key);
    case 'weekday_hour': {
      const [day = '', hour = ''] = key.split('-');
      const [onDay, inHour] = [createPredicate('weekday', day, clock), createPredicate('hour', hour, clock)];
      return (t) => onDay!(t) && inHour!(t);
    }
    case 'session':
      return (t) => sessionOf(t.opened_at) === key;
    case 'hold_time':
      return (t) => holdingTimeOf(t) === key;
    case 'month':
      return (t) => dayOf(new Date(basisTime(t, clock)), clock.tz).startsWith(key);
    case 'day':
      return (t) => dayOf(new Date(basisTime(t, clock)), clock.tz) === key;
    case 'opened':
      return (t) => dayOf(new Date(t.opened_at), clock.tz) === key;
    case 'closed':
      return closedWithin(key);
    case 'r':
      return inRBucket(key);
    default:
      return null;
  }
}

/** closed:from..to, both included. */
function closedWithin(key: string): Predicate {
  const [from, to] = key.split('..').map((text) => (text ? Date.parse(text) : NaN));
  return (t) => {
    const at = Date.parse(t.closed_at ?? '');
    return !(at < from!) && !(at > to!);
  };
}

/** r:from..to, the lower edge included. */
function inRBucket(key: string): Predicate {
  const [from, to] = key.split('..');
  return (t) => {
    if (t.r_multiple === null) return false;
    const r = Number(t.r_multiple);
    return !(from && r < Number(from)) && !(to && r >= Number(to));
  };
}

/** Returns the scope with the part of the selection the API can filter. */
export function narrowScope(scope: Scope, kind: string, key: string, clock: Clock): Scope {
  if (!key) return scope;
  if (kind === 'symbol' && !scope.symbol) return { ...scope, symbol: [key] };
  if (kind === 'root') return { ...scope, root: [key] };
  if (kind === 'account' && !scope.account_id) return { ...scope, account_id: [key] };
  if (kind === 'setup' && !scope.setup_id) return { ...scope, setup_id: [key] };
  if ((kind === 'tag' || kind === 'mistake') && !scope.tag_id) return { ...scope, tag_id: [key] };
  if (kind === 'day' || kind === 'month') {
    const first = kind === 'day' ? key : `${key}-01`;
    const last = kind === 'day' ? key : lastDayOf(key);
    return limitScope(scope, startOf(first, clock.tz), endOf(last, clock.tz));
  }
  if (kind === 'closed' && clock.basis === 'close') {
    const [from = '', to = ''] = key.split('..');
    return limitScope(scope, from, to);
  }
  return scope;
}

/** Returns the scope limited to a span; '' leaves that end as it is. */
export function limitScope(scope: Scope, from: string, to: string): Scope {
  const later = !scope.from || (from && Date.parse(from) > Date.parse(scope.from)) ? from : scope.from;
  const earlier = !scope.to || (to && Date.parse(to) < Date.parse(scope.to)) ? to : scope.to;
  return { ...scope, ...(later ? { from: later } : {}), ...(earlier ? { to: earlier } : {}) };
}
