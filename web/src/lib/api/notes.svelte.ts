// The notes of a day or of a period, for several screens.

import { filter } from '../filter/filter.svelte';
import { addDays, dayOf, type Day } from '../format/days';
import { answer, api, type Schemas } from './client';
import { query } from './queries.svelte';

export type Note = Schemas['Note'];

/** Reads the notes of a day. */
export const readNotes = (day: () => Day) => readNotesBetween(day, day);

/** Reads the notes from one day to another. A note with a time belongs to the day it has in the user's time zone. */
export const readNotesBetween = (from: () => Day, to: () => Day) =>
  query(() => ({
    key: ['notes', 'days', from(), to(), filter.timeZone],
    load: async (signal) => {
      const list = await answer(
        api.GET('/api/v1/notes', {
          params: {
            query: { from: `${addDays(from(), -1)}T00:00:00Z`, to: `${addDays(to(), 2)}T00:00:00Z` },
          },
          signal,
        }),
      );
      return list.filter((n) => noteDay(n) >= from() && noteDay(n) <= to());
    },
  }));

/** Returns the day of a note. */
export function noteDay(note: Note): Day {
  const at = note.occurred_at;
  return at.length === 10 ? at : dayOf(new Date(at), filter.timeZone);
}
