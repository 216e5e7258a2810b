// Reads what is typed into "Add filter". One text may hold several conditions:
// "losing nq shorts fri after 14:00 opening drive". Words that are no condition
// are searched for in notes.

import { findReadings, normalizeNumber, showNumber, type NumberSigns } from '../format/typed';
import { excursionRanges, maxOf, minOf } from './excursions';
import type { Filter } from './filter';
import { describeHours, sessionNames, weekdayNames } from './describe';

/** What the page knows of the journal. */
export interface Journal {
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
    term('Rule', 'Broken', { ruleStates: ['broken'], rule: '' }),
  ],
  [
    ['followed a rule', 'followed rule', 'followed rules', 'rule followed', 'rules followed'],
    term('Rule', 'Followed', { ruleStates: ['followed'], rule: '' }),
  ],
  [['mistake', 'with mistake', 'with a mistake', 'mistakes'], term('Mistake', 'Yes', { mistake: 'true' })],
  [['no mistake', 'without mistake', 'without mistakes'], term('Mistake', 'No', { mistake: 'false' })],
  [
    ['no setup', 'without setup', 'without a setup'],
    term('Setup', 'None', { setups: [], setupMode: 'none' }),
  ],
  [
    ['no tag', 'no tags', 'without tag', 'without tags', 'untagged'],
    term('Tag', 'None', { tags: [], tagMode: 'none' }),
  ],
  [['has note', 'with note', 'with a note', 'with notes'], term('Note', 'Yes', { hasNote: 'true' })],
  [
    ['no note', 'no notes', 'without note', 'without a note', 'without notes'],
    term('Note', 'No', { hasNote: 'false' }),
  ],
  [
    ['has screenshot', 'with screenshot', 'with a screenshot', 'screenshot', 'has attachment'],
    term('Screenshot', 'Yes', { hasAttachment: 'true' }),
  ],
  [
    ['no screenshot', 'without screenshot', 'without a screenshot', 'no attachment'],
    term('Screenshot', 'No', { hasAttachment: 'false' }),
  ],
  [['has mae', 'with mae', 'has mfe', 'with mfe'], term('MAE and MFE', 'Known', { hasExcursion: 'true' })],
  [
    ['no mae', 'without mae', 'no mfe', 'without mfe'],
    term('MAE and MFE', 'Unknown', { hasExcursion: 'false' }),
  ],
  [['has r', 'with r'], term('R multiple', 'Known', { hasR: 'true' })],
  [['no r', 'without r'], term('R multiple', 'Unknown', { hasR: 'false' })],
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

const fold = (text: string) => text.toLowerCase().normalize('NFC');

function tokensOf(text: string): string[] {
  return text
    .replace(/(>=|<=|≥|≤|>|<)/g, ' $1 ')
    .replace(/(\d)\s+([ap]m)\b/gi, '$1$2')
    .replaceAll('p&l', 'pnl')
    .replaceAll('P&L', 'pnl')
    .split(/\s+|,(?!\d)|(?<!\d),/)
    .filter(Boolean);
}

/** Returns the seconds of a holding time such as 5m, 1.5h, 90 s or 2d, or '' for any other text. */
export function parseHold(text: string): string {
  const found = /^(\d+(?:[.,]\d+)?)\s*(s|sec|m|min|h|d)?$/i.exec(text.trim());
  if (!found) return '';
  const unit = { s: 1, m: 60, h: 3600, d: 86_400 }[(found[2] ?? 'm').charAt(0).toLowerCase()]!;
  return String(Number(found[1]!.replace(',', '.')) * unit);
}

/** Parses an hour such as 14, 14:00 or 2pm. Returns null for any other text. */
function parseHour(text: string): number | null {
  const found = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/i.exec(text);
  if (!found || Number(found[2] ?? 0) > 0) return null; // hours only
  let hour = Number(found[1]);
  const half = found[3]?.toLowerCase();
  if (half && (hour < 1 || hour > 12)) return null;
  if (half) hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  return hour <= 23 && (found[2] !== undefined || half) ? hour : null;
}

/** Finds a time at the beginning: "14:00", "after 2pm", "before 10:00", "from 9:00 to 12:00". */
function findTime(tokens: string[], journal: Journal): Found | null {
  const [first = '', second = '', third = '', fourth = ''] = tokens.map(fold);
  const plain = (text: string) => parseHour(text) ?? parseHour(/^\d{1,2}$/.test(text) ? `${text}:00` : text);
  const found = (length: number, hours: string[]): Found => {
    const label = describeHours(hours, journal.hour);
    return { length, term: term('Time', label.charAt(0).toUpperCase() + label.slice(1), { hours }) };
  };
  if (['after', 'since'].includes(first) && plain(second) !== null)
    return found(2, hoursFrom(plain(second)!));
  if (first === 'before' && plain(second)) return found(2, hoursFrom(0, plain(second)! - 1));
  if (['from', 'between'].includes(first) && ['to', 'and', '-'].includes(third)) {
    const [from, to] = [plain(second), plain(fourth)];
    if (from !== null && to !== null && from < to) return found(4, hoursFrom(from, to - 1));
  }
  const range = /^(\d{1,2}:00)[-–](\d{1,2}:00)$/.exec(first);
  if (range) {
    const [from, to] = [parseHour(range[1]!), parseHour(range[2]!)];
    return from === null || to === null || from >= to ? null : found(1, hoursFrom(from, to - 1));
  }
  const hour = parseHour(first);
  return hour === null ? null : found(1, hoursFrom(hour));
}

const comparisons: Record<string, 'min' | 'max' | 'both'> = {
  '>': 'min',
  '>=': 'min',
  '≥': 'min',
  above: 'min',
  over: 'min',
  '<': 'max',
  '<=': 'max',
  '≤': 'max',
  below: 'max',
  under: 'max',
  '=': 'both',
};

/** Finds a comparison at the beginning: "r > 2", "pnl < -100", "hold < 5m", "dte <= 7", "grade >= 4". */
function findRange(tokens: string[], journal: Journal): Found | null {
  const [name = '', sign = '', third = '', fourth = ''] = tokens.map(fold);
  const bound = comparisons[sign];
  if (!bound) return null;
  const typed = normalizeNumber(third, journal.signs);
  const number = findReadings(typed, journal.signs)?.[0] ?? typed; // the suggestion shows how it is read
  const shown = showNumber(number, journal.signs);
  const isNumber = /^[-+]?\d+(\.\d+)?$/.test(number);
  const bounds = (low: keyof Filter, high: keyof Filter, value: string): Change => ({
    ...(bound === 'max' ? {} : { [low]: value }),
    ...(bound === 'min' ? {} : { [high]: value }),
  });
  const symbol = { min: '≥', max: '≤', both: '=' }[bound];
  if (['r', 'rr', 'r-multiple'].includes(name) && isNumber)
    return { length: 3, term: term('R multiple', `${symbol} ${shown} R`, bounds('rMin', 'rMax', number)) };
  if (['pnl', 'profit', 'net'].includes(name) && isNumber)
    return { length: 3, term: term('P&L', `${symbol} ${shown}`, bounds('pnlMin', 'pnlMax', number)) };
  const excursion = excursionRanges.find((range) => range.typed.includes(name));
  if (excursion && isNumber)
    return {
      length: 3,
      term: term(
        excursion.title,
        `${symbol} ${shown}${excursion.unit}`,
        bounds(minOf(excursion.id), maxOf(excursion.id), number),
      ),
    };
  if (['dte', 'expiry'].includes(name) && /^-?\d+$/.test(number))
    return {
      length: 3,
      term: term('Days to expiry', `${symbol} ${number}`, bounds('dteMin', 'dteMax', number)),
    };
  if (['hold', 'held', 'holding', 'time'].includes(name)) {
    const joined = /^[a-z]+$/.test(fourth) && parseHold(`${third}${fourth}`) !== '';
    const seconds = parseHold(joined ? `${third}${fourth}` : third);
    if (seconds)
      return {
        length: joined ? 4 : 3,
        term: term(
          'Holding time',
          `${symbol} ${joined ? `${third} ${fourth}` : third}`,
          bounds('holdMin', 'holdMax', seconds),
        ),
      };
  }
  if (['grade', 'quality'].includes(name) && /^[1-5]$/.test(number)) {
    const grade = Number(number);
    const grades = hoursFrom(1, 5).filter((g) =>
      bound === 'min' ? Number(g) >= grade : bound === 'max' ? Number(g) <= grade : g === number,
    );
    return { length: 3, term: term('Grade', `${symbol} ${number}`, { grades }) };
  }
  return null;
}

/** Finds "grade 4" or "graded 4 or 5". */
function findGrade(tokens: string[]): Found | null {
  if (!/^(grade|graded|quality)$/i.test(tokens[0] ?? '') || !/^[1-5]$/.test(tokens[1] ?? '')) return null;
  const more = /^or$/i.test(tokens[2] ?? '') && /^[1-5]$/.test(tokens[3] ?? '');
  const grades = [tokens[1]!, ...(more ? [tokens[3]!] : [])];
  return { length: more ? 4 : 2, term: term('Grade', grades.join(' or '), { grades }) };
}

/** Finds "feeling calm". */
function findEmotion(tokens: string[]): Found | null {
  const [first = '', second] = tokens;
  if (fold(first) !== 'feeling' || !second) return null;
  return { length: 2, term: term('Emotional state', second, { emotions: [second] }) };
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

/** Finds a name's words at the beginning of the tokens. Returns their number, 0 if they differ. */
function matchName(tokens: string[], name: string): number {
  const words = tokensOf(name).map(fold);
  return words.length > 0 && words.every((word, i) => fold(tokens[i] ?? '') === word) ? words.length : 0;
}

/** Finds a setup, a tag or an account by its whole name, after its kind or alone. */
function findName(tokens: string[], journal: Journal): Found | null {
  const first = fold(tokens[0] ?? '');
  const second = fold(tokens[1] ?? '');
  const negated = ['without', 'not', 'no'].includes(first);
  const kindAt = negated ? second : first;
  const kinds = { setup: 'Setup', tag: 'Tag', tagged: 'Tag', account: 'Account' } as const;
  const kind = kinds[kindAt as keyof typeof kinds];
  const skipped = (negated ? 1 : 0) + (kind ? 1 : 0);
  if (negated && !kind) return null;
  const rest = tokens.slice(skipped);
  let best: Found | null = null;
  const offer = (name: string, made: Term) => {
    const length = matchName(rest, name);
    if (length > 0 && length + skipped > (best?.length ?? 0)) best = { length: length + skipped, term: made };
  };
  const label = (name: string) => (negated ? `not ${name}` : name);
  if (!kind || kind === 'Setup')
    for (const s of journal.setups)
      offer(
        s.name,
        term('Setup', label(s.name), { setups: [s.id], ...(negated ? { setupMode: 'none' as const } : {}) }),
      );
  if (!kind || kind === 'Tag')
    for (const t of journal.tags)
      offer(
        t.name,
        term('Tag', label(t.name), { tags: [t.id], ...(negated ? { tagMode: 'none' as const } : {}) }),
      );
  if (!negated && (!kind || kind === 'Account'))
    for (const a of journal.accounts) offer(a.name, term('Account', a.name, { accounts: [a.id] }));
  return best;
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
const textTerm = (text: string) => term('Notes', `mention “${text}”`, { q: text });

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

/** Parses a text as several conditions. The other words become one search in notes. */
export function parsePhrase(text: string, journal: Journal): Term[] {
  const tokens = tokensOf(text);
  const terms: Term[] = [];
  const words: string[] = [];
  for (let at = 0; at < tokens.length;) {
    const rest = tokens.slice(at);
    const found = longest([
      findRange(rest, journal),
      findTime(rest, journal),
      findGrade(rest),
      findEmotion(rest),
      findRule(rest, journal),
      findName(rest, journal),
      findFixed(rest),
      findInstrument(rest, journal),
    ]);
    if (found) terms.push(found.term);
    else if (!fillers.has(fold(rest[0]!))) words.push(rest[0]!);
    at += found?.length ?? 1;
  }
  const unknown = words.join(' ');
  if (/[\p{L}\p{N}]/u.test(unknown)) terms.push(textTerm(unknown));
  return terms;
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
}

const maxSuggestions = 12;

/** Returns what a typed text may mean, best first. */
export function suggest(text: string, journal: Journal): Suggestion[] {
  const typed = fold(text.trim());
  if (!typed) return examples;
  const one = (made: Term): Suggestion => ({ kind: made.kind, label: made.label, terms: [made] });
  const parsed = parsePhrase(text, journal);
  const list: Suggestion[] = [];
  if (parsed.length > 1)
    list.push({ kind: 'All of these', label: parsed.map((t) => t.label).join(' · '), terms: parsed });
  else if (parsed[0] && parsed[0].kind !== 'Notes') list.push(one(parsed[0]));

  const starts = (name: string) => fold(name).startsWith(typed);
  const has = (name: string) =>
    fold(name)
      .split(/[\s-]+/)
      .some((word) => word.startsWith(typed)) || starts(name);
  const upper = text.trim().toUpperCase();
  const isSymbol = /^[\w./^-]{1,20}$/.test(upper);
  list.push(
    ...journal.roots.filter(starts).map((r) => one(rootTerm(r))),
    ...fixed.filter(([phrases]) => phrases.some(starts)).map(([, made]) => one(made)),
    ...journal.setups.filter((s) => has(s.name)).map((s) => one(term('Setup', s.name, { setups: [s.id] }))),
    ...journal.tags.filter((t) => has(t.name)).map((t) => one(term('Tag', t.name, { tags: [t.id] }))),
    ...journal.rules.filter(has).flatMap((r) => [one(ruleTerm('broken', r)), one(ruleTerm('followed', r))]),
    ...journal.accounts
      .filter((a) => has(a.name))
      .map((a) => one(term('Account', a.name, { accounts: [a.id] }))),
    ...journal.symbols.filter(starts).map((s) => one(symbolTerm(s))),
  );
  const tail: Suggestion[] = [];
  if (/[\p{L}\p{N}]/u.test(typed)) tail.push(one(textTerm(text.trim())));
  if (isSymbol && /[A-Z]/.test(upper)) tail.push(one(rootTerm(upper)), one(symbolTerm(upper)));
  return unique([...unique(list).slice(0, maxSuggestions), ...tail]);
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
const examples: Suggestion[] = fixed
  .filter(([phrases]) => exampleWords.includes(phrases[0]!))
  .map(([, made]) => ({ kind: made.kind, label: made.label, terms: [made] }));

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
