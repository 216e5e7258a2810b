// What the command palette finds: commands and things of the journal, in groups.

export interface Hit {
  id: string; // unique in the list
  label: string;
  hint?: string;
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

function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** Returns the groups with the hits that match what is typed. Found ones were matched by the server. */
export function findHits(known: Group[], found: Group[], typed: string): Group[] {
  const text = typed.trim();
  const picked = known.map(({ title, hits }) => ({
    title,
    hits: text ? hits.filter((h) => matches(`${h.label} ${h.hint ?? ''}`, text)).slice(0, maxHits) : hits,
  }));
  return [...picked, ...(text ? found : [])].filter((g) => g.hits.length > 0);
}

/** Returns the part of a text around the first typed word, on one line. */
export function excerpt(text: string, typed: string, length = 90): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const first = splitWords(typed)[0] ?? '';
  const at = Math.max(0, line.toLowerCase().indexOf(first) - 20);
  const start = at === 0 ? 0 : line.indexOf(' ', at) + 1;
  const part = line.slice(start, start + length);
  return `${start > 0 ? '…' : ''}${part}${start + length < line.length ? '…' : ''}`;
}
