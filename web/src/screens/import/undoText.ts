import type { Schemas } from '../../lib/api/client';
import { formats } from '../../lib/formats.svelte';

/** Returns what undoing an import does. */
export function undoText(r: Schemas['Result'] | null): string {
  const cash = r?.cash_inserted ?? 0;
  const removed = [formats.plural(r?.inserted ?? 0, 'fill'), cash > 0 ? formats.plural(cash, 'cash row') : '']
    .filter(Boolean)
    .join(' and ');
  return `Removes ${removed} from this import. Fills that another import also contains are kept. Notes, tags and ratings stay with the remaining trades. You can import the file again.`;
}
