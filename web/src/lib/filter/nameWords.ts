// Names of the journal in a typed text: setups, tags, accounts, rules and instruments.

import { fillers, fold, term, tokensOf, type Change, type Found, type Journal, type Term } from './terms';

const splitNames = new Map<string, string[]>(); // each word of a text is compared with all names

/** Returns a name's words in lower case. */
function wordsOf(name: string): string[] {
  let words = splitNames.get(name);
  if (!words) splitNames.set(name, (words = tokensOf(name).map(fold)));
  return words;
}

/** Finds a name's words at the beginning of the tokens. Returns their number, 0 if they differ. */
export function matchName(tokens: string[], name: string): number {
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
export function namesOf(journal: Journal, kind: string, negated: boolean): Named[] {
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
export function findName(tokens: string[], journal: Journal): Found | null {
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

export const ruleTerm = (state: 'followed' | 'broken', rule: string) =>
  term('Rule', `${state === 'broken' ? 'Broke' : 'Followed'} “${rule}”`, { ruleStates: [state], rule });

/** Finds "broke wait for the retest" and "followed small size". */
export function findRule(tokens: string[], journal: Journal): Found | null {
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

export const rootTerm = (root: string) => term('Root', root, { roots: [root] });
export const symbolTerm = (symbol: string) => term('Symbol', symbol, { symbols: [symbol] });
export const textTerm = (text: string) => term('Notes', `Search notes for “${text}”`, { q: text });

/** Finds "gap fill" in quotation marks, and "mentioning gap". */
export function findText(tokens: string[]): Found | null {
  const [first = '', second = ''] = tokens;
  const named = ['mentioning', 'mention', 'mentions'].includes(fold(first));
  const text = named ? second.replace(/^"/, '') : first.startsWith('"') ? first.slice(1) : '';
  return /[\p{L}\p{N}]/u.test(text) ? { length: named ? 2 : 1, term: textTerm(text) } : null;
}

export function findInstrument(tokens: string[], journal: Journal): Found | null {
  const first = fold(tokens[0] ?? '');
  const kind = ['root', 'symbol'].includes(first) && tokens[1] ? first : '';
  const name = (kind ? tokens[1]! : (tokens[0] ?? '')).toUpperCase();
  const length = kind ? 2 : 1;
  // ON and ALL are symbols too, if they are written as such.
  if (!kind && fillers.has(first) && tokens[0] !== name) return null;
  if (kind === 'root' || (!kind && journal.roots.includes(name))) return { length, term: rootTerm(name) };
  return kind === 'symbol' || journal.symbols.includes(name) ? { length, term: symbolTerm(name) } : null;
}
