// What a text in "Add filter" may mean, as a list to choose from.

import { fixed } from './fixedWords';
import { namesOf, rootTerm, ruleTerm, symbolTerm, textTerm } from './nameWords';
import { findOrder, parsePhrase } from './phrase';
import { fold, type Journal, type Term } from './terms';

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
