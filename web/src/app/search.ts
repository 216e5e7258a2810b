// What the command palette finds: commands and things of the journal, in groups.

export interface Hit {
  id: string; // unique in the list
  label: string;
  hint?: string;
  words?: string; // by which it is found as well
  run: () => void;
}

export interface Group {
  title: string;
  hits: Hit[];
}

const maxHits = 6; // of a group, while something is typed

/** Reports whether each typed word begins a word of a text. */
export function matches(text: string, typed: string): boolean {
  const words = splitWords(text);
  return splitWords(typed).every((t) => words.some((w) => w.startsWith(t)));
}

// Scripts written without spaces between words, and the prolonged sound mark of two of them. As on the
// server, each of their characters is a word.
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const spacelessWords = new RegExp(`(${spaceless.source})`, 'u');

function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => word.split(spacelessWords))
    .filter(Boolean);
}

/** Reports whether the server is asked for a typed text: a single letter would find almost everything. */
export function isSearchable(typed: string): boolean {
  return /[\p{L}\p{N}]{2}/u.test(typed) || spaceless.test(typed);
}

/** Returns the groups with the hits that match what is typed. Found ones were matched by the server. */
export function findHits(known: Group[], found: Group[], typed: string): Group[] {
  const text = typed.trim();
  const picked = known.map(({ title, hits }) => ({
    title,
    hits: text
      ? hits.filter((h) => matches(`${h.label} ${h.hint ?? ''} ${h.words ?? ''}`, text)).slice(0, maxHits)
      : hits,
  }));
  return [...picked, ...(text ? found : [])].filter((g) => g.hits.length > 0);
}

/** Returns the part of a text around the first typed word, on one line. */
export function excerpt(text: string, typed: string, length = 90): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const first = splitWords(typed)[0] ?? '';
  const found = line.toLowerCase().indexOf(first);
  const at = Math.max(0, found - 20);
  const space = line.indexOf(' ', at);
  const start = at === 0 ? 0 : space >= 0 && space < found ? space + 1 : at;
  const part = line.slice(start, start + length);
  return `${start > 0 ? '…' : ''}${part}${start + length < line.length ? '…' : ''}`;
}
