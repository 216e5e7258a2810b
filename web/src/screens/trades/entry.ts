// Saves a trade that was entered by hand: the entry, the exit if there is one, and
// its annotations. If the exit is rejected, the entry is deleted again, so that the
// corrected form can be sent as a whole.

import { answer, api, type Annotations, type Schemas } from '../../lib/api/client';
import { toDecimal } from '../../lib/format/decimal';

export interface Leg {
  side: 'buy' | 'sell';
  quantity: string;
  price: string;
  at: string;
  fees: string;
  commission: string;
}

export interface Contract {
  account: string;
  symbol: string;
  instrument: string;
  multiplier: string;
  details: Record<string, string>;
}

export interface SavedTrade {
  trade: string;
  fills: string[]; // only new ones
  deduped: boolean;
  warnings: string[];
}

type Stored = Schemas['WrittenExecution'];

function sendLeg(contract: Contract, leg: Leg): Promise<Stored> {
  return answer(
    api.POST('/api/v1/executions', {
      body: {
        account_id: contract.account,
        symbol: contract.symbol,
        instrument_type: contract.instrument,
        side: leg.side,
        quantity: toDecimal(leg.quantity),
        price: toDecimal(leg.price),
        executed_at: leg.at,
        ...(leg.fees.trim() ? { fees: toDecimal(leg.fees) } : {}),
        ...(leg.commission.trim() ? { commission: toDecimal(leg.commission) } : {}),
        ...(contract.multiplier.trim() ? { multiplier: toDecimal(contract.multiplier) } : {}),
        ...(Object.keys(contract.details).length > 0 ? { details: contract.details } : {}),
      },
    }),
  );
}

export async function deleteFills(fills: string[]): Promise<void> {
  for (const id of fills) await answer(api.DELETE('/api/v1/executions/{id}', { params: { path: { id } } }));
}

/** Saves the legs and the annotations. `onleg` is called before each leg is sent, so that an error can be shown
    at the right one. */
export async function saveTrade(
  contract: Contract,
  legs: Leg[],
  annotations: Annotations,
  onleg: (leg: number) => void,
): Promise<SavedTrade> {
  const stored: Stored[] = [];
  const inserted = () => stored.filter((s) => !s.deduped).map((s) => s.execution_id);
  try {
    for (const [i, leg] of legs.entries()) {
      onleg(i);
      stored.push(await sendLeg(contract, leg));
    }
    const last = stored.at(-1)!;
    // A fill that crosses zero closes one trade and opens another; the entered trade is the closed one.
    const trade = stored[0]!.trade_ids.find((id) => last.trade_ids.includes(id)) ?? last.trade_id;
    if (Object.keys(annotations).length > 0) {
      await answer(api.PATCH('/api/v1/trades/{id}', { params: { path: { id: trade } }, body: annotations }));
    }
    return {
      trade,
      fills: inserted(),
      deduped: stored.some((s) => s.deduped),
      warnings: [...new Set(stored.flatMap((s) => s.warnings ?? []))],
    };
  } catch (fault) {
    await deleteFills(inserted()).catch(() => undefined);
    throw fault;
  }
}
