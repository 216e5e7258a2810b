// Notes as charts draw them.

import type { ChartNote } from './marks';

interface Note {
  id: string;
  occurred_at: string; // a day or a date-time
  title: string;
  body: string;
}

/** Returns the notes about an instant, by time. Notes about a whole day have no place on a chart. */
export function toChartNotes(notes: Note[]): ChartNote[] {
  return notes
    .filter((note) => note.occurred_at.includes('T'))
    .map((note) => ({
      id: note.id,
      second: Date.parse(note.occurred_at) / 1000,
      text: (note.title || note.body).trim().split('\n')[0]!,
    }))
    .sort((a, b) => a.second - b.second);
}
