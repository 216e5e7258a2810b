// Saves the annotations of one trade. While the server is unreachable they are kept in
// the outbox and shown as if they were saved.

import { annotationsOf, inTurn, sendAnnotations } from '../../lib/annotations';
import type { Annotations, Schemas } from '../../lib/api/client';
import { asApiError } from '../../lib/api/errors';
import { act, queryClient, queueWrites } from '../../lib/api/queries.svelte';
import type { FieldValues } from '../../lib/conflicts.svelte';
import { outbox } from '../../lib/outbox.svelte';
import { withAnnotations } from './annotate';
import type { TradeList } from './list.svelte';

/** The trade as it was saved, or undefined if it waits for the server. */
export type Saved = Schemas['TradeDetail'] | undefined;

const keyOf = (trade: string) => ['trades', 'one', trade];

/** Shows annotations of a trade before they are saved. */
function showAnnotations(trade: string, annotations: Annotations): void {
  queryClient.setQueryData<Schemas['TradeDetail']>(keyOf(trade), (t) => t && withAnnotations(t, annotations));
}

/** The values a trade is shown with. */
const shownValues = (trade: string): FieldValues =>
  annotationsOf(queryClient.getQueryData<Schemas['TradeDetail']>(keyOf(trade)));

/** Sends annotations together with those of the trade that are still in the outbox. */
const send = (trade: string, annotations: Annotations, base: FieldValues) =>
  inTurn(trade, async () => {
    const pending = outbox.entryOf(trade);
    const written = await sendAnnotations(
      trade,
      { ...pending?.annotations, ...annotations },
      { ...base, ...pending?.base },
    );
    if (pending) outbox.drop(trade);
    return written;
  });

export interface SaveOptions {
  /** The values the user began with; without it those that are shown. */
  base?: FieldValues;
  done?: string; // shown after success
}

/** Saves annotations, then updates the table and the trade. */
export async function saveAnnotations(
  list: TradeList,
  trade: string,
  annotations: Annotations,
  { base = shownValues(trade), done }: SaveOptions = {},
): Promise<Saved> {
  try {
    const written = await act({
      run: () => send(trade, annotations, base),
      touches: 'tag_ids' in annotations ? ['trades', 'analytics', 'tags'] : ['trades', 'analytics'],
      done,
      quiet: true,
    });
    queryClient.setQueryData(keyOf(trade), written);
    list.replace([written]);
    return written;
  } catch (fault) {
    if (!asApiError(fault).isAway) throw fault;
    outbox.put(trade, annotations, base);
    showAnnotations(trade, annotations);
    return undefined;
  }
}

/**
 * Returns a function that shows annotations at once and saves them one after the other, for changes that follow
 * each other fast. The message about a refused change is shown, and the reload after the last one shows what
 * is stored.
 */
export function queueAnnotations(
  list: TradeList,
): (trade: string, annotations: Annotations, options?: SaveOptions) => Promise<Saved> {
  const write = queueWrites(['trades', 'analytics', 'tags']);
  return async (trade, annotations, { base = shownValues(trade) } = {}) => {
    // A reading that is under way would show the old values again.
    void queryClient.cancelQueries({ queryKey: keyOf(trade) });
    showAnnotations(trade, annotations);
    let written: Saved;
    let refused: unknown;
    await write(async () => {
      try {
        written = await send(trade, annotations, base);
        list.replace([written]);
      } catch (fault) {
        if (!asApiError(fault).isAway) {
          refused = fault;
          throw fault;
        }
        outbox.put(trade, annotations, base);
      }
    });
    if (refused !== undefined) throw refused;
    return written;
  };
}
