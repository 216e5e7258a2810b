// The filter in words. Its parts are the chips of the filter bar, in an order in
// which they read like a sentence: "Losing shorts in NQ on Fridays after 14:00
// with setup Opening drive".

import { duration } from '../format/format';
import { excursionRanges, maxOf, minOf, type ExcursionID } from './excursions';
import type { Filter } from './filter';

/** What a chip edits. */
export type PartID =
  | 'status'
  | 'reviewed'
  | 'outcome'
  | 'side'
  | 'right'
  | 'type'
  | 'root'
  | 'symbol'
  | 'weekday'
  | 'hour'
  | 'session'
  | 'afterLosses'
  | 'afterWins'
  | 'nth'
  | 'setup'
  | 'tag'
  | 'rule'
  | 'rulesBroken'
  | 'rulesKept'
  | 'mistake'
  | 'grade'
  | 'emotion'
  | 'pnl'
  | 'r'
  | 'hasR'
  | 'hold'
  | ExcursionID
  | 'excursion'
  | 'dte'
  | 'note'
  | 'attachment'
  | 'batch'
  | 'trades'
  | 'q'
  | 'basis'
  | 'zone';

export interface Part {
  id: PartID;
  text: string;
  /** The change that removes it. */
  clear: Partial<Filter>;
}

/** The names of setups and tags by id, and how numbers are written. */
export interface Words {
  name: (id: string) => string;
  number: (text: string) => string;
  hour: (hour: number) => string; // of the day
}

export const weekdayNames = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

export const outcomeNames: Record<string, string> = {
  win: 'Winning',
  loss: 'Losing',
  breakeven: 'Breakeven',
};

export const sessionNames: Record<string, string> = {
  premarket: 'Pre-market',
  rth: 'Regular session',
  afterhours: 'After hours',
  overnight: 'Overnight',
};

const sessionPhrases: Record<string, string> = {
  premarket: 'in pre-market',
  rth: 'in the regular session',
  afterhours: 'after hours',
  overnight: 'overnight',
};

export const ruleStateNames: Record<string, string> = {
  followed: 'Followed',
  broken: 'Broken',
  not_applicable: 'Did not apply',
};

const typeNouns: Record<string, string> = { forex: 'forex', crypto: 'crypto', cfd: 'CFDs', etf: 'ETFs' };

const nounOfType = (type: string) => typeNouns[type] ?? `${type}s`;

/** Joins texts: "A, B or C". */
export function joinTexts(texts: string[], word: 'or' | 'and' = 'or'): string {
  if (texts.length < 2) return texts[0] ?? '';
  return `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}

/** Describes hours of the day, such as "after 14:00" or "from 9:00 to 12:00". */
export function describeHours(hours: string[], clock: Words['hour']): string {
  const sorted = hours.map(Number).sort((a, b) => a - b);
  const first = sorted[0]!;
  const last = sorted.at(-1)!;
  if (sorted.length === 24) return 'at any hour';
  if (last - first + 1 !== sorted.length) return `at ${joinTexts(sorted.map(clock))}`;
  if (last === 23 && first > 0) return `after ${clock(first)}`;
  if (first === 0 && last < 23) return `before ${clock(last + 1)}`;
  return `from ${clock(first)} to ${clock(last + 1)}`;
}

/** Describes a range that includes its ends. */
function describeRange(min: string, max: string, write: (text: string) => string): string {
  if (min && max) return min === max ? write(min) : `${write(min)} to ${write(max)}`;
  return min ? `${write(min)} or more` : `${write(max)} or less`;
}

function describeDays(min: string, max: string): string {
  if (min === '0' && max === '0') return 'expiring the same day';
  return `${describeRange(min, max, (text) => text)} days to expiry`;
}

/** Describes a row of results before the trade: "after a loss", "after 2 wins". */
const describeRow = (count: string, one: string, many: string) =>
  count === '1' ? `after a ${one}` : `after ${count} ${many}`;

const ordinals = ['', 'first', 'second', 'third', 'fourth', 'fifth'];
const ordinal = (n: string) => ordinals[Number(n)] ?? `number ${n}`;

/** Describes the number on a day: "first trade of the day", "third or later of the day". */
function describeNth(min: string, max: string): string {
  const least = min || '1';
  if (!max) return `${ordinal(least)} or later of the day`;
  if (least === max) return `${ordinal(max)} trade of the day`;
  return least === '1' ? `first ${max} trades of the day` : `${ordinal(least)} to ${ordinal(max)} of the day`;
}

function describeIDs(ids: string[], mode: string, words: Words, one: string, many: string): string {
  const names = ids.map(words.name);
  if (mode === 'none') {
    return names.length === 0 ? `without a ${one}` : `without ${one} ${joinTexts(names)}`;
  }
  return mode === 'all' && names.length > 1
    ? `with ${many} ${joinTexts(names, 'and')}`
    : `with ${one} ${joinTexts(names)}`;
}

/** Describes the states of a rule: "that broke a rule", "that followed “Wait”". */
const describeTradingRules = (verb: string, n: number) =>
  n === 1 ? `${verb} a trading rule` : `${verb} one of ${n} trading rules`;

function describeRule(states: string[], rule: string): string {
  const name = rule ? `“${rule}”` : 'a rule';
  if (states.length === 0) return `with an answer to ${name}`;
  const verbs = [
    ...(states.includes('followed') ? ['followed'] : []),
    ...(states.includes('broken') ? ['broke'] : []),
  ];
  const parts = verbs.length > 0 ? [`that ${joinTexts(verbs)} ${name}`] : [];
  if (states.includes('not_applicable'))
    parts.push(parts.length > 0 ? 'to which it did not apply' : `to which ${name} did not apply`);
  return joinTexts(parts);
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const choose = (flag: string, yes: string, no: string) => (flag === 'true' ? yes : no);

/** Returns the parts before "in", "on" and "with": adjectives, the last of them as a noun. */
function describeTrades(f: Filter): Part[] {
  const outcome = joinTexts(f.outcomes.map((o) => outcomeNames[o]!.toLowerCase()));
  const parts: (Part & { noun: string })[] = [];
  const add = (id: PartID, text: string, noun: string, clear: Partial<Filter>) =>
    parts.push({ id, text, noun, clear });
  if (f.status) add('status', f.status, `${f.status} trades`, { status: '' });
  if (f.reviewed) {
    const text = choose(f.reviewed, 'reviewed', 'unreviewed');
    add('reviewed', text, `${text} trades`, { reviewed: '' });
  }
  if (outcome) add('outcome', outcome, `${outcome} trades`, { outcomes: [] });
  if (f.side) add('side', f.side, `${f.side}s`, { side: '' });
  if (f.rights.length > 0) {
    const noun = joinTexts(f.rights.map((r) => `${r}s`));
    add('right', joinTexts(f.rights), noun, { rights: [] });
  }
  if (f.types.length > 0) {
    const noun = joinTexts(f.types.map(nounOfType));
    add('type', noun, noun, { types: [] });
  }
  return parts.map(({ noun, ...part }, i) => (i === parts.length - 1 ? { ...part, text: noun } : part));
}

/** Returns the parts of the filter besides accounts and dates. */
export function describeFilter(f: Filter, words: Words): Part[] {
  const parts = describeTrades(f);
  const add = (id: PartID, text: string, clear: Partial<Filter>) => parts.push({ id, text, clear });

  if (f.roots.length > 0) add('root', `in ${joinTexts(f.roots)}`, { roots: [] });
  if (f.symbols.length > 0) add('symbol', `in symbol ${joinTexts(f.symbols)}`, { symbols: [] });
  if (f.weekdays.length > 0) {
    const names = f.weekdays.map((d) => `${weekdayNames[Number(d)]}s`);
    add('weekday', `on ${joinTexts(names)}`, { weekdays: [] });
  }
  if (f.hours.length > 0) add('hour', describeHours(f.hours, words.hour), { hours: [] });
  if (f.sessions.length > 0)
    add('session', joinTexts(f.sessions.map((s) => sessionPhrases[s]!)), { sessions: [] });
  if (f.afterLosses) add('afterLosses', describeRow(f.afterLosses, 'loss', 'losses'), { afterLosses: '' });
  if (f.afterWins) add('afterWins', describeRow(f.afterWins, 'win', 'wins'), { afterWins: '' });
  if (f.nthMin || f.nthMax) add('nth', describeNth(f.nthMin, f.nthMax), { nthMin: '', nthMax: '' });
  if (f.setups.length > 0 || f.setupMode === 'none')
    add('setup', describeIDs(f.setups, f.setupMode, words, 'setup', 'setups'), {
      setups: [],
      setupMode: 'any',
    });
  if (f.tags.length > 0 || f.tagMode === 'none')
    add('tag', describeIDs(f.tags, f.tagMode, words, 'tag', 'tags'), { tags: [], tagMode: 'any' });
  if (f.ruleStates.length > 0 || f.rule)
    add('rule', describeRule(f.ruleStates, f.rule), { ruleStates: [], rule: '' });
  if (f.rulesBroken.length > 0)
    add('rulesBroken', describeTradingRules('that broke', f.rulesBroken.length), { rulesBroken: [] });
  if (f.rulesKept.length > 0)
    add('rulesKept', describeTradingRules('that kept', f.rulesKept.length), { rulesKept: [] });
  if (f.mistake) add('mistake', choose(f.mistake, 'with a mistake', 'without mistakes'), { mistake: '' });
  if (f.grades.length > 0) add('grade', `graded ${joinTexts(f.grades)}`, { grades: [] });
  if (f.emotions.length > 0) add('emotion', `feeling ${joinTexts(f.emotions)}`, { emotions: [] });
  if (f.pnlMin || f.pnlMax)
    add('pnl', `with P&L of ${describeRange(f.pnlMin, f.pnlMax, words.number)}`, { pnlMin: '', pnlMax: '' });
  if (f.rMin || f.rMax)
    add('r', `with ${describeRange(f.rMin, f.rMax, (text) => `${words.number(text)} R`)}`, {
      rMin: '',
      rMax: '',
    });
  if (f.hasR) add('hasR', choose(f.hasR, 'with an R multiple', 'without an R multiple'), { hasR: '' });
  if (f.holdMin || f.holdMax)
    add('hold', `held ${describeRange(f.holdMin, f.holdMax, (text) => duration(Number(text)))}`, {
      holdMin: '',
      holdMax: '',
    });
  for (const { id, phrase, unit } of excursionRanges) {
    const [min, max] = [f[minOf(id)], f[maxOf(id)]];
    if (min || max)
      add(id, `${phrase} ${describeRange(min, max, (text) => words.number(text) + unit)}`, {
        [minOf(id)]: '',
        [maxOf(id)]: '',
      });
  }
  if (f.hasExcursion)
    add('excursion', choose(f.hasExcursion, 'with MAE and MFE', 'without MAE and MFE'), { hasExcursion: '' });
  if (f.dteMin || f.dteMax) add('dte', describeDays(f.dteMin, f.dteMax), { dteMin: '', dteMax: '' });
  if (f.hasNote) add('note', choose(f.hasNote, 'with a note', 'without a note'), { hasNote: '' });
  if (f.hasAttachment)
    add('attachment', choose(f.hasAttachment, 'with a screenshot', 'without a screenshot'), {
      hasAttachment: '',
    });
  if (f.batch) add('batch', 'from one import', { batch: '' });
  if (f.trades.length > 0)
    add('trades', f.trades.length === 1 ? 'one selected trade' : `${f.trades.length} selected trades`, {
      trades: [],
    });
  if (f.q) add('q', `mentioning “${f.q}”`, { q: '' });
  if (f.basis === 'open') add('basis', 'by entry date', { basis: 'close' });
  const zone = f.zone || f.tz;
  if (zone) add('zone', `in ${zone.replaceAll('_', ' ')} time`, { zone: '', tz: '' });

  return parts.map((part, i) => (i === 0 ? { ...part, text: capitalize(part.text) } : part));
}
