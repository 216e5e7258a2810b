// Fills as charts draw them.

import { formats } from '../../lib/formats.svelte';
import type { ChartFill } from './marks';

interface Fill {
  executed_at: string;
  side: 'buy' | 'sell';
  price: number;
}

export function toChartFill(fill: Fill, opens: boolean, quantity: number): ChartFill {
  const verb = fill.side === 'buy' ? 'bought' : 'sold';
  return {
    second: Date.parse(fill.executed_at) / 1000,
    price: fill.price,
    quantity,
    side: fill.side,
    opens,
    text: `${verb} ${formats.tradeQuantity(quantity)} at ${formats.price(fill.price)}`,
  };
}
