// Fills copied in a spreadsheet: one row a fill, with side, quantity, price
// and, if they are there, time and fees, in this order.

import { formatSecond, instantOf } from '../../lib/format/days';
import { normalizeNumber, type NumberSigns } from '../../lib/format/typed';
import type { FillRow, Side } from './entry';

const sides: Record<string, Side> = {
  buy: 'buy',
  b: 'buy',
  bot: 'buy',
  bought: 'buy',
  long: 'buy',
  sell: 'sell',
  s: 'sell',
  sld: 'sell',
  sold: 'sell',
  short: 'sell',
};

/** Returns the fills of pasted cells, or null if the text is no table of fills. */
export function parsePastedFills(text: string, timeZone: string, signs: NumberSigns): FillRow[] | null {
  if (!text.includes('\t')) return null;
  const rows = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t').map((cell) => cell.trim()));
  // A header is passed over.
  const fills = (rows[0] && sides[rows[0][0]!.toLowerCase()] ? rows : rows.slice(1)).map((cells) =>
    parseRow(cells, timeZone, signs),
  );
  return fills.length > 0 && fills.every((fill) => fill !== null) ? fills : null;
}

function parseRow(cells: string[], timeZone: string, signs: NumberSigns): FillRow | null {
  const [word = '', quantity = '', price = '', time = '', fees = ''] = cells;
  const side = sides[word.toLowerCase()];
  if (!side) return null;
  const number = (cell: string) => normalizeNumber(cell, signs);
  return {
    side,
    quantity: number(quantity).replace(/^[-+]/, ''),
    price: number(price),
    at: parseTime(time, timeZone),
    fees: number(fees),
  };
}

/** Returns the instant of a time such as 2026-03-02 15:30, '' if it is written in another way. */
function parseTime(text: string, timeZone: string): string {
  const [, day, clock] = /^(\d{4}-\d{2}-\d{2})[ T](\d{1,2}:\d{2}(?::\d{2})?)$/.exec(text) ?? [];
  if (!day || !clock) return '';
  return formatSecond(instantOf(day, clock.padStart(clock.length > 5 ? 8 : 5, '0'), timeZone));
}
