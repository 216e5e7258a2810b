// Kinds of notes, what a new one begins with, and what a search looks at.

import type { Schemas } from '../../lib/api/client';

export type Note = Schemas['Note'];
export type NoteType = Note['type'];

export const types: { value: NoteType; label: string; many: string }[] = [
  { value: 'note', label: 'Note', many: 'Notes' },
  { value: 'daily_log', label: 'Daily log', many: 'Daily logs' },
  { value: 'weekly_review', label: 'Weekly review', many: 'Weekly reviews' },
];

export function typeName(type: NoteType): string {
  return types.find((t) => t.value === type)?.label ?? type;
}

/** Something to write into: the questions a review answers. */
export const beginnings: Record<NoteType, string> = {
  note: '',
  daily_log: '**Plan.** \n\n- [ ] \n\n**Result.** ',
  weekly_review: '## What worked\n\n\n## What did not\n\n\n## Next week\n\n- [ ] ',
};

/** The first words of a note without the signs of Markdown, for a list. */
export function excerpt(note: Note): string {
  const body = note.body || note.symbols.map((s) => `${s.symbol}: ${s.body}`).join(', ');
  return body
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?/gm, '')
    .replace(/[#*_`>~]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 160);
}

export function fits(note: Note, words: string): boolean {
  const text = [note.title, note.body, ...note.symbols.flatMap((s) => [s.symbol, s.body])]
    .join(' ')
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** How many boxes there are and how many are ticked, or '' without boxes. */
export function tasks(note: Note): string {
  const boxes = note.body.match(/^\s*[-*+]\s+\[[ xX]\]/gm) ?? [];
  if (boxes.length === 0) return '';
  return `${boxes.filter((b) => /x/i.test(b)).length} of ${boxes.length} done`;
}
