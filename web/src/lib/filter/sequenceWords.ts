// What came before a trade on its day, as people type it: after 2 losses, after a
// win, first trade of the day, third or later, 2nd to 4th trade.

import type { Filter } from './filter';
import { parseCount, parseOrdinal, writeOrdinal } from './numberWords';

/** A condition at the beginning of some words, and how many words it takes. */
export interface FoundSequence {
  label: string;
  change: Partial<Filter>;
  length: number;
}

const losses = ['loss', 'losses', 'loser', 'losers', 'losing'];
const wins = ['win', 'wins', 'winner', 'winners', 'winning'];
const rowWords = ['straight', 'consecutive'];
const maxInARow = 20; // the API accepts no more

/** Returns how many of the words continue a text, 0 if they differ from it. */
const follows = (words: string[], at: number, ...texts: string[][]) =>
  texts.find((text) => text.every((word, i) => words[at + i] === word))?.length ?? 0;

/** Finds "after 2 losses", "after a win", "after two straight losing trades", "after 3 wins in a row". */
function findAfter(words: string[]): FoundSequence | null {
  if (words[0] !== 'after') return null;
  const count = parseCount(words[1] ?? '');
  let at = count === null ? 1 : 2;
  if (rowWords.includes(words[at] ?? '')) at++;
  const word = words[at] ?? '';
  const isLoss = losses.includes(word);
  const n = count ?? 1;
  if ((!isLoss && !wins.includes(word)) || n < 1 || n > maxInARow) return null;
  at++;
  if (word.endsWith('ing')) {
    if (!['trade', 'trades'].includes(words[at] ?? '')) return null;
    at++;
  }
  at += follows(words, at, ['in', 'a', 'row']);
  const noun = isLoss ? (n === 1 ? 'loss' : 'losses') : n === 1 ? 'win' : 'wins';
  return {
    label: n === 1 ? `After a ${noun}` : `After ${n} ${noun}`,
    change: isLoss ? { afterLosses: String(n) } : { afterWins: String(n) },
    length: at,
  };
}

/** Returns the end of "trade of the day" and its parts at a place. */
function skipOfDay(words: string[], at: number): number {
  let end = at + follows(words, at, ['trade'], ['trades']);
  end += follows(words, end, ['of', 'the', 'day'], ['of', 'day'], ['that', 'day']);
  return end;
}

/** Finds "first trade", "first two trades of the day", "third or later", "2nd to 4th trade". */
function findNumber(words: string[]): FoundSequence | null {
  const start = words[0] === 'the' ? 1 : 0;
  const first = parseOrdinal(words[start] ?? '');
  if (first === null) return null;
  const found = (min: string, max: string, label: string, length: number) => ({
    label,
    change: { nthMin: min, nthMax: max },
    length,
  });
  const several = first === 1 ? parseCount(words[start + 1] ?? '') : null;
  if (several && ['trade', 'trades'].includes(words[start + 2] ?? ''))
    return found('', String(several), `First ${several} trades of the day`, skipOfDay(words, start + 2));
  const isRange = ['to', 'through', '-', '–'].includes(words[start + 1] ?? '');
  const last = isRange ? parseOrdinal(words[start + 2] ?? '') : null;
  if (last !== null && last >= first)
    return found(
      String(first),
      String(last),
      `${writeOrdinal(first)} to ${writeOrdinal(last)} trade of the day`,
      skipOfDay(words, start + 3),
    );
  const end = skipOfDay(words, start + 1);
  const later = follows(words, end, ['or', 'later'], ['and', 'later'], ['or', 'after'], ['and', 'after']);
  if (later)
    return found(
      String(first),
      '',
      `${writeOrdinal(first)} trade of the day or later`,
      skipOfDay(words, end + later),
    );
  if (end === start + 1) return null; // "first" alone says nothing
  return found(String(first), String(first), `${writeOrdinal(first)} trade of the day`, end);
}

export const findSequence = (words: string[]): FoundSequence | null => findAfter(words) ?? findNumber(words);
