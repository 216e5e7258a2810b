import { canary, expect, mainAccount, test, trade, type Api } from './fixtures';

/** Returns today in the time zone of the tests. */
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date());

/** Returns a time shortly before now. */
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

async function tradeToday(api: Api, account: string, symbol: string, entry: number, exit: number | null) {
  const fill = { account_id: account, symbol, quantity: 10 };
  await api('POST', '/executions', { ...fill, side: 'buy', price: entry, executed_at: secondsAgo(2) });
  if (exit !== null) {
    await api('POST', '/executions', { ...fill, side: 'sell', price: exit, executed_at: secondsAgo(1) });
  }
}

test('an empty journal offers the next action', async ({ page, signIn, expectAccessible }) => {
  await signIn();
  await expect(page.getByText('No closed trades yet')).toBeVisible();
  await expect(page.getByText('No open positions.')).toBeVisible();
  await expect(page.getByText('No trades today.')).toBeVisible();
  await expectAccessible('today, empty');
});

test('today: figures, trades of the day, positions, review and the month', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  for (let i = 1; i <= 9; i++) await trade(api, account, 'MSFT', `2026-01-${10 + i}`, 50, i % 3 ? 52 : 49);
  await tradeToday(api, account, 'AAPL', 100, 112);
  await tradeToday(api, account, 'NVDA', 200, null);
  await signIn();

  // Rates and averages need ten trades.
  await expect(page.getByRole('link', { name: '10 trades in Net P&L' })).toBeVisible();
  await expect(page.getByText('Not enough data')).toHaveCount(0);
  const todays = page.locator('section', { has: page.getByRole('heading', { name: 'Today’s trades' }) });
  await expect(todays.getByText('+$120.00').or(todays.getByText('+US$120.00')).first()).toBeVisible();
  await expect(todays.getByRole('link', { name: /AAPL/ })).toBeVisible();
  const positions = page.locator('section', { has: page.getByRole('heading', { name: 'Open positions' }) });
  await expect(positions.getByRole('link', { name: /NVDA/ })).toContainText('no stop');
  const review = page.locator('section', { has: page.getByRole('heading', { name: 'To review' }) });
  await expect(review.getByText('10', { exact: true })).toBeVisible(); // regardless of the date range
  await expect(page.getByRole('slider', { name: 'Equity with drawdown' })).toBeVisible();
  await expect(page.getByRole('link', { name: /\+120 ?, 1 trade$/ })).toBeVisible();

  // The range of the equity curve leaves the filter as it is.
  await page.getByRole('radio', { name: '30D' }).check();
  await expect(page).toHaveURL(/\/$/);

  // The number links to its trades.
  await todays.getByRole('link', { name: /1 trade in/ }).click();
  await expect(page).toHaveURL(/\/trades\?range=today$/);
  await expect(page.getByText('2 trades', { exact: true })).toBeVisible();
  await page.goBack();
  await review.getByRole('link', { name: 'Review' }).click();
  await expect(page.getByText('10 trades to review')).toBeVisible();
});

test('routine ticks are saved, and a script in a title does not run', async ({ page, api, signIn }) => {
  await api('PUT', '/settings/checklist-template', { items: [] });
  for (const [title, stage] of [
    ['Read the news', 'pre'],
    [canary, 'during'],
    ['Write the log', 'post'],
  ]) {
    await api('POST', '/routines', { title, stage, weekdays: [0, 1, 2, 3, 4, 5, 6], day: '2026-01-01' });
  }
  await signIn();
  const routine = page.locator('section', {
    has: page.getByRole('heading', { name: 'Routine', exact: true }),
  });
  await expect(routine.getByText('0 of 3')).toBeVisible();
  await expect(routine.getByText(canary)).toBeVisible();
  const written = page.waitForResponse(
    (r) => r.request().method() === 'PUT' && r.url().includes('/routines/day/'),
  );
  await routine.getByRole('checkbox', { name: 'Read the news' }).check();
  await expect(routine.getByText('1 of 3')).toBeVisible();
  expect((await written).status()).toBe(200);
  await page.reload();
  await expect(routine.getByRole('checkbox', { name: 'Read the news' })).toBeChecked();
  const stored = await api<{ done: number }>('GET', `/routines/day/${today()}`);
  expect(stored.done).toBe(1);
  await expect(page).toHaveTitle(/Today/);
});

test('today on a phone does not scroll sideways, amounts can be hidden', async ({ page, api, signIn }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const account = await mainAccount(api);
  await tradeToday(api, account, 'AAPL', 100, 112);
  await api('PATCH', '/me/preferences', { hide_amounts: true });
  await signIn();
  await expect(page.getByText('Today’s trades')).toBeVisible();
  await expect(page.getByText('•••').first()).toBeVisible();
  await expect(page.getByText('120.00')).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test('the date changes at midnight while the page is open', async ({ page, api, signIn }) => {
  const prefs = { time_zone: 'America/New_York' };
  await api('PATCH', '/me/preferences', prefs);
  await page.clock.install({ time: new Date('2026-03-03T04:50:00Z') }); // ten to midnight of the 2nd
  await signIn('/');
  await expect(page.getByText('Monday, 2 March 2026')).toBeVisible();
  await page.clock.fastForward(15 * 60_000);
  await expect(page.getByText('Tuesday, 3 March 2026')).toBeVisible();
});
