// Sends what was typed: the entry, the exit when there is one, and what was
// written on it. A refused exit takes the entry back, so that a corrected form
// can be sent again without leaving half a trade behind.

import { answer, api, type Schemas } from '../../lib/api/client';
import { toDecimal } from '../../lib/format/decimal';
import type { Marks } from './bulk';

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

export interface Written {
  trade: string;
  fills: string[]; // those that are new
  deduped: boolean;
  warnings: string[];
}

type Stored = Schemas['WrittenExecution'];

function send(contract: Contract, leg: Leg): Promise<Stored> {
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

export async function remove(fills: string[]): Promise<void> {
  for (const id of fills) await answer(api.DELETE('/api/v1/executions/{id}', { params: { path: { id } } }));
}

/** `began` is told which leg is on its way, so that a refusal can be shown at the right one. */
export async function enter(
  contract: Contract,
  legs: Leg[],
  marks: Marks,
  began: (leg: number) => void,
): Promise<Written> {
  const stored: Stored[] = [];
  const fresh = () => stored.filter((s) => !s.deduped).map((s) => s.execution_id);
  try {
    for (const [i, leg] of legs.entries()) {
      began(i);
      stored.push(await send(contract, leg));
    }
    const last = stored.at(-1)!;
    // A fill that crosses zero closes one trade and opens another; what was typed is the one it closed.
    const trade = stored[0]!.trade_ids.find((id) => last.trade_ids.includes(id)) ?? last.trade_id;
    if (Object.keys(marks).length > 0) {
      await answer(api.PATCH('/api/v1/trades/{id}', { params: { path: { id: trade } }, body: marks }));
    }
    return {
      trade,
      fills: fresh(),
      deduped: stored.some((s) => s.deduped),
      warnings: [...new Set(stored.flatMap((s) => s.warnings ?? []))],
    };
  } catch (fault) {
    await remove(fresh()).catch(() => undefined);
    throw fault;
  }
}
