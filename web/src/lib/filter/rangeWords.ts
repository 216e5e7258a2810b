// Comparisons with numbers in a typed text: "held over 1 hour", "r > 2".

import { duration } from '../format/format';
import { findReadings, normalizeNumber, showNumber } from '../format/typed';
import { excursionRanges, maxOf, minOf } from './excursions';
import type { Filter } from './filter';
import { term, type Change, type Found, type Journal } from './terms';
import { findHold, hoursFrom, parseHold } from './timeWords';

type Bound = 'min' | 'max' | 'both';

const comparisons: Record<string, Bound> = {
  '>': 'min',
  '>=': 'min',
  '≥': 'min',
  above: 'min',
  over: 'min',
  'more than': 'min',
  'longer than': 'min',
  'greater than': 'min',
  'at least': 'min',
  '<': 'max',
  '<=': 'max',
  '≤': 'max',
  below: 'max',
  under: 'max',
  'less than': 'max',
  'shorter than': 'max',
  'at most': 'max',
  'up to': 'max',
  '=': 'both',
};

/** Finds a comparison such as > or "more than", and how many words it takes. */
function findBound(words: string[]): { bound: Bound; length: number } | null {
  const [first = '', second = ''] = words;
  const pair = comparisons[`${first} ${second}`];
  if (pair) return { bound: pair, length: 2 };
  return comparisons[first] ? { bound: comparisons[first], length: 1 } : null;
}

const boundsOf = (bound: Bound, low: keyof Filter, high: keyof Filter, value: string): Change => ({
  ...(bound === 'max' ? {} : { [low]: value }),
  ...(bound === 'min' ? {} : { [high]: value }),
});
const boundSigns: Record<Bound, string> = { min: '≥', max: '≤', both: '=' };

/** Finds a holding time: "held over 1 hour", "under 5 min", "held 5 to 30 min", "hold < 5m". */
export function findHoldRange(words: string[]): Found | null {
  let at = ['hold', 'held', 'holding', 'time'].includes(words[0] ?? '') ? 1 : 0;
  const named = at > 0;
  if (named && words[at] === 'time') at++;
  if (named && words[at] === 'for') at++;
  const write = (seconds: string) => duration(Number(seconds));
  const compared = findBound(words.slice(at));
  if (compared) {
    const start = at + compared.length;
    const held = findHold(words.slice(start));
    if (!held) return null;
    return {
      length: start + held.length,
      term: term(
        'Holding time',
        `Held ${boundSigns[compared.bound]} ${write(held.seconds)}`,
        boundsOf(compared.bound, 'holdMin', 'holdMax', held.seconds),
      ),
    };
  }
  if (named && ['from', 'between'].includes(words[at] ?? '')) at++;
  const high =
    named && ['to', 'and', '-', '–'].includes(words[at + 1] ?? '') ? findHold(words.slice(at + 2)) : null;
  if (!high) return null;
  const unit = /[a-z]+$/.exec(words[at + 1 + high.length] ?? '')?.[0] ?? '';
  const low = parseHold(/^[\d.,]+$/.test(words[at] ?? '') ? `${words[at]}${unit}` : (words[at] ?? ''));
  if (!low || Number(low) > Number(high.seconds)) return null;
  return {
    length: at + 2 + high.length,
    term: term('Holding time', `Held ${write(low)} to ${write(high.seconds)}`, {
      holdMin: low,
      holdMax: high.seconds,
    }),
  };
}

const rNames = ['r', 'rr', 'r-multiple'];

/** Finds a comparison: "r > 2", "over 2r", "pnl < -100", "dte <= 7", "grade >= 4". */
export function findRange(words: string[], journal: Journal): Found | null {
  const unnamed = findBound(words);
  const compared = unnamed ?? findBound(words.slice(1));
  if (!compared) return null;
  const { bound } = compared;
  const at = compared.length + (unnamed ? 0 : 1);
  const name = unnamed ? '' : words[0]!;
  const glued = /^([-+]?[\d.,]+)r$/.exec(words[at] ?? '');
  const typed = normalizeNumber(glued?.[1] ?? words[at] ?? '', journal.signs);
  const number = findReadings(typed, journal.signs)?.[0] ?? typed; // the suggestion shows how it is read
  if (!/^[-+]?\d+(\.\d+)?$/.test(number)) return null;
  const isR = glued !== null || (words[at + 1] === 'r' && !findBound(words.slice(at + 2)));
  const length = at + 1 + (isR && !glued ? 1 : 0);
  const shown = `${boundSigns[bound]} ${showNumber(number, journal.signs)}`;
  if (isR ? ['', ...rNames].includes(name) : rNames.includes(name))
    return { length, term: term('R multiple', `${shown} R`, boundsOf(bound, 'rMin', 'rMax', number)) };
  if (isR || unnamed) return null;
  if (['pnl', 'profit', 'net'].includes(name))
    return { length, term: term('P&L', `P&L ${shown}`, boundsOf(bound, 'pnlMin', 'pnlMax', number)) };
  const excursion = excursionRanges.find((range) => range.typed.includes(name));
  if (excursion)
    return {
      length,
      term: term(
        excursion.title,
        `${excursion.title} ${shown}${excursion.unit}`,
        boundsOf(bound, minOf(excursion.id), maxOf(excursion.id), number),
      ),
    };
  if (['dte', 'expiry'].includes(name) && /^-?\d+$/.test(number))
    return {
      length,
      term: term('Days to expiry', `${shown} days to expiry`, boundsOf(bound, 'dteMin', 'dteMax', number)),
    };
  if (['grade', 'quality'].includes(name) && /^[1-5]$/.test(number)) {
    const grade = Number(number);
    const grades = hoursFrom(1, 5).filter((g) =>
      bound === 'min' ? Number(g) >= grade : bound === 'max' ? Number(g) <= grade : g === number,
    );
    return { length, term: term('Grade', `Grade ${shown}`, { grades }) };
  }
  return null;
}
