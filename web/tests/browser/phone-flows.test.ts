// The main flows with a thumb: the project "phone" of the configuration runs this file
// with touch, at the width of a phone.

import { expect, mainAccount, test, trade, type Api } from './fixtures';
import { manyTrades } from './journal';
import { expectFitsPhone } from './phone';

async function journal(api: Api): Promise<void> {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-02', 10, 11);
  await trade(api, account, 'MSFT', '2026-03-03', 50, 48);
}

test('sign in, see today, open a trade, filter the list', async ({ page, api, user, expectAccessible }) => {
  await journal(api);
  await page.goto('/');
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).tap();
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();

  await expectAccessible('today on a phone');

  // The filter takes one row; the rest of it is in the sheet.
  const filter = page.getByRole('search', { name: 'Filter' });
  const [range, more] = [filter.getByLabel('Range'), filter.getByRole('button', { name: 'Filter' })];
  expect((await range.boundingBox())!.y).toBe((await more.boundingBox())!.y);
  await more.tap();
  await page.getByLabel('When results count').selectOption('realized');
  await expect(page).toHaveURL(/pnl=realized/);
  await expect(filter.getByRole('button', { name: 'Filter (1)', includeHidden: true })).toHaveCount(1);
  await page.getByLabel('When results count').selectOption('closed');
  await page.getByRole('button', { name: 'Done' }).tap();

  const bar = page.getByRole('navigation', { name: 'Main', exact: true });
  await bar.getByRole('link', { name: 'Trades' }).tap();
  await expect(page.getByText('2 trades')).toBeVisible();
  await expectAccessible('trades on a phone');
  await page.getByText('AAPL', { exact: true }).filter({ visible: true }).tap();
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  await expect(drawer.getByRole('button', { name: 'Mark as reviewed' })).toBeVisible();
  await expectAccessible('a trade on a phone');
  await drawer.getByRole('button', { name: 'Close' }).tap();
  await expect(drawer).toBeHidden();

  await page.getByLabel('Range').selectOption('today');
  await expect(page.getByText('AAPL', { exact: true }).filter({ visible: true })).toHaveCount(0);
  await page.getByLabel('Range').selectOption('all');
  await expect(page.getByText('AAPL', { exact: true }).filter({ visible: true })).toBeVisible();
});

test('a long list scrolls with the page', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  for (let i = 0; i < 15; i++) await trade(api, account, `SYM${i}`, '2026-03-02', 10, 11);
  await signIn('/trades?sort=symbol');
  const rows = page.getByRole('region', { name: 'Trades', exact: true }).getByRole('row');
  await expect(rows.first()).toBeVisible();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(300);
  await expect(rows.last()).toBeInViewport();
});

test('import a file, open a day, write a note, change a setting', async ({ page, api, signIn }) => {
  await signIn('/import');
  await page.getByLabel(/Drop a statement/).setInputFiles({
    name: 'fills.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(manyTrades(3)),
  });
  await page.getByRole('button', { name: 'Preview import' }).tap();
  await page.getByRole('button', { name: 'Import 6 fills' }).tap();
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();

  await page.goto('/calendar?month=2024-01');
  await page.getByRole('link', { name: /^Monday,? 1 January 2024/ }).tap();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/1 January 2024/);

  await page.goto('/notes?new=note');
  await page.getByLabel('Title').fill('From the train');
  await page.getByLabel('Text', { exact: true }).fill('Sized too large.');
  await page.getByRole('button', { name: 'Save' }).tap();
  await expect(page.getByRole('heading', { name: 'From the train' })).toBeVisible();

  await page.goto('/settings/appearance');
  await page.getByRole('switch', { name: 'Hide amounts' }).tap();
  await expect
    .poll(async () => (await api<{ prefs: unknown }>('GET', '/me/preferences')).prefs)
    .toMatchObject({ hide_amounts: true });
});

test('the tab bar shows the open tab', async ({ page, signIn }) => {
  await signIn('/reports/compare');
  await expect(page.getByRole('navigation', { name: 'Reports' }).locator('[aria-current]')).toBeInViewport({
    ratio: 0.95,
  });
});

test('a first tap on a bar shows its value, the second opens its trades', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/reports/time');
  const chart = page.getByRole('group', { name: /^Weekday/ });
  const bar = chart.getByRole('link', { name: /^Mon/ });
  await bar.tap();
  await expect(chart.getByText(/^Mon: .*100\.00, 1 trade$/)).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(chart.getByRole('link', { name: 'View trades' })).toBeVisible();
  await bar.tap();
  await expect(page.getByRole('dialog').getByRole('link', { name: 'AAPL' })).toBeVisible();
});

test('the parts of a setup fit, and so does a goal with its target', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-04', 100, 88.0537); // a Wednesday
  const [t] = await api<{ id: string }[]>('GET', '/trades');
  const setup = await api<{ id: string }>('POST', '/setups', { name: 'Gap fade' });
  await api('PATCH', `/trades/${t!.id}`, { setup_ids: [setup.id] });
  await signIn(`/setups/${setup.id}`);
  await expect(page.getByRole('link', { name: 'Wednesday' })).toBeVisible();
  await expectFitsPhone(page, 'a setup');

  const goal = { kind: 'outcome', metric: 'net_pnl', target: 1500, period: 'month', name: 'Make a living' };
  await api('POST', '/goals', { ...goal, starts_on: '2026-01-01' });
  await page.goto('/rules');
  const name = page.getByRole('cell', { name: /^Make a living/ });
  await expect(page.getByText('of +$1,500.00')).toBeVisible();
  expect((await name.boundingBox())!.width).toBeGreaterThan(130);
});
