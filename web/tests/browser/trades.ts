// What the tests of trades share: the account, files of many trades, and a text that must stay a text.

import { owner, type Api } from './fixtures';
import type { Server } from './server';

export const canary = '<img src=x onerror="document.title=\'owned\'">';

export async function mainAccount(api: Api): Promise<string> {
  const [account] = await api<{ id: string }[]>('GET', '/accounts');
  return account!.id;
}

interface Imported {
  import_batch_id: string;
  inserted: number;
  skipped: number;
}

export async function importCsv(server: Server, account: string, csv: string): Promise<Imported> {
  const login = await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(owner),
  });
  const { access_token } = (await login.json()) as { access_token: string };
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
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'fills.csv');
  const answer = await fetch(`${server.url}/api/v1/imports/commit`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${access_token}` },
    body: form,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`import: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** So many closed trades of two fills each, one an hour. */
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
