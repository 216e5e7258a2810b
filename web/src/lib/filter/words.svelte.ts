// The filter's words: names of setups and tags by id, and numbers in the
// user's notation.

import { readSetups, readTags } from '../api/queries.svelte';
import { formats } from '../formats.svelte';
import type { Words } from './describe';
import { filter } from './filter.svelte';

/** Loads the names that the current filter needs. Call it at the top of a component's script. */
export function readWords(): Words {
  const setups = readSetups(() => filter.now.setups.length > 0);
  const tags = readTags(() => filter.now.tags.length > 0);
  const names = $derived(new Map([...(setups.data ?? []), ...(tags.data ?? [])].map((x) => [x.id, x.name])));
  return {
    name: (id) => names.get(id) ?? '…',
    number: (text) => formats.decimal(text),
    hour: (hour) => formats.hour(hour),
  };
}
