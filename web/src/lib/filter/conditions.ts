// The filter's conditions: one entry for each parameter of the API besides
// accounts and dates. Addresses, query parameters and saved views are read and
// written from this table.

import { isDecimal } from '../format/decimal';
import { excursionRanges, maxOf, minOf, type ExcursionMembers } from './excursions';

export type Flag = '' | 'true' | 'false';
export type Mode = 'any' | 'all' | 'none';
export type Outcome = 'win' | 'loss' | 'breakeven';
export type Session = 'premarket' | 'rth' | 'afterhours' | 'overnight';

/** Conditions are texts as in an address; '' and [] test nothing. */
export interface Conditions extends ExcursionMembers {
  status: '' | 'open' | 'closed';
  symbols: string[];
  roots: string[];
  side: '' | 'long' | 'short';
  types: string[];
  rights: string[];
  dteMin: string;
  dteMax: string;
  outcomes: string[];
  pnlMin: string;
  pnlMax: string;
  rMin: string;
  rMax: string;
  hasR: Flag;
  holdMin: string; // seconds
  holdMax: string;
  hasExcursion: Flag;
  weekdays: string[]; // 0 is Sunday
  hours: string[];
  sessions: string[];
  afterLosses: string; // in a row, closed before on the same day
  afterWins: string;
  nthMin: string; // the number among the day's openings
  nthMax: string;
  zone: string; // of weekdays, hours and days; '' for that of the filter
  setups: string[]; // ids
  setupMode: Mode;
  tags: string[]; // ids
  tagMode: Mode;
  ruleStates: string[];
  rulesBroken: string[]; // ids of trading rules
  rulesKept: string[];
  rule: string; // a rule's text; '' for any
  mistake: Flag;
  grades: string[];
  emotions: string[];
  reviewed: Flag;
  hasNote: Flag;
  hasAttachment: Flag;
  batch: string; // an import's id
  trades: string[]; // ids
  q: string;
}

export interface Field {
  member: keyof Conditions;
  /** The name in the API. */
  api: string;
  /** The name in addresses, if it differs. Both are read. */
  name?: string;
  list?: boolean;
  /** Returns the value as it is kept, '' if it is invalid. */
  clean: (text: string) => string;
  /** The value that tests nothing, if it is not ''. */
  none?: string;
  /** How the API expects it. */
  type?: 'number' | 'boolean';
}

const oneOf =
  (...values: string[]) =>
  (text: string) =>
    values.includes(text) ? text : '';
const upper = (text: string) => text.trim().toUpperCase();
const keep = (text: string) => text.trim();
const decimal = (text: string) => (isDecimal(text.trim()) ? text.trim() : '');
const whole = (least: number, most: number) => (text: string) => {
  const trimmed = text.trim();
  return /^-?\d+$/.test(trimmed) && Number(trimmed) >= least && Number(trimmed) <= most
    ? String(Number(trimmed))
    : '';
};
const flag = oneOf('true', 'false');
const maxDays = 230 * 366;
const maxRow = 20; // losses or wins
const maxNth = 1_000_000;

export const fields: Field[] = [
  { member: 'status', api: 'status', clean: oneOf('open', 'closed') },
  { member: 'symbols', api: 'symbol', list: true, clean: upper },
  { member: 'roots', api: 'root', list: true, clean: upper },
  { member: 'side', api: 'side', clean: oneOf('long', 'short') },
  { member: 'types', api: 'instrument_type', list: true, clean: (text) => keep(text).toLowerCase() },
  { member: 'rights', api: 'option_right', list: true, clean: oneOf('call', 'put') },
  { member: 'dteMin', api: 'dte_min', clean: whole(-maxDays, maxDays), type: 'number' },
  { member: 'dteMax', api: 'dte_max', clean: whole(-maxDays, maxDays), type: 'number' },
  { member: 'outcomes', api: 'outcome', list: true, clean: oneOf('win', 'loss', 'breakeven') },
  { member: 'pnlMin', api: 'pnl_min', clean: decimal },
  { member: 'pnlMax', api: 'pnl_max', clean: decimal },
  { member: 'rMin', api: 'r_min', clean: decimal },
  { member: 'rMax', api: 'r_max', clean: decimal },
  { member: 'hasR', api: 'has_r', clean: flag, type: 'boolean' },
  { member: 'holdMin', api: 'hold_min', clean: decimal },
  { member: 'holdMax', api: 'hold_max', clean: decimal },
  ...excursionRanges.flatMap(({ id, api }): Field[] => [
    { member: minOf(id), api: `${api}_min`, clean: decimal },
    { member: maxOf(id), api: `${api}_max`, clean: decimal },
  ]),
  { member: 'hasExcursion', api: 'has_excursion', clean: flag, type: 'boolean' },
  { member: 'weekdays', api: 'weekday', list: true, clean: whole(0, 6), type: 'number' },
  { member: 'hours', api: 'hour', list: true, clean: whole(0, 23), type: 'number' },
  {
    member: 'sessions',
    api: 'session',
    list: true,
    clean: oneOf('premarket', 'rth', 'afterhours', 'overnight'),
  },
  { member: 'afterLosses', api: 'after_losses', clean: whole(1, maxRow), type: 'number' },
  { member: 'afterWins', api: 'after_wins', clean: whole(1, maxRow), type: 'number' },
  { member: 'nthMin', api: 'nth_of_day_min', clean: whole(1, maxNth), type: 'number' },
  { member: 'nthMax', api: 'nth_of_day_max', clean: whole(1, maxNth), type: 'number' },
  { member: 'zone', api: 'filter_tz', clean: (text) => (isZone(text) ? text : '') },
  { member: 'setups', api: 'setup_id', name: 'setup', list: true, clean: keep },
  { member: 'setupMode', api: 'setup_mode', clean: oneOf('all', 'none'), none: 'any' },
  { member: 'tags', api: 'tag_id', name: 'tag', list: true, clean: keep },
  { member: 'tagMode', api: 'tag_mode', clean: oneOf('all', 'none'), none: 'any' },
  {
    member: 'ruleStates',
    api: 'rule_state',
    list: true,
    clean: oneOf('followed', 'broken', 'not_applicable'),
  },
  { member: 'rule', api: 'rule', clean: keep },
  { member: 'rulesBroken', api: 'rule_broken', list: true, clean: keep },
  { member: 'rulesKept', api: 'rule_kept', list: true, clean: keep },
  { member: 'mistake', api: 'mistake', clean: flag, type: 'boolean' },
  { member: 'grades', api: 'trade_quality', list: true, clean: whole(1, 5), type: 'number' },
  { member: 'emotions', api: 'emotional_state', list: true, clean: keep },
  { member: 'reviewed', api: 'reviewed', clean: flag, type: 'boolean' },
  { member: 'hasNote', api: 'has_note', clean: flag, type: 'boolean' },
  { member: 'hasAttachment', api: 'has_attachment', clean: flag, type: 'boolean' },
  { member: 'batch', api: 'import_batch_id', name: 'import', clean: keep },
  { member: 'trades', api: 'trade_id', list: true, clean: keep },
  { member: 'q', api: 'q', clean: (text) => (/[\p{L}\p{N}]/u.test(text) ? text.trim() : '') },
];

/** The conditions that test nothing. */
export const noConditions: Readonly<Conditions> = Object.freeze(
  Object.fromEntries(fields.map((f) => [f.member, f.list ? [] : (f.none ?? '')])),
) as unknown as Readonly<Conditions>;

/** Parses the conditions in an address or a query; invalid values are ignored. */
export function parseConditions(params: URLSearchParams): Conditions {
  const read: Record<string, string | string[]> = {};
  for (const f of fields) {
    const sent = [...(f.name ? params.getAll(f.name) : []), ...params.getAll(f.api)];
    if (f.list) {
      const all = sent.flatMap((v) => v.split(',')).map(f.clean);
      read[f.member] = [...new Set(all.filter(Boolean))];
    } else read[f.member] = f.clean(sent[0] ?? '') || (f.none ?? '');
  }
  return read as unknown as Conditions;
}

/** Adds the conditions to an address, or to the API's parameters. */
export function writeConditions(params: URLSearchParams, c: Conditions, names: 'address' | 'api'): void {
  for (const f of fields) {
    const value = c[f.member];
    const text = typeof value === 'string' ? value : value.join(',');
    if (text !== (f.none ?? '')) params.set(names === 'address' ? (f.name ?? f.api) : f.api, text);
  }
}

/** Returns the conditions as query parameters of the API. Typed numbers stay texts, which loses no digit. */
export function queryOf(c: Conditions): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const f of fields) {
    const value = c[f.member];
    if (value === (f.none ?? '') || value.length === 0) continue;
    query[f.api] = typeof value === 'string' ? convert(f, value) : value.map((v) => convert(f, v));
  }
  return query;
}

function convert(f: Field, text: string): unknown {
  if (f.type === 'number') return Number(text);
  return f.type === 'boolean' ? text === 'true' : text;
}

export function isZone(name: string | null): boolean {
  if (!name) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
