// Saves the annotations of many trades: one request per trade, a few at a time.

import { answer, api, type Annotations, type Schemas } from '../../lib/api/client';

const parallel = 4;

/** Returns a trade as it will be when its pending annotations are saved. */
export function withAnnotations(
  trade: Schemas['TradeDetail'],
  annotations: Annotations,
): Schemas['TradeDetail'] {
  const { reviewed, setup_id, ...rest } = annotations;
  const sent = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...trade,
    ...sent,
    ...(setup_id === undefined ? {} : { setup_ids: setup_id === null ? [] : [setup_id] }),
    ...(reviewed === undefined || reviewed === null
      ? {}
      : { reviewed_at: reviewed ? (trade.reviewed_at ?? new Date().toISOString()) : null }),
  };
}

/** Saves annotations of each trade; `onsaved` receives each saved trade and their number. Stops at the first error. */
export async function annotateAll(
  trades: readonly { id: string }[],
  annotationsFor: (index: number) => Annotations,
  onsaved: (trade: Schemas['TradeDetail'], count: number) => void,
): Promise<void> {
  let next = 0;
  let count = 0;
  const worker = async () => {
    while (next < trades.length) {
      const index = next++;
      try {
        const path = { id: trades[index]!.id };
        onsaved(
          await answer(api.PATCH('/api/v1/trades/{id}', { params: { path }, body: annotationsFor(index) })),
          ++count,
        );
      } catch (fault) {
        next = trades.length;
        throw fault;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, trades.length) }, worker));
}
