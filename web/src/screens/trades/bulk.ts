// Writing on many trades: one request each, a few at a time, in order.

import { answer, api, type Schemas } from '../../lib/api/client';

const atOnce = 4;

export type Marks = Schemas['MarkFields'];

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
