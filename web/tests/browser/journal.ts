// Test data: trades over the API, files with many trades, and a text with markup
// that must stay text.

import { expect, type Page } from '@playwright/test';
import type { Api } from './server';

export const canary = '<img src=x onerror="window.struck=1">';

/** Expects that no text on the page became an element, a handler or a script address. */
export async function expectInert(page: Page): Promise<void> {
  const alive = page.locator(
    'img[src="x"], [onload], [onerror], iframe, object, embed, a[href^="javascript:" i], a[href^="data:" i]',
  );
  await expect(alive).toHaveCount(0);
  expect(await page.evaluate(() => 'struck' in window), 'a text ran').toBe(false);
}

export async function mainAccount(api: Api): Promise<string> {
  const [account] = await api<{ id: string }[]>('GET', '/accounts');
  return account!.id;
}

/** Creates a closed trade with two fills over the API. */
export async function trade(
  api: Api,
  account: string,
  symbol: string,
  day: string,
  entry: number,
  exit: number,
  quantity = 100,
): Promise<void> {
  const fill = (side: string, price: number, time: string) =>
    api('POST', '/executions', {
      account_id: account,
      symbol,
      side,
      quantity,
      price,
      executed_at: `${day}T${time}Z`,
    });
  await fill('buy', entry, '14:30:00');
  await fill('sell', exit, '15:10:00');
}

interface Imported {
  import_batch_id: string;
  inserted: number;
  skipped: number;
}

/** Imports the file of `manyTrades` over the API. */
export async function importCsv(
  api: Api,
  account: string,
  csv: string,
  name = 'fills.csv',
): Promise<Imported> {
  const form = new FormData();
  form.set('account_id', account);
  form.set('source_tz', 'UTC');
  const mapping = {
    symbol: 'Symbol',
    side: 'Side',
    quantity: 'Quantity',
    price: 'Price',
    executed_at: 'Time',
  };
  form.set('column_mapping', JSON.stringify(mapping));
  form.set('file', new Blob([csv], { type: 'text/csv' }), name);
  return api('POST', '/imports/commit', form);
}

/** Returns a file with closed trades of two fills each, one per hour. */
export function manyTrades(count: number): string {
  const lines = ['Time,Symbol,Side,Quantity,Price'];
  const start = Date.UTC(2024, 0, 1);
  for (let i = 0; i < count; i++) {
    const at = (minutes: number) => new Date(start + i * 3_600_000 + minutes * 60_000).toISOString();
    lines.push(
      `${at(0)},SYM${i % 7},Buy,10,100`,
      `${at(20)},SYM${i % 7},Sell,10,${100 + ((i * 7) % 11) - 5}`,
    );
  }
  return lines.join('\n');
}
