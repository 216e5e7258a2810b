// The fills of a day by contract, for its chart.

import type { Priced } from '../../charts/candles/readBars.svelte';
import type { Schemas } from '../../lib/api/client';

type Trade = Pick<
  Schemas['Trade'],
  'id' | 'symbol' | 'instrument_type' | 'option_right' | 'strike' | 'expiry' | 'direction'
>;
type Execution = Pick<
  Schemas['Execution'],
  'id' | 'trade_ids' | 'executed_at' | 'side' | 'price' | 'quantity'
>;

export interface ContractFills {
  key: string;
  instrument: Priced;
  trades: string[]; // their ids
  fills: { fill: Execution; opens: boolean }[]; // by time
  first: number; // in seconds since 1970
  last: number;
}

/** Returns the contracts of the trades with their fills, that with the most fills first. */
export function groupByContract(trades: Trade[], executions: Execution[]): ContractFills[] {
  const byId = new Map(trades.map((t) => [t.id, t]));
  const contracts = new Map<string, ContractFills>();
  const sorted = [...executions].sort((a, b) => Date.parse(a.executed_at) - Date.parse(b.executed_at));
  for (const fill of sorted) {
    const owners = fill.trade_ids.flatMap((id) => byId.get(id) ?? []);
    const [owner] = owners;
    if (!owner) continue; // not of the filter
    const key = [owner.symbol, owner.instrument_type, owner.option_right, owner.strike, owner.expiry].join();
    const second = Date.parse(fill.executed_at) / 1000;
    let contract = contracts.get(key);
    if (!contract) {
      contract = { key, instrument: owner, trades: [], fills: [], first: second, last: second };
      contracts.set(key, contract);
    }
    // A fill that closes one trade and opens the next counts as one that opens.
    const opens = owners.some((t) => (t.direction === 'long') === (fill.side === 'buy'));
    contract.fills.push({ fill, opens });
    contract.last = second;
    contract.trades.push(...owners.map((t) => t.id).filter((id) => !contract.trades.includes(id)));
  }
  return [...contracts.values()].sort((a, b) => b.fills.length - a.fills.length);
}
