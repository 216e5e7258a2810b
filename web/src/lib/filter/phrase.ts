// Reads what is typed into "Add filter". One text may hold several conditions:
// "losing nq shorts fri after 14:00 opening drive". It never guesses: words that
// are no condition, or that may be several, are returned as not understood.

import { findDays, rangeOf } from './dateWords';
import type { Filter } from './filter';
import { findEmotion, findFixed, findGrade } from './fixedWords';
import { findInstrument, findName, findRule, findText } from './nameWords';
import { rangeLabels } from './periods';
import { findHoldRange, findRange } from './rangeWords';
import { findSequence } from './sequenceWords';
import { fillers, fold, term, tokensOf, type Change, type Found, type Journal, type Term } from './terms';
import { findTime } from './timeWords';

/** Words that change the meaning of the next condition: if they are not understood, neither is that. */
const binders = new Set([
  ...['not', 'no', 'without', 'except', 'excluding', 'never', 'non', 'but'],
  ...['after', 'before', 'since', 'until', 'through', 'from', 'between', 'than', 'or', 'to'],
  ...['over', 'above', 'under', 'below', 'more', 'less', 'at', 'least', 'most', 'up'],
]);

/** Finds dates: "yesterday", "last month", "since monday", "in march". */
function findDates(words: string[], journal: Journal): Found | null {
  const found = findDays(words, journal);
  if (!found) return null;
  const chosen = rangeOf(found, journal);
  const label = chosen.range === 'custom' ? journal.period(chosen) : rangeLabels[chosen.range];
  return { length: found.length, term: term('Dates', label, { ...chosen }) };
}

/** Finds what came before on the day: "after 2 losses", "third or later". */
export function findOrder(words: string[]): Found | null {
  const found = findSequence(words);
  return found && { length: found.length, term: term('Order', found.label, found.change) };
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
