// Saves the daily log: the note of the type daily log a day has.

import { answer, api } from './api/client';
import { act } from './api/queries.svelte';
import type { Day } from './format/days';
import type { Note } from './api/notes.svelte';
import { deleteNote, saveNote } from './noteSave';

/** Creates or changes the log of a day, and deletes one that has become empty. Returns the remaining log. */
export async function saveDayLog(
  day: Day,
  log: Note | undefined,
  body: string,
  quiet = false,
): Promise<Note | undefined> {
  const isEmpty = body.trim() === '';
  if (!log) return isEmpty ? undefined : create(day, body, quiet);
  if (!isEmpty || log.symbols.length > 0) return update(log, body, quiet);
  await remove(log, quiet);
  return undefined;
}

function create(day: Day, body: string, quiet: boolean): Promise<Note> {
  return act({
    run: () => answer(api.POST('/api/v1/notes', { body: { type: 'daily_log', occurred_at: day, body } })),
    touches: ['notes', 'analytics'],
    done: 'Daily log saved.',
    quiet,
  });
}

function update(log: Note, body: string, quiet: boolean): Promise<Note> {
  return act({
    run: () => saveNote(log.id, { body }, { body: log.body }),
    touches: ['notes'],
    done: 'Daily log saved.',
    quiet,
  });
}

function remove(log: Note, quiet: boolean): Promise<unknown> {
  return act({
    run: () => deleteNote(log),
    touches: ['notes', 'analytics'],
    done: 'Daily log deleted.',
    quiet,
  });
}
