// Saves and deletes notes another device may have changed meanwhile.

import { answer, api, tagged, type Schemas } from './api/client';
import type { Note } from './api/notes.svelte';
import { queryClient } from './api/queries.svelte';
import { deleteChecked, saveChecked } from './checkedSave';
import type { Fields, FieldValues } from './conflicts.svelte';

type NoteChange = Schemas['NoteFields'];

const showAccount = (id: unknown) =>
  queryClient.getQueryData<Schemas['Account'][]>(['accounts'])?.find((a) => a.id === id)?.name ?? 'None';

const showSymbols = (symbols: unknown) =>
  ((symbols ?? []) as Note['symbols']).map((s) => `${s.symbol}: ${s.body}`).join('\n') || 'None';

const fields: Fields = {
  type: { label: 'Type', kind: 'value' },
  occurred_at: { label: 'Day', kind: 'value' },
  title: { label: 'Title', kind: 'value' },
  body: { label: 'Text', kind: 'text' },
  symbols: { label: 'Symbols', kind: 'value', show: showSymbols },
  account_id: { label: 'Account', kind: 'value', show: showAccount },
  trade_id: { label: 'Trade', kind: 'value', show: (id) => (id ? 'Linked' : 'None') },
};

/** Returns the values of a note that can be edited. */
export function noteValues(note: Note): FieldValues {
  const { type, occurred_at, title, body, symbols, account_id, trade_id } = note;
  return {
    type,
    occurred_at,
    title,
    body,
    symbols: symbols.map((s) => ({ symbol: s.symbol, body: s.body })),
    account_id,
    trade_id,
  };
}

const checks = (id: string) => ({
  what: 'note',
  read: () => tagged(api.GET('/api/v1/notes/{id}', { params: { path: { id } } })),
  valuesOf: noteValues,
});

/** Saves changes of a note; `base` has the values the user began with. */
export function saveNote(id: string, mine: FieldValues, base: FieldValues): Promise<Note> {
  return saveChecked({
    ...checks(id),
    fields,
    write: (changes, tag) =>
      answer(
        api.PATCH('/api/v1/notes/{id}', {
          params: { path: { id }, header: { 'If-Match': tag } },
          body: changes as NoteChange,
        }),
      ),
    base,
    mine,
  });
}

/** Deletes a note, unless another device has changed it since it was shown. */
export function deleteNote(shown: Note): Promise<void> {
  const remove = (tag: string) =>
    answer(
      api.DELETE('/api/v1/notes/{id}', { params: { path: { id: shown.id }, header: { 'If-Match': tag } } }),
    );
  return deleteChecked(checks(shown.id), noteValues(shown), remove);
}
