// Saves changes of a record another device may have changed meanwhile. The write carries the entity tag of
// the state it was compared with, so no change is overwritten unseen.

import type { Tagged } from './api/client';
import { ApiError, asApiError } from './api/errors';
import { compareFields, isSame, questions, type Fields, type FieldValues } from './conflicts.svelte';

export interface CheckedSave<R> {
  what: string; // names the record in the dialog, such as "note"
  fields: Fields;
  /** Reads the record as it is stored now. */
  read: () => Promise<Tagged<R>>;
  /** Returns the stored values in the shape in which they are sent. */
  valuesOf: (record: R) => FieldValues;
  /** Sends changed values, if the record still has the tag. */
  write: (changes: FieldValues, tag: string) => Promise<R>;
  base: FieldValues; // the values the user began with
  mine: FieldValues; // the values to save
}

const maxTries = 5;

/** Saves what the user changed. Asks if another device has changed the same fields. */
export async function saveChecked<R>(save: CheckedSave<R>): Promise<R> {
  let { base, mine } = save;
  for (let tries = 0; ;) {
    const { record, tag } = await save.read();
    const stored = save.valuesOf(record);
    const { changes, conflicts } = compareFields(save.fields, base, stored, mine);
    if (conflicts.length > 0) {
      const chosen = await questions.ask(save.what, conflicts);
      if (chosen === null) throw changedElsewhere(save.what);
      base = { ...base, ...Object.fromEntries(conflicts.map((c) => [c.name, c.stored])) };
      mine = { ...mine, ...chosen };
      continue;
    }
    if (Object.keys(changes).length === 0) return record;
    try {
      return await save.write(changes, tag);
    } catch (fault) {
      if (asApiError(fault).status !== 412 || ++tries === maxTries) throw fault;
    }
  }
}

/** Deletes a record, unless another device has changed it since it was shown. */
export async function deleteChecked<R>(
  save: Pick<CheckedSave<R>, 'what' | 'read' | 'valuesOf'>,
  shown: FieldValues,
  remove: (tag: string) => Promise<unknown>,
): Promise<void> {
  const { record, tag } = await save.read();
  if (!isSame(save.valuesOf(record), shown)) throw changedElsewhere(save.what);
  await remove(tag);
}

function changedElsewhere(what: string): ApiError {
  return new ApiError(
    412,
    'precondition_failed',
    `This ${what} was changed on another device. Nothing was saved.`,
  );
}
