// Fills and notes as charts draw them.

import { formats } from '../../lib/formats.svelte';
import type { ChartFill, ChartNote } from './marks';

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

interface Note {
  id: string;
  occurred_at: string; // a day or a date-time
  title: string;
  body: string;
}

/** Returns the notes about an instant, by time. Notes about a whole day have no place on a chart. */
export function toChartNotes(notes: Note[]): ChartNote[] {
  return notes
    .filter((note) => note.occurred_at.includes('T'))
    .map((note) => ({
      id: note.id,
      second: Date.parse(note.occurred_at) / 1000,
      text: (note.title || note.body).trim().split('\n')[0]!,
    }))
    .sort((a, b) => a.second - b.second);
}
