// Fills as charts draw them.

import { formats } from '../../lib/formats.svelte';
import type { ChartFill } from './marks';

interface Fill {
  executed_at: string;
  side: 'buy' | 'sell';
  price: number;
  quantity: number;
  adjusted_price?: number | null;
  adjusted_quantity?: number | null;
}

/** Returns a fill as charts draw it: in the units after later splits, as bars are. quantity is its part in the trade. */
export function toChartFill(fill: Fill, opens: boolean, quantity: number): ChartFill {
  const verb = fill.side === 'buy' ? 'bought' : 'sold';
  const stated = `${verb} ${formats.tradeQuantity(quantity)} at ${formats.price(fill.price)}`;
  const price = fill.adjusted_price ?? fill.price;
  const adjusted =
    fill.adjusted_quantity == null ? quantity : (quantity * fill.adjusted_quantity) / fill.quantity;
  return {
    second: Date.parse(fill.executed_at) / 1000,
    price,
    quantity: adjusted,
    side: fill.side,
    opens,
    text:
      fill.adjusted_price == null
        ? stated
        : `${stated}, adjusted ${formats.tradeQuantity(adjusted)} at ${formats.averagePrice(price)}`,
  };
}
