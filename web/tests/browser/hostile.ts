// A journal in which every text is an injection attempt, with enough data to fill
// every screen.

import { importCsv, mainAccount, manyTrades } from './journal';
import type { Api, Server, User } from './server';

export const image = '<img src=x onerror="window.struck=1">';
export const drawing = '<svg onload="window.struck=1"></svg>';
export const script = '<script>window.struck=1</script>';
const link = `[press](javascript:window.struck=1) [data](data:text/html,${script}) <javascript:window.struck=1>`;
const picture = '![x](x" onerror="window.struck=1) ![y](javascript:window.struck=1)';

/** Markdown, the only text that is rendered as elements. */
export const markdown = [image, drawing, script, link, picture, `- [ ] ${image}`, `| ${image} |\n| - |`].join(
  '\n\n',
);

// An image with one pixel.
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface Hostile {
  account: string;
  trade: string;
  note: string;
  setup: string;
  batch: string;
  missed: string;
  share: string;
  day: string;
}

export async function hostileJournal(api: Api, server: Server, user: User): Promise<Hostile> {
  const id = async (path: string, body: unknown) => (await api<{ id: string }>('POST', path, body)).id;
  const account = await mainAccount(api);
  await api('PUT', `/accounts/${account}`, {
    name: `A ${image}`,
    broker: drawing,
    account_type: image,
    base_currency: 'USD',
    starting_balance: 10000,
  });
  const everyDay = [0, 1, 2, 3, 4, 5, 6];
  await api('PUT', '/settings/checklist-template', { items: [image, drawing] });
  await id('/routines', { title: image, stage: 'pre', weekdays: everyDay, day: '2026-01-01' });
  const tag = await id('/tags', { name: `tag ${image}`, description: image, color: '#c2410c' });
  const setup = await id('/setups', {
    name: `setup ${image}`,
    description: markdown,
    thesis: markdown,
    symbol: image,
    checklist: [image, drawing],
  });
  await id('/hooks', { account_id: account, name: image });
  await api('POST', '/cash-transactions', {
    account_id: account,
    type: 'deposit',
    amount: 100,
    note: image,
    occurred_at: '2026-01-02T10:00:00Z',
  });
  const batch = await importCsv(api, account, hostileFills(), `${image}.csv`);
  await api('POST', '/executions', {
    account_id: account,
    symbol: image,
    side: 'buy',
    quantity: 1,
    price: 10,
    executed_at: new Date(Date.now() - 60_000).toISOString(),
    external_id: drawing,
    details: { [image]: drawing },
  });
  const trades = await api<{ id: string; symbol: string; status: string }[]>('GET', '/trades');
  const closed = trades.filter((t) => t.status !== 'open');
  for (const t of [closed[0]!, ...trades.filter((t) => t.status === 'open')]) {
    await api('PATCH', `/trades/${t.id}`, {
      notes: markdown,
      emotional_state: image,
      tag_ids: [tag],
      setup_ids: [setup],
      initial_risk: 50,
    });
  }
  const file = new FormData();
  file.set('file', new File([pixel], `${image}.png`, { type: 'image/png' }));
  await api('POST', `/trades/${closed[0]!.id}/attachments`, file);
  const day = '2024-01-02';
  for (const symbol of [markup, 'BRK/B']) {
    const bars = new FormData();
    bars.set('file', new Blob([hostileBars()], { type: 'text/csv' }), `${image}.csv`);
    bars.set('symbol', symbol);
    await api('POST', '/bars/imports/commit', bars);
  }
  await id('/notes', {
    trade_id: closed[0]!.id,
    occurred_at: '2024-01-02T05:10:00Z',
    title: image,
    body: markdown,
  });
  const note = await id('/notes', {
    type: 'note',
    occurred_at: day,
    title: image,
    body: markdown,
    symbols: [{ symbol: 'AAPL', body: markdown }],
  });
  await id('/notes', { type: 'daily_log', occurred_at: day, title: drawing, body: markdown });
  const missed = await id('/missed-trades', {
    symbol: image,
    direction: 'long',
    observed_at: '2026-03-02T15:00:00Z',
    entry: 10,
    stop: 9,
    target: 12,
    outcome: 'target',
    setup_id: setup,
    notes: markdown,
  });
  const { token } = await api<{ token: string }>('POST', '/share-links', { show_amounts: true });
  await api('POST', '/access-tokens', { name: image });
  await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': image },
    body: JSON.stringify(user),
  });
  return {
    account,
    trade: closed[0]!.id,
    note,
    setup,
    batch: batch.import_batch_id,
    missed,
    share: token,
    day,
  };
}

const markup = '<svg onload=window.struck=1>';

/** Returns thirty trades; the symbol of every seventh is markup. */
export function hostileFills(): string {
  return manyTrades(30).replaceAll('SYM0', markup).replaceAll('SYM1', 'BRK/B');
}

/** Returns minute bars around the first and the last of these trades. */
function hostileBars(): string {
  const lines = ['time,open,high,low,close,Volume'];
  for (const hour of [0, 29]) {
    const start = Date.UTC(2024, 0, 1, hour) / 1000;
    for (let i = 0; i < 40; i++) lines.push(`${start + i * 60},100,106,94,100,10`);
  }
  return lines.join('\n');
}
