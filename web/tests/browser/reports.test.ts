import type { Page } from '@playwright/test';
import { canary, expect, expectInert, mainAccount, test, type Api } from './fixtures';

// Trades in a fixed pattern: three symbols, six hours, winners and losers, half
// of them with a risk and a setup.
async function journal(api: Api): Promise<void> {
  const account = await mainAccount(api);
  const setup = await api<{ id: string }>('POST', '/setups', {
    name: `Gap ${canary}`,
  });
  for (let i = 0; i < 24; i++) {
    const date = new Date(Date.UTC(2026, 0, 5 + i * 2, 9 + (i % 6), 15));
    const exit = 100 + ((i * 7) % 5) * 2 - 3;
    await fills(api, account, ['AAPL', 'MSFT', 'NVDA'][i % 3]!, date, exit);
  }
  const trades = await api<{ id: string }[]>('GET', '/trades');
  for (const [i, t] of trades.entries()) {
    if (i % 2 === 0) await api('PATCH', `/trades/${t.id}`, { initial_risk: 200, setup_ids: [setup.id] });
  }
}

async function fills(api: Api, account: string, symbol: string, at: Date, exit: number): Promise<void> {
  const fill = (side: string, price: number, minutes: number) =>
    api('POST', '/executions', {
      account_id: account,
      symbol,
      side,
      quantity: 100,
      price,
      executed_at: new Date(at.getTime() + minutes * 60_000).toISOString(),
    });
  await fill('buy', 100, 0);
  await fill('sell', exit, 40);
}

const drawer = (page: Page) => page.getByRole('dialog');

/** Opens the trades of each row of a table and holds their number against the row's. */
async function expectExact(page: Page, region: string): Promise<void> {
  const links = page.getByRole('region', { name: region }).getByRole('link');
  await expect(links.first()).toBeVisible();
  for (let i = 0; i < (await links.count()); i++) {
    const n = (await links.nth(i).innerText()).trim().match(/^\d+/)![0];
    await links.nth(i).click();
    await expect(drawer(page).getByRole('status').first()).toHaveText(new RegExp(`^${n} trades?$`));
    await expect(drawer(page).locator('tbody tr')).toHaveCount(Number(n));
    await page.keyboard.press('Escape');
    await expect(drawer(page)).toHaveCount(0);
  }
}

test('reports of an empty journal say what to do', async ({ page, signIn, expectAccessible }) => {
  await signIn('/reports');
  for (const report of ['', '/time', '/setups', '/behaviour', '/risk', '/distribution']) {
    await page.goto(`/reports${report}`);
    await expect(page.getByText('No closed trades here yet')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Import a file' })).toBeVisible();
  }
  await expectAccessible('reports, empty');
  await page.goto('/reports/compare');
  await expect(page.getByText('Choose a time to compare')).toBeVisible();
  await page.goto('/reports/nothing');
  await expect(page.getByText('No closed trades here yet')).toBeVisible();
});

test('rows open exactly their trades', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/reports/time');
  for (const region of [
    'Hour, as a table',
    'Weekday, as a table',
    'Session, as a table',
    'Month, as a table',
  ])
    await expectExact(page, region);
  await page.goto('/reports/setups');
  await expectExact(page, 'Setup, as a table');
  await expectInert(page);
  await page.goto('/reports/distribution');
  for (const region of ['Time in trade, as a table', 'Size, as a table', 'Symbol, as a table'])
    await expectExact(page, region);
});

test('a figure explains itself and leads to its trades', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/reports');
  await page.getByRole('button', { name: 'Explain Profit factor' }).click();
  const panel = page.getByRole('dialog', { name: 'How Profit factor came about' });
  await expect(panel).toContainText('gross profit ÷ gross loss');
  await expect(panel).toContainText('Gross profit');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Explain Profit factor' })).toBeFocused();

  const { wins, max_consecutive_losses: run } = await api<Record<string, number>>(
    'GET',
    '/analytics/summary',
  );
  await page.getByRole('link', { name: /^Wins: / }).click();
  await expect(drawer(page).locator('tbody tr')).toHaveCount(wins!);
  await expect(page).toHaveURL(/behind=figure:wins/);
  await page.reload(); // the address opens it again
  await expect(drawer(page).locator('tbody tr')).toHaveCount(wins!);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/behind/);
  await page.getByRole('link', { name: /^Longest run of losses: / }).click();
  await expect(drawer(page).locator('tbody tr')).toHaveCount(run!);
});

test('behaviour shows its rates, and each time leads to the trade', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/reports/behaviour');
  await expect(page.getByText('A shuffled history').first()).toBeVisible();
  const found = await api<{ loss_aversion: { events: { trade_id: string }[] } }>(
    'GET',
    '/analytics/behavior',
  );
  const events = found.loss_aversion.events;
  const list = page.getByRole('list', { name: 'Loss aversion: each time' });
  if (events.length === 0) await expect(list).toHaveCount(0);
  else
    await expect(list.getByRole('link').first()).toHaveAttribute(
      'href',
      new RegExp(`^/trades/${events.at(-1)!.trade_id}`),
    );
  await page.goto('/reports?behind=behaviour:loss_aversion'); // the address alone is enough
  await expect(drawer(page).locator('tbody tr')).toHaveCount(events.length);
});

test('too few trades are said, not shown', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await fills(api, account, 'AAPL', new Date('2026-02-02T10:00:00Z'), 101);
  await signIn('/reports/behaviour');
  await expect(page.getByText('1 of the 10 closed trades that this needs.').first()).toBeVisible();
  await page.goto('/reports/setups');
  await expect(page.getByText(/more needed/).first()).toBeVisible();
});

test('the unit decides what is drawn, and amounts can be hidden', async ({ page, api, signIn }) => {
  await journal(api);
  await api('PATCH', '/me/preferences', { hide_amounts: true });
  await signIn('/reports/time?unit=r');
  await expect(page.getByRole('heading', { name: 'Hour: average R' })).toBeVisible();
  await page.goto('/reports/time?unit=percent');
  await expect(page.getByRole('heading', { name: 'Hour: win rate' })).toBeVisible();
  await expect(page.getByText('•••').first()).toBeVisible();
  await expect(page.getByText(/\$\d/)).toHaveCount(0);
});
