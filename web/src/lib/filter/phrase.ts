// Reads what is typed into "Add filter". One text may hold several conditions:
// "losing nq shorts fri after 14:00 opening drive". It never guesses: words that
// are no condition, or that may be several, are returned as not understood.

import { duration } from '../format/format';
import { findReadings, normalizeNumber, showNumber, type NumberSigns } from '../format/typed';
import { findDays, rangeOf, type Today } from './dateWords';
import { describeHours, sessionNames, weekdayNames } from './describe';
import { excursionRanges, maxOf, minOf } from './excursions';
import type { Filter } from './filter';
import { parseCount } from './numberWords';
import { rangeLabels, type Days } from './periods';
import { findSequence } from './sequenceWords';

/** What the page knows of the journal. */
export interface Journal extends Today {
  roots: string[];
  symbols: string[];
  setups: { id: string; name: string }[];
  tags: { id: string; name: string }[];
  /** The rules of all setups. */
  rules: string[];
  accounts: { id: string; name: string }[];
  /** How the user writes numbers. */
  signs: NumberSigns;
  /** Formats an hour of the day. */
  hour: (hour: number) => string;
  /** Formats days. */
  period: (days: Days) => string;
}

/** A condition that is read from a text. */
export interface Term {
  /** What it tests: "Root", "Weekday". */
  kind: string;
  /** The value: "NQ", "Friday". */
  label: string;
  change: Change;
}

/** A change of the filter. Lists are added to those of the filter. */
export type Change = Partial<Filter>;

/** A term at a place of the typed text. */
interface Found {
  term: Term;
  length: number; // in tokens
  /** What it may mean as well. */
  others?: Term[];
}

const hoursFrom = (first: number, last = 23) =>
  Array.from({ length: last - first + 1 }, (_, i) => String(first + i));

const term = (kind: string, label: string, change: Change): Term => ({ kind, label, change });

/** Conditions with fixed words. The first word of an entry is the one that is suggested. */
const fixed: [string[], Term][] = [
  [
    ['losing', 'loss', 'losses', 'loser', 'losers', 'lost'],
    term('Outcome', 'Losing', { outcomes: ['loss'] }),
  ],
  [['winning', 'win', 'wins', 'winner', 'winners', 'won'], term('Outcome', 'Winning', { outcomes: ['win'] })],
  [['breakeven', 'break even', 'scratch'], term('Outcome', 'Breakeven', { outcomes: ['breakeven'] })],
  [['short', 'shorts'], term('Side', 'Short', { side: 'short' })],
  [['long', 'longs'], term('Side', 'Long', { side: 'long' })],
  [['open', 'open trades', 'open positions'], term('Status', 'Open', { status: 'open' })],
  [['closed', 'closed trades'], term('Status', 'Closed', { status: 'closed' })],
  [['unreviewed', 'not reviewed', 'to review'], term('Review', 'Unreviewed', { reviewed: 'false' })],
  [['reviewed'], term('Review', 'Reviewed', { reviewed: 'true' })],
  [['stock', 'stocks'], term('Instrument', 'Stock', { types: ['stock'] })],
  [['option', 'options'], term('Instrument', 'Option', { types: ['option'] })],
  [['future', 'futures'], term('Instrument', 'Future', { types: ['future'] })],
  [['forex', 'fx'], term('Instrument', 'Forex', { types: ['forex'] })],
  [['crypto'], term('Instrument', 'Crypto', { types: ['crypto'] })],
  [['cfd', 'cfds'], term('Instrument', 'CFD', { types: ['cfd'] })],
  [['call', 'calls'], term('Option right', 'Call', { rights: ['call'] })],
  [['put', 'puts'], term('Option right', 'Put', { rights: ['put'] })],
  [['0dte', '0 dte'], term('Days to expiry', 'Same day', { dteMin: '0', dteMax: '0' })],
  [
    ['premarket', 'pre-market', 'pre market'],
    term('Session', sessionNames.premarket!, { sessions: ['premarket'] }),
  ],
  [['rth', 'regular session', 'regular hours'], term('Session', sessionNames.rth!, { sessions: ['rth'] })],
  [
    ['after hours', 'afterhours', 'after-hours', 'post market', 'postmarket'],
    term('Session', sessionNames.afterhours!, { sessions: ['afterhours'] }),
  ],
  [['overnight'], term('Session', sessionNames.overnight!, { sessions: ['overnight'] })],
  [['morning'], term('Time', 'Before noon', { hours: hoursFrom(0, 11) })],
  [['afternoon'], term('Time', 'After noon', { hours: hoursFrom(12) })],
  [
    ['broke a rule', 'broke rule', 'broken rule', 'broken rules', 'rule broken', 'rules broken'],
    term('Rule', 'Broke a rule', { ruleStates: ['broken'], rule: '' }),
  ],
  [
    ['followed a rule', 'followed rule', 'followed rules', 'rule followed', 'rules followed'],
    term('Rule', 'Followed a rule', { ruleStates: ['followed'], rule: '' }),
  ],
  [
    ['mistake', 'with mistake', 'with a mistake', 'mistakes'],
    term('Mistake', 'With a mistake', { mistake: 'true' }),
  ],
  [
    ['no mistake', 'no mistakes', 'without mistake', 'without a mistake', 'without mistakes'],
    term('Mistake', 'Without mistakes', { mistake: 'false' }),
  ],
  [
    ['no setup', 'without setup', 'without a setup'],
    term('Setup', 'No setup', { setups: [], setupMode: 'none' }),
  ],
  [
    ['no tag', 'no tags', 'without tag', 'without tags', 'untagged'],
    term('Tag', 'No tags', { tags: [], tagMode: 'none' }),
  ],
  [['has note', 'with note', 'with a note', 'with notes'], term('Note', 'With a note', { hasNote: 'true' })],
  [
    ['no note', 'no notes', 'without note', 'without a note', 'without notes'],
    term('Note', 'Without a note', { hasNote: 'false' }),
  ],
  [
    ['has screenshot', 'with screenshot', 'with a screenshot', 'screenshot', 'has attachment'],
    term('Screenshot', 'With a screenshot', { hasAttachment: 'true' }),
  ],
  [
    ['no screenshot', 'without screenshot', 'without a screenshot', 'no attachment'],
    term('Screenshot', 'Without a screenshot', { hasAttachment: 'false' }),
  ],
  [
    ['has mae', 'with mae', 'has mfe', 'with mfe'],
    term('MAE and MFE', 'With MAE and MFE', { hasExcursion: 'true' }),
  ],
  [
    ['no mae', 'without mae', 'no mfe', 'without mfe'],
    term('MAE and MFE', 'Without MAE and MFE', { hasExcursion: 'false' }),
  ],
  [['has r', 'with r'], term('R multiple', 'With an R multiple', { hasR: 'true' })],
  [['no r', 'without r'], term('R multiple', 'Without an R multiple', { hasR: 'false' })],
  ...weekdayNames.map((name, day): [string[], Term] => [
    [
      name,
      `${name}s`,
      name.slice(0, 3),
      ...(name.startsWith('T') ? [name.slice(0, 4), name.slice(0, 5)] : []),
    ].map((word) => word.toLowerCase()),
    term('Weekday', name, { weekdays: [String(day)] }),
  ]),
];

/** Words that join conditions and mean nothing alone. */
const fillers = new Set([
  'all',
  'and',
  'in',
  'on',
  'with',
  'trades',
  'trade',
  'the',
  'a',
  'of',
  'my',
  'that',
  'are',
  'is',
]);

/** Words that change the meaning of the next condition: if they are not understood, neither is that. */
const binders = new Set([
  ...['not', 'no', 'without', 'except', 'excluding', 'never', 'non', 'but'],
  ...['after', 'before', 'since', 'until', 'through', 'from', 'between', 'than', 'or', 'to'],
  ...['over', 'above', 'under', 'below', 'more', 'less', 'at', 'least', 'most', 'up'],
]);

const fold = (text: string) => text.toLowerCase().normalize('NFC');

/** Splits a text into words. Words in quotation marks stay together, with a mark before them. */
function tokensOf(text: string): string[] {
  return text
    .split(/["“”„]/)
    .flatMap((part, i, all) =>
      i % 2 === 1 && i < all.length - 1
        ? part.trim()
          ? [`"${part.trim()}`]
          : []
        : part
            .replace(/(>=|<=|≥|≤|>|<)/g, ' $1 ')
            .replace(/(\d)\s+([ap]m)\b/gi, '$1$2')
            .replace(/(\d)\s*o[’']?clock\b/gi, '$1:00')
            .replaceAll('p&l', 'pnl')
            .replaceAll('P&L', 'pnl')
            .split(/\s+|,(?!\d)|(?<!\d),/),
    )
    .filter(Boolean);
}

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const timeUnit = 's|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?';
const holdText = new RegExp(`^(\\d+(?:[.,]\\d+)?)\\s*(${timeUnit})?$`, 'i');
const holdWord = new RegExp(`^[\\d.,]+(${timeUnit})$`);
const unitWord = new RegExp(`^(${timeUnit})$`);

/** Returns the seconds of a holding time such as 5m, 1.5h, 90 s or 2d, or '' for any other text. */
export function parseHold(text: string): string {
  const found = holdText.exec(text.trim());
  if (!found) return '';
  const unit = secondsOf[(found[2] ?? 'm').charAt(0).toLowerCase()]!;
  return String(Number(found[1]!.replace(',', '.')) * unit);
}

/** Finds a holding time with its unit: 5m, 5 min, an hour. */
function findHold(words: string[]): { seconds: string; length: number } | null {
  const [first = '', second = ''] = words;
  if (holdWord.test(first)) return { seconds: parseHold(first), length: 1 };
  const number = parseCount(first) ?? (/^\d+[.,]\d+$/.test(first) ? first : null);
  if (number === null || !unitWord.test(second)) return null;
  return { seconds: parseHold(`${number}${second}`), length: 2 };
}

/** Parses an hour such as 14:00 or 2pm. Returns null for any other text, and for a bare number. */
function parseHour(text: string): number | null {
  const found = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/i.exec(text);
  if (!found || Number(found[2] ?? 0) > 0) return null; // hours only
  let hour = Number(found[1]);
  const half = found[3]?.toLowerCase();
  if (half && (hour < 1 || hour > 12)) return null;
  if (half) hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  return hour <= 23 && (found[2] !== undefined || half) ? hour : null;
}

/** Parses the first hour of a range. A bare one is written as the second: 9 to 11am, 9 to 11:00. */
function parseFirstHour(text: string, second: string): number | null {
  if (!/^\d{1,2}$/.test(text)) return parseHour(text);
  return parseHour(text + (/[ap]m$/.exec(second)?.[0] ?? ':00'));
}

/** Finds a time at the beginning: "14:00", "after 2pm", "before 10:00", "from 9:00 to 12:00", "at 10am". */
function findTime(words: string[], journal: Journal): Found | null {
  const [first = '', second = '', third = '', fourth = ''] = words;
  const found = (length: number, hours: string[]): Found | null => {
    if (hours.length === 0) return null;
    const label = describeHours(hours, journal.hour);
    return { length, term: term('Time', label.charAt(0).toUpperCase() + label.slice(1), { hours }) };
  };
  const next = parseHour(second);
  if (['after', 'since', 'from'].includes(first) && next !== null && third !== 'to')
    return found(2, hoursFrom(next));
  if (['before', 'until'].includes(first) && next !== null) return found(2, hoursFrom(0, next - 1));
  if (first === 'at' && next !== null) return found(2, [String(next)]);
  const between = (from: string, to: string, length: number) => {
    const [low, high] = [parseFirstHour(from, to), parseHour(to)];
    return low === null || high === null || low >= high ? null : found(length, hoursFrom(low, high - 1));
  };
  if (['from', 'between'].includes(first) && ['to', 'and', '-', '–', 'until'].includes(third))
    return between(second, fourth, 4);
  const [from, to] = first.split(/[-–]/);
  if (from && to) return between(from, to, 1);
  const hour = parseHour(first);
  return hour === null ? null : found(1, hoursFrom(hour));
}

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
function findHoldRange(words: string[]): Found | null {
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
function findRange(words: string[], journal: Journal): Found | null {
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

/** Finds dates: "yesterday", "last month", "since monday", "in march". */
function findDates(words: string[], journal: Journal): Found | null {
  const found = findDays(words, journal);
  if (!found) return null;
  const chosen = rangeOf(found, journal);
  const label = chosen.range === 'custom' ? journal.period(chosen) : rangeLabels[chosen.range];
  return { length: found.length, term: term('Dates', label, { ...chosen }) };
}

/** Finds what came before on the day: "after 2 losses", "third or later". */
function findOrder(words: string[]): Found | null {
  const found = findSequence(words);
  return found && { length: found.length, term: term('Order', found.label, found.change) };
}

/** Finds "grade 4" or "graded 4 or 5". */
function findGrade(tokens: string[]): Found | null {
  if (!/^(grade|graded|quality)$/i.test(tokens[0] ?? '') || !/^[1-5]$/.test(tokens[1] ?? '')) return null;
  const more = /^or$/i.test(tokens[2] ?? '') && /^[1-5]$/.test(tokens[3] ?? '');
  const grades = [tokens[1]!, ...(more ? [tokens[3]!] : [])];
  return { length: more ? 4 : 2, term: term('Grade', `Grade ${grades.join(' or ')}`, { grades }) };
}

/** Finds "feeling calm". */
function findEmotion(tokens: string[]): Found | null {
  const [first = '', second] = tokens;
  if (fold(first) !== 'feeling' || !second) return null;
  return { length: 2, term: term('Emotional state', `Feeling ${second}`, { emotions: [second] }) };
}

const ruleTerm = (state: 'followed' | 'broken', rule: string) =>
  term('Rule', `${state === 'broken' ? 'Broke' : 'Followed'} “${rule}”`, { ruleStates: [state], rule });

/** Finds "broke wait for the retest" and "followed small size". */
function findRule(tokens: string[], journal: Journal): Found | null {
  const states = { broke: 'broken', broken: 'broken', followed: 'followed' } as const;
  const state = states[fold(tokens[0] ?? '') as keyof typeof states];
  if (!state) return null;
  let best: Found | null = null;
  for (const rule of journal.rules) {
    const length = matchName(tokens.slice(1), rule);
    if (length > 0 && length + 1 > (best?.length ?? 0))
      best = { length: length + 1, term: ruleTerm(state, rule) };
  }
  return best;
}

const splitNames = new Map<string, string[]>(); // each word of a text is compared with all names

/** Returns a name's words in lower case. */
function wordsOf(name: string): string[] {
  let words = splitNames.get(name);
  if (!words) splitNames.set(name, (words = tokensOf(name).map(fold)));
  return words;
}

/** Finds a name's words at the beginning of the tokens. Returns their number, 0 if they differ. */
function matchName(tokens: string[], name: string): number {
  const words = wordsOf(name);
  return words.length > 0 && words.every((word, i) => fold(tokens[i] ?? '') === word) ? words.length : 0;
}

/** Finds words of a name in their order, the last of them perhaps in part. Returns how many, 0 if none. */
function matchPart(tokens: string[], name: string): number {
  const words = wordsOf(name);
  const typed = tokens.map(fold);
  const isWord = (token: string | undefined, word: string) => token === word || token === `${word}s`;
  let best = 0;
  for (let start = 0; start < words.length; start++) {
    let length = 0;
    while (start + length < words.length && isWord(typed[length], words[start + length]!)) length++;
    const next = typed[length] ?? '';
    if (next.length >= 3 && words[start + length]?.startsWith(next)) length++;
    if (typed.slice(0, length).some((word) => word.length >= 3 && !fillers.has(word)))
      best = Math.max(best, length);
  }
  return best;
}

interface Named {
  name: string;
  term: Term;
}

/** Returns the setups, tags and accounts of a kind; of all kinds if it is ''. */
function namesOf(journal: Journal, kind: string, negated: boolean): Named[] {
  const label = (name: string) => (negated ? `not ${name}` : name);
  const of = (wanted: string, list: { id: string; name: string }[], change: (id: string) => Change) =>
    kind === '' || kind === wanted
      ? list.map(({ id, name }) => ({ name, term: term(wanted, label(name), change(id)) }))
      : [];
  return [
    ...of('Setup', journal.setups, (id) => ({
      setups: [id],
      ...(negated ? { setupMode: 'none' as const } : {}),
    })),
    ...of('Tag', journal.tags, (id) => ({ tags: [id], ...(negated ? { tagMode: 'none' as const } : {}) })),
    ...(negated ? [] : of('Account', journal.accounts, (id) => ({ accounts: [id] }))),
  ];
}

/** Finds a setup, a tag or an account by its name or a part of it, after its kind or alone. */
function findName(tokens: string[], journal: Journal): Found | null {
  const first = fold(tokens[0] ?? '');
  const negated = ['without', 'not', 'no'].includes(first);
  const kinds: Record<string, string> = { setup: 'Setup', tag: 'Tag', tagged: 'Tag', account: 'Account' };
  const kind = kinds[negated ? fold(tokens[1] ?? '') : first] ?? '';
  const skipped = (negated ? 1 : 0) + (kind ? 1 : 0);
  const rest = tokens.slice(skipped);
  const names = namesOf(journal, kind, negated);
  const longestBy = (match: (tokens: string[], name: string) => number) => {
    const lengths = names.map(({ name }) => match(rest, name));
    const length = Math.max(0, ...lengths);
    return { length, found: length === 0 ? [] : names.filter((_, i) => lengths[i] === length) };
  };
  const whole = longestBy(matchName);
  const part = longestBy(matchPart);
  const best = whole.length >= part.length ? whole : part;
  const [one, ...others] = best.found;
  if (!one) return null;
  return { length: best.length + skipped, term: one.term, others: others.map((o) => o.term) };
}

function findFixed(tokens: string[]): Found | null {
  let best: Found | null = null;
  for (const [phrases, made] of fixed)
    for (const phrase of phrases) {
      const length = matchName(tokens, phrase);
      if (length > (best?.length ?? 0)) best = { length, term: made };
    }
  return best;
}

const rootTerm = (root: string) => term('Root', root, { roots: [root] });
const symbolTerm = (symbol: string) => term('Symbol', symbol, { symbols: [symbol] });
const textTerm = (text: string) => term('Notes', `Search notes for “${text}”`, { q: text });

/** Finds "gap fill" in quotation marks, and "mentioning gap". */
function findText(tokens: string[]): Found | null {
  const [first = '', second = ''] = tokens;
  const named = ['mentioning', 'mention', 'mentions'].includes(fold(first));
  const text = named ? second.replace(/^"/, '') : first.startsWith('"') ? first.slice(1) : '';
  return /[\p{L}\p{N}]/u.test(text) ? { length: named ? 2 : 1, term: textTerm(text) } : null;
}

function findInstrument(tokens: string[], journal: Journal): Found | null {
  const first = fold(tokens[0] ?? '');
  const kind = ['root', 'symbol'].includes(first) && tokens[1] ? first : '';
  const name = (kind ? tokens[1]! : (tokens[0] ?? '')).toUpperCase();
  const length = kind ? 2 : 1;
  // ON and ALL are symbols too, if they are written as such.
  if (!kind && fillers.has(first) && tokens[0] !== name) return null;
  if (kind === 'root' || (!kind && journal.roots.includes(name))) return { length, term: rootTerm(name) };
  return kind === 'symbol' || journal.symbols.includes(name) ? { length, term: symbolTerm(name) } : null;
}

/** A part of a text that may mean several things. */
export interface Choice {
  words: string;
  options: Term[];
}

/** What a text says: its conditions, and the words that were not understood. */
export interface Reading {
  terms: Term[];
  unknown: string[];
  choices: Choice[]; // their words are among the unknown ones
}

function findAt(tokens: string[], journal: Journal): Found | null {
  const words = tokens.map(fold);
  const instrument = findInstrument(tokens, journal);
  const isWritten = tokens[0] === tokens[0]?.toUpperCase() && /\p{Lu}/u.test(tokens[0] ?? '');
  return longest([
    isWritten ? instrument : null, // MAR is a symbol if it is one and written as such
    findText(tokens),
    findRange(words, journal),
    findHoldRange(words),
    findOrder(words),
    findTime(words, journal),
    findDates(words, journal),
    findGrade(tokens),
    findEmotion(tokens),
    findRule(tokens, journal),
    findFixed(tokens),
    instrument,
    findName(tokens, journal),
  ]);
}

/** Parses a text as several conditions. */
export function parsePhrase(text: string, journal: Journal): Reading {
  const tokens = tokensOf(text);
  const terms: Term[] = [];
  const choices: Choice[] = [];
  const runs: { from: number; to: number }[] = []; // of words that were not understood
  let open: { from: number; to: number } | null = null; // the run that the next such word joins
  const isFiller = (at: number) => fillers.has(fold(tokens[at]!));
  const addUnknown = (from: number, to: number) => {
    if (open) open.to = to;
    else runs.push((open = { from, to }));
  };
  for (let at = 0; at < tokens.length;) {
    const found = findAt(tokens.slice(at), journal);
    const isBound = !found && binders.has(fold(tokens[at]!));
    if (found && !found.others?.length) {
      terms.push(found.term);
      open = null;
    } else if (found) {
      choices.push({
        words: tokens.slice(at, at + found.length).join(' '),
        options: [found.term, ...found.others!],
      });
      runs.push({ from: at, to: at + found.length });
      open = null;
    } else if (isBound) {
      const next = endOfNext(tokens, at + 1, journal, isFiller);
      addUnknown(at, next);
      at = next;
      continue;
    } else if (!isFiller(at)) addUnknown(at, at + 1);
    at += found?.length ?? 1;
  }
  const unknown = runs
    .map(({ from, to }) => tokens.slice(from, to).join(' '))
    .filter((words) => /[\p{L}\p{N}]/u.test(words));
  return { terms, unknown, choices };
}

/** Returns where the condition after a word ends, past a number and the words that join them. */
function endOfNext(
  tokens: string[],
  at: number,
  journal: Journal,
  isFiller: (at: number) => boolean,
): number {
  let [next, end] = [at, at];
  for (; next < tokens.length; next++) {
    if (/^\d/.test(tokens[next]!)) end = next + 1;
    else if (!isFiller(next)) break;
  }
  const found = next < tokens.length ? findAt(tokens.slice(next), journal) : null;
  if (found) return next + found.length;
  return Math.max(end, Math.min(at + 1, tokens.length));
}

/** Returns the finding with most tokens; the first of equals. */
function longest(found: (Found | null)[]): Found | null {
  let best: Found | null = null;
  for (const one of found) if (one && one.length > (best?.length ?? 0)) best = one;
  return best;
}

/** A line of the list of suggestions: one term, or all terms of the text. */
export interface Suggestion {
  kind: string;
  label: string;
  terms: Term[];
  unknown: string[]; // words that were not understood
}

const maxSuggestions = 12;
const hasLetter = (text: string) => /[\p{L}\p{N}]/u.test(text);

/** Returns a line with several terms. */
function combine(terms: Term[], unknown: string[]): Suggestion {
  return {
    kind: terms.length > 1 ? 'All of these' : terms[0]!.kind,
    label: terms.map((t) => t.label).join(' · '),
    terms,
    unknown,
  };
}

/** Returns the terms whose name or words begin with a text. */
function complete(typed: string, journal: Journal): Term[] {
  const starts = (name: string) => fold(name).startsWith(typed);
  const has = (name: string) =>
    fold(name)
      .split(/[\s-]+/)
      .some((word) => word.startsWith(typed)) || starts(name);
  return [
    ...journal.roots.filter(starts).map(rootTerm),
    ...fixed.filter(([phrases]) => phrases.some(starts)).map(([, made]) => made),
    ...namesOf(journal, 'Setup', false)
      .filter((n) => has(n.name))
      .map((n) => n.term),
    ...namesOf(journal, 'Tag', false)
      .filter((n) => has(n.name))
      .map((n) => n.term),
    ...journal.rules.filter(has).flatMap((r) => [ruleTerm('broken', r), ruleTerm('followed', r)]),
    ...namesOf(journal, 'Account', false)
      .filter((n) => has(n.name))
      .map((n) => n.term),
    ...journal.symbols.filter(starts).map(symbolTerm),
  ];
}

/** Returns what a typed text may mean, best first. */
export function suggest(text: string, journal: Journal): Suggestion[] {
  const typed = fold(text.trim());
  if (!typed) return examples;
  const { terms, unknown, choices } = parsePhrase(text, journal);
  const rest = unknown.join(' ');
  const list: Suggestion[] = [];
  if (terms.length > 0) list.push(combine(terms, unknown));
  const [choice] = choices;
  if (choice) {
    const others = unknown.filter((words) => words !== choice.words);
    list.push(...choice.options.map((option) => combine([...terms, option], others)));
  }
  list.push(...complete(typed, journal).map((made) => combine([made], [])));
  // The last word may be incomplete.
  const last = unknown.at(-1);
  if (terms.length > 0 && last && !choice && typed.endsWith(fold(last)))
    list.push(
      ...complete(fold(last), journal).map((made) => combine([...terms, made], unknown.slice(0, -1))),
    );
  const shown = unique(list).slice(0, maxSuggestions);
  if (shown.length === 0 && hasLetter(typed))
    shown.push({ kind: 'Not understood', label: text.trim(), terms: [], unknown: [text.trim()] });
  const tail: Suggestion[] = [];
  if (hasLetter(rest)) tail.push(combine([...terms, textTerm(rest)], []));
  if (hasLetter(typed)) tail.push(combine([textTerm(text.trim())], []));
  const upper = text.trim().toUpperCase();
  if (/^[\w./^-]{1,20}$/.test(upper) && /[A-Z]/.test(upper))
    tail.push(combine([rootTerm(upper)], []), combine([symbolTerm(upper)], []));
  return unique([...shown, ...tail]);
}

function unique(list: Suggestion[]): Suggestion[] {
  const seen = new Set<string>();
  return list.filter((s) => {
    const key = `${s.kind} ${s.label}`;
    return !seen.has(key) && seen.add(key);
  });
}

const exampleWords = [
  'losing',
  'winning',
  'short',
  'long',
  'friday',
  'rth',
  'mistake',
  'no setup',
  'has note',
  'unreviewed',
  'option',
];

/** Shown before anything is typed. */
const examples: Suggestion[] = [
  ...fixed.filter(([phrases]) => exampleWords.includes(phrases[0]!)).map(([, made]) => made),
  ...['after 2 losses', 'first trade'].map((text) => findOrder(text.split(' '))!.term),
].map((made) => combine([made], []));

const lists = [
  'symbols',
  'roots',
  'types',
  'rights',
  'outcomes',
  'weekdays',
  'sessions',
  'setups',
  'tags',
  'grades',
  'emotions',
  'accounts',
] as const;

/** Returns the change that adds terms to a filter: values of a list join those it has. */
export function applyTerms(now: Filter, terms: Term[]): Change {
  let filter = now;
  const change: Change = {};
  for (const { change: added } of terms) {
    const next: Change = { ...added };
    for (const name of lists)
      if (added[name]?.length) next[name] = [...new Set([...filter[name], ...added[name]])];
    if (added.q && filter.q) next.q = `${filter.q} ${added.q}`;
    // Ids a trade must have cannot join those it must not have.
    if (added.setups && (filter.setupMode === 'none') !== (added.setupMode === 'none'))
      Object.assign(next, { setups: added.setups, setupMode: added.setupMode ?? 'any' });
    if (added.tags && (filter.tagMode === 'none') !== (added.tagMode === 'none'))
      Object.assign(next, { tags: added.tags, tagMode: added.tagMode ?? 'any' });
    Object.assign(change, next);
    filter = { ...filter, ...next };
  }
  return change;
}
