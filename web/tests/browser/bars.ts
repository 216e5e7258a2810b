// Price bars for tests.

import type { Api } from './server';

const minute = 60;

/**
 * Returns minute bars of a day in the layout of TradingView, from 13:30 to 20:00 UTC. The price moves evenly from
 * `entry` at 14:30 to `exit` at 15:10, with a dip and a peak in between, so fills at these times lie inside.
 */
export function minuteBars(day: string, entry: number, exit: number): string {
  const start = Date.parse(`${day}T13:30:00Z`) / 1000;
  const lines = ['time,open,high,low,close,Volume'];
  for (let i = 0; i < 390; i++) {
    const at = Math.max(0, Math.min(1, (i - 60) / 40));
    const wave = Math.sin(i / 7) * 0.3;
    const middle = entry + (exit - entry) * at + (i === 60 || i === 100 ? 0 : wave);
    const close = middle + (i % 3 === 0 ? -0.12 : 0.15);
    const [high, low] = [Math.max(middle, close) + 0.2, Math.min(middle, close) - 0.2];
    const cells = [middle, high, low, close].map((price) => price.toFixed(2));
    lines.push([start + i * minute, ...cells, 1000 + ((i * 37) % 900)].join(','));
  }
  return lines.join('\n');
}

/** Imports a file of bars over the API. TradingView names the symbol in the file's name. */
export async function importBars(api: Api, symbol: string, csv: string): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([csv], { type: 'text/csv' }), `BATS_${symbol}, 1.csv`);
  await api('POST', '/bars/imports/commit', form);
}
