// Writing on many trades: one request each, a few at a time, in order.

import { answer, api, type Annotations, type Schemas } from '../../lib/api/client';

const atOnce = 4;

export type Marks = Annotations;

/** A trade as it will be when annotations that wait have been written. */
export function withAnnotations(trade: Schemas['TradeDetail'], marks: Marks): Schemas['TradeDetail'] {
  const { reviewed, setup_id, ...rest } = marks;
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

/** Writes marks on each trade; `done` is told how many are through. Stops at the first refusal. */
export async function markAll(
  trades: readonly { id: string }[],
  marks: (index: number) => Marks,
  done: (trade: Schemas['TradeDetail'], count: number) => void,
): Promise<void> {
  let next = 0;
  let count = 0;
  const worker = async () => {
    while (next < trades.length) {
      const index = next++;
      try {
        const path = { id: trades[index]!.id };
        done(
          await answer(api.PATCH('/api/v1/trades/{id}', { params: { path }, body: marks(index) })),
          ++count,
        );
      } catch (fault) {
        next = trades.length;
        throw fault;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, trades.length) }, worker));
}
