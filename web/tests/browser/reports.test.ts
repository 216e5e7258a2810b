import type { Page } from '@playwright/test';
import { importBars, minuteBars } from './bars';
import { canary, expect, expectInert, mainAccount, test, trade, type Api } from './fixtures';

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
async function expectExact(page: Page, region: string, chart = ''): Promise<void> {
  if (chart) await page.getByRole('button', { name: `Show ${chart} as a table` }).click();
  const links = page.getByRole('region', { name: region }).locator('td').getByRole('link');
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

test('reports of an empty journal offer the next action', async ({ page, signIn, expectAccessible }) => {
  await signIn('/reports');
  for (const report of ['', '/time', '/setups', '/behavior', '/risk', '/distribution']) {
    await page.goto(`/reports${report}`);
    await expect(page.getByText('No closed trades')).toBeVisible();
    await expect(page.getByRole('main').getByRole('link', { name: 'Import', exact: true })).toBeVisible();
  }
  await expectAccessible('reports, empty');
  await page.goto('/reports/compare');
  await expect(page.getByText('Nothing to compare')).toBeVisible();
  await page.goto('/reports/nothing');
  await expect(page.getByText('No closed trades')).toBeVisible();
});

test('a row opens exactly its trades', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/reports/time');
  // A cell of the heatmap opens its trades.
  const cells = page.getByRole('slider', { name: 'Weekday and hour, net P&L' });
  await cells.press('ArrowRight');
  const n = (await cells.getAttribute('aria-valuetext'))!.match(/, (\d+) trades?$/)![1];
  await cells.press('Enter');
  await expect(drawer(page).getByRole('status').first()).toHaveText(new RegExp(`^${n} trades?$`));
  await expect(drawer(page).locator('tbody tr')).toHaveCount(Number(n));
  await page.keyboard.press('Escape');
  for (const name of ['Hour', 'Weekday', 'Session', 'Month'])
    await expectExact(page, `${name}, as a table`, `${name}: net P&L`);
  await page.goto('/reports/setups');
  await expectExact(page, 'Setup, as a table');
  await expectInert(page);
  await page.goto('/reports/distribution');
  for (const name of ['Holding time', 'Size'])
    await expectExact(page, `${name}, as a table`, `${name}: net P&L`);
  await expectExact(page, 'Symbol, as a table');
});

test('a figure has an explanation and links to its trades', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/reports');
  await page.getByRole('button', { name: 'Explain Profit factor' }).click();
  const panel = page.getByRole('dialog', { name: 'How Profit factor is calculated' });
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
  await page.getByRole('link', { name: /^Longest losing streak: / }).click();
  await expect(drawer(page).locator('tbody tr')).toHaveCount(run!);
});

test('behavior shows rates, and occurrences link to their trades', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/reports/behavior');
  await expect(page.getByText('Random order').first()).toBeVisible();
  const found = await api<{ loss_aversion: { events: { trade_id: string }[] } }>(
    'GET',
    '/analytics/behavior',
  );
  const events = found.loss_aversion.events;
  const list = page.getByRole('list', { name: 'Loss aversion: occurrences' });
  if (events.length === 0) await expect(list).toHaveCount(0);
  else
    await expect(list.getByRole('link').first()).toHaveAttribute(
      'href',
      new RegExp(`^/trades/${events.at(-1)!.trade_id}`),
    );
  await page.goto('/reports?behind=behavior:loss_aversion'); // the address alone is enough
  await expect(drawer(page).locator('tbody tr')).toHaveCount(events.length);
});

test('figures with too few trades say so', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await fills(api, account, 'AAPL', new Date('2026-02-02T10:00:00Z'), 101);
  await signIn('/reports/behavior');
  await expect(page.getByText('This needs 10 closed trades. You have 1 so far.').first()).toBeVisible();
  await page.goto('/reports');
  await expect(page.getByText('too few days for an interval').first()).toBeVisible();
});

test('bars follow the unit, and amounts can be hidden', async ({ page, api, signIn }) => {
  await journal(api);
  await api('PATCH', '/me/preferences', { hide_amounts: true });
  await signIn('/reports/time?unit=r');
  await expect(page.getByRole('heading', { name: 'Hour: average R', exact: true })).toBeVisible();
  await page.goto('/reports/time?unit=percent');
  await expect(page.getByRole('heading', { name: 'Hour: win rate', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Show Hour: win rate as a table' }).click();
  await expect(page.getByText('•••').first()).toBeVisible();
  await expect(page.getByText(/\$\d/)).toHaveCount(0);
});

test('MAE & MFE says whether exits are too early, and equity shows open positions', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  const [monday, tuesday] = ['2026-03-02', '2026-03-03'];
  await trade(api, account, 'AAPL', monday, 200, 202);
  const fill = (side: string, price: number, executed_at: string) =>
    api('POST', '/executions', {
      account_id: account,
      symbol: 'MSFT',
      side,
      quantity: 10,
      price,
      executed_at,
    });
  await fill('buy', 100, `${monday}T14:30:10Z`);
  await fill('sell', 102, `${tuesday}T15:10:10Z`);
  await signIn('/reports/excursions');
  await expect(page.getByText('No MAE or MFE for these trades')).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'Add prices' })).toHaveAttribute(
    'href',
    '/prices',
  );

  await importBars(api, 'AAPL', minuteBars(monday, 200, 202));
  await importBars(api, 'MSFT', minuteBars(monday, 100, 101));
  await importBars(api, 'MSFT', minuteBars(tuesday, 101, 102));
  const trades = await api<{ id: string }[]>('GET', '/trades');
  for (const t of trades) await api('PATCH', `/trades/${t.id}`, { initial_risk: 50 });
  // "Exits too early?" takes two actions: Reports, MAE & MFE. A sentence and a chart answer it.
  await page.goto('/');
  await page.getByRole('link', { name: 'Reports', exact: true }).click();
  await page.getByRole('link', { name: 'MAE & MFE' }).click();
  // The bars of Monday end an hour before the exchange closes, so they cover too little of MSFT.
  await expect(page.getByText('1 of 2 trades with MAE and MFE')).toBeVisible();
  await expect(page.getByText('Not enough trades with prices after the exit')).toBeVisible();
  await expect(page.getByText('0 of 1 trade reached 1 R and still closed at a loss.')).toBeVisible();
  const held = page.getByRole('slider', { name: 'Average change after the exit' });
  await held.press('Home');
  await expect(held).toHaveAttribute('aria-valuetext', /^5 minutes later: /);

  await page.getByRole('button', { name: 'Show What if: stop distance as a table' }).click();
  const stops = page.getByRole('table').filter({ hasText: 'Winners / losers stopped' });
  await expect(stops.getByRole('row').nth(1)).toContainText('As traded');
  await expect(stops.getByRole('row')).toHaveCount(8);
  await expectAccessible('the report of MAE and MFE');
  // A point opens its trade.
  const points = page.getByRole('slider', { name: 'MFE and result of each trade' });
  await points.press('Home');
  await expect(points).toHaveAttribute('aria-valuetext', /^AAPL, .*: MFE .*, result /);
  await points.press('Enter');
  await expect(page.getByRole('dialog', { name: /AAPL/ })).toBeVisible();

  await page.goto('/reports?range=all');
  await expect(page.getByRole('listitem').filter({ hasText: 'With open positions' })).toBeVisible();
  await page.getByRole('button', { name: 'Show Equity and drawdown as a table' }).click();
  await expect(page.getByRole('columnheader', { name: 'With open positions' })).toBeVisible();
  await expectAccessible('equity with open positions');
});
