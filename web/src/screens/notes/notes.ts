// The types of notes, the text a new note starts with, and the search.

import type { Schemas } from '../../lib/api/client';
import { reviewQuestions } from '../../lib/noteTemplates';
import { isMonthlyReview, monthlyTitle } from '../../lib/reviews';

export type Note = Schemas['Note'];
export type NoteType = Note['type'];

export const noteTypes: { value: NoteType; label: string }[] = [
  { value: 'note', label: 'Note' },
  { value: 'daily_log', label: 'Daily log' },
  { value: 'weekly_review', label: 'Weekly review' },
];

export function noteTypeLabel(type: NoteType): string {
  return noteTypes.find((t) => t.value === type)?.label ?? type;
}

/** Returns what a list says of a note. */
export const describeType = (note: Note) => (isMonthlyReview(note) ? monthlyTitle : noteTypeLabel(note.type));

/** A choice of the list: all notes, a type, or the monthly among the reviews. */
export type NoteKind = NoteType | 'all' | 'monthly';

export const noteKinds: { value: NoteKind; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'daily_log', label: 'Daily' },
  { value: 'weekly_review', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
  { value: 'note', label: 'Notes' },
];

/** Reports whether a note is of a kind. A monthly review is stored as a weekly one with its own title. */
export function isOfKind(note: Note, kind: NoteKind): boolean {
  if (kind === 'all') return true;
  const own = isMonthlyReview(note) ? 'monthly' : note.type;
  return own === kind;
}

/** The text a new note of a type starts with. */
export const noteTemplates: Record<NoteType, string> = {
  note: '',
  daily_log: '**Plan.** \n\n- [ ] \n\n**Result.** ',
  weekly_review: reviewQuestions,
};

/** Returns the beginning of a note without Markdown syntax, for a list. */
export function excerptOf(note: Note): string {
  const body = note.body || note.symbols.map((s) => `${s.symbol}: ${s.body}`).join(', ');
  return body
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?/gm, '')
    .replace(/[#*_`>~]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 160);
}

/** Reports whether a note contains every word of the search text. */
export function matchesSearch(note: Note, search: string): boolean {
  const text = [note.title, note.body, ...note.symbols.flatMap((s) => [s.symbol, s.body])]
    .join(' ')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Returns the task progress of a note, such as "1 of 3 done"; '' if it has none. */
export function taskProgress(note: Note): string {
  const tasks = note.body.match(/^\s*[-*+]\s+\[[ xX]\]/gm) ?? [];
  if (tasks.length === 0) return '';
  return `${tasks.filter((t) => /x/i.test(t)).length} of ${tasks.length} done`;
}
