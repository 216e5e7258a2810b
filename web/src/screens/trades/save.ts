// Saves the annotations of one trade. While the server is unreachable they are kept in
// the outbox and shown as if they were saved.

import { answer, api, type Annotations, type Schemas } from '../../lib/api/client';
import { asApiError } from '../../lib/api/errors';
import { act, queryClient, queueWrites } from '../../lib/api/queries.svelte';
import { outbox } from '../../lib/outbox.svelte';
import { withAnnotations } from './annotate';
import type { TradeList } from './list.svelte';

export type Saved = 'saved' | 'waiting';

const keyOf = (trade: string) => ['trades', 'one', trade];

/** Shows annotations of a trade before they are saved. */
function showAnnotations(trade: string, annotations: Annotations): void {
  queryClient.setQueryData<Schemas['TradeDetail']>(keyOf(trade), (t) => t && withAnnotations(t, annotations));
}

const send = (trade: string, annotations: Annotations) =>
  answer(api.PATCH('/api/v1/trades/{id}', { params: { path: { id: trade } }, body: annotations }));

/** Saves annotations, then updates the table and the trade. */
export async function saveAnnotations(
  list: TradeList,
  trade: string,
  annotations: Annotations,
  done?: string,
): Promise<Saved> {
  try {
    const written = await act({
      run: () => send(trade, annotations),
      touches: 'tag_ids' in annotations ? ['trades', 'analytics', 'tags'] : ['trades', 'analytics'],
      done,
      quiet: true,
    });
    queryClient.setQueryData(keyOf(trade), written);
    list.replace([written]);
    return 'saved';
  } catch (fault) {
    if (!asApiError(fault).isAway) throw fault;
    outbox.put(trade, annotations);
    showAnnotations(trade, annotations);
    return 'waiting';
  }
}

/**
 * Returns a function that shows annotations at once and saves them one after the other, for changes that follow
 * each other fast. The message about a refused change is shown, and the reload after the last one shows what
 * is stored.
 */
export function queueAnnotations(
  list: TradeList,
): (trade: string, annotations: Annotations) => Promise<Saved> {
  const write = queueWrites(['trades', 'analytics', 'tags']);
  return async (trade, annotations) => {
    // A reading that is under way would show the old values again.
    void queryClient.cancelQueries({ queryKey: keyOf(trade) });
    showAnnotations(trade, annotations);
    let outcome: Saved = 'saved';
    let refused: unknown;
    await write(async () => {
      try {
        list.replace([await send(trade, annotations)]);
      } catch (fault) {
        if (!asApiError(fault).isAway) {
          refused = fault;
          throw fault;
        }
        outbox.put(trade, annotations);
        outcome = 'waiting';
      }
    });
    if (refused !== undefined) throw refused;
    return outcome;
  };
}
