// Adds a file of prices for one symbol. A file that can be read in one way only, with the
// fills inside its bars, is imported at once; any other is checked under Prices.

import type { Schemas } from '../../lib/api/client';

type Preview = Schemas['BarPreview'];
type Settings = Record<string, string>;

const leastInside = 0.9; // of the fills

/** Returns why a file must be checked first, '' if it can be imported. */
export function findDoubt(preview: Preview, symbol: string): string {
  const symbols = preview.series.filter((s) => s.bars > 0).map((s) => s.symbol);
  if (symbols.length === 0) return 'The file has no prices that can be read.';
  if (preview.missing_mapping.length > 0)
    return `The file doesn’t say its ${preview.missing_mapping.map((name) => missingNames[name] ?? name).join(' and ')}.`;
  if (preview.series.every((s) => s.fills_checked === 0))
    return `The file has prices of ${symbols.slice(0, 3).join(', ')}, but none at the time of your fills in ${symbol}.`;
  if (preview.series.some((s) => s.fills_inside < s.fills_checked * leastInside))
    return 'Many of your fills lie outside the bars of this file.';
  return '';
}

const missingNames: Record<string, string> = {
  tz: 'time zone',
  stamp: 'time stamps (open or close of a bar)',
  bar_secs: 'bar length',
  symbol: 'symbol',
};

/** Returns the settings a file should be read with: those of the server's proposal, and the symbol if it names none. */
export function settle(preview: Preview, symbol: string): Settings | null {
  const found = preview.series.find((s) => s.proposed && s.proposed.fills_inside > s.fills_inside)?.proposed;
  const settings: Settings = {
    ...(preview.missing_mapping.includes('symbol') ? { symbol } : {}),
    ...(found ? { tz: found.tz, stamp: found.stamp, price_scale: String(found.price_scale) } : {}),
  };
  return Object.keys(settings).length > 0 ? settings : null;
}

interface FileReading {
  doubt: string; // why it must be checked first
  commit: () => Promise<Schemas['BarCommit']>;
}

type Send = <T>(path: string, fields: Settings) => Promise<T>; // sends the file

/** Reads a file for a symbol. Nothing is saved before the commit. */
export async function readPrices(send: Send, symbol: string): Promise<FileReading> {
  let settings: Settings = {};
  let preview = await send<Preview>('/api/v1/bars/imports', settings);
  for (let tries = 0; tries < 2; tries++) {
    const better = settle(preview, symbol);
    if (!better) break;
    settings = { ...settings, ...better };
    preview = await send<Preview>('/api/v1/bars/imports', settings);
  }
  return {
    doubt: findDoubt(preview, symbol),
    commit: () => send('/api/v1/bars/imports/commit', settings),
  };
}
