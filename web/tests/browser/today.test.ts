import { canary, expect, mainAccount, test, trade, type Api } from './fixtures';
import { layoutShift } from './layoutShift';

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

test('today: performance first, then the day, positions and review', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  for (let i = 1; i <= 9; i++) await trade(api, account, 'MSFT', `2026-01-${10 + i}`, 50, i % 3 ? 52 : 49);
  await tradeToday(api, account, 'AAPL', 100, 112);
  await tradeToday(api, account, 'TSLA', 100, 82);
  await tradeToday(api, account, 'NVDA', 200, null);
  const open = await api<{ id: string; symbol: string }[]>('GET', '/trades?status=open');
  await api('PATCH', `/trades/${open[0]!.id}`, { stop_price: 193 });
  const closed = await api<{ id: string }[]>('GET', '/trades?symbol=AAPL');
  await api('PATCH', `/trades/${closed[0]!.id}`, { stop_price: 94 });
  await page.setViewportSize({ width: 1280, height: 720 });
  await signIn();

  const cards = page.locator('#content section > header h2');
  await expect(cards).toHaveText([
    'Performance',
    'Today’s result',
    'Open positions',
    'Plan and log',
    'To review',
    'Routine',
    /^\w+ \d{4}$/,
  ]);
  const card = (name: string) =>
    page.locator('section', { has: page.getByRole('heading', { name, exact: true }) });
  const day = card('Today’s result');
  await expect(day.getByText(/^−(US)?\$60\.00$/)).toBeVisible();
  await expect(day.getByText('1 won, 1 lost')).toBeVisible();
  await expect(day.getByText(/^\+2\.00\s?R$/)).toBeVisible();
  await expect(day.getByText('Loss limit used')).toHaveCount(0); // none is set
  await expect(day.getByRole('link', { name: /AAPL/ })).toBeVisible();
  await expect(card('Open positions').getByRole('link', { name: /NVDA/ })).toContainText(
    /opened today · stop 193.* · risk (US)?\$70\.00/,
  );
  await expect(card('To review').getByText('11', { exact: true })).toBeVisible(); // regardless of the date range
  const performance = card('Performance');
  await expect(performance.getByText(/^All time: .* in 11 trades$/)).toBeVisible();
  for (const period of ['Today', 'This week', 'This month'])
    await expect(performance.getByRole('link', { name: `2 trades in ${period}` })).toBeVisible();
  const curve = performance.getByRole('slider', { name: 'Cumulative net P&L' });
  await expect(curve).toBeInViewport({ ratio: 1 });
  await expect(page.locator('.skeleton')).toHaveCount(0);
  expect(await layoutShift(page)).toBeLessThan(0.02);

  // The curve card shows net P&L until the user wants equity, which is remembered; its range leaves the filter as it is.
  await api('PATCH', '/me/preferences', { 'today.cards': ['curve', 'day', 'review'] });
  await page.reload();
  await expect(page.getByRole('slider', { name: 'Cumulative net P&L' })).toBeVisible();
  await page.getByRole('radio', { name: 'Equity' }).check();
  await page.getByRole('radio', { name: '30D' }).check();
  await expect(page).toHaveURL(/\/$/);
  await page.reload();
  await expect(page.getByRole('slider', { name: 'Equity with drawdown' })).toBeVisible();

  await day.getByRole('link', { name: '2 trades today' }).click();
  await expect(page).toHaveURL(/\/trades\?range=today$/);
  await page.goBack();
  await card('To review').getByRole('link', { name: 'Review' }).click();
  await expect(page).toHaveURL(/\/review/);
  await expect(page.getByRole('heading', { name: 'Review', level: 1 })).toBeVisible();
});

test('the daily loss limit shows how much of it is used', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'MSFT', '2026-01-12', 50, 52);
  await signIn();
  await expect(page.getByText('No trades today.')).toBeVisible();
  await expect(page.getByText(/Last trading day: Mon 12 Jan, \+(US)?\$200\.00 in 1 trade/)).toBeVisible();
  await page.goto('/settings/preferences');
  await page.getByLabel('Daily loss limit').fill('100');
  await page.getByLabel('Daily loss limit').blur();
  await tradeToday(api, account, 'AAPL', 100, 94);
  await page.goto('/');
  const used = page.locator('div', { has: page.getByText('Loss limit used', { exact: true }) }).last();
  await expect(used).toHaveText(/Loss limit used \S+60\.00\s+of (US)?\$100\.00/);
  await tradeToday(api, account, 'AAPL', 100, 96);
  await page.reload();
  await expect(used).toHaveText(/100\.00\s+Limit reached: (US)?\$100\.00/);
  await page.goto('/?symbol=AAPL'); // not all trades of the day
  await expect(page.getByText('Net P&L today')).toBeVisible();
  await expect(page.getByText('Loss limit used')).toHaveCount(0);
});

test('cards are pinned, arranged with mouse and keyboard, hidden and reset', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await trade(api, await mainAccount(api), 'MSFT', '2026-01-12', 50, 52);
  await api('PATCH', '/me/preferences', { 'today.cards': ['gone', 'month', 'routine', 'review'] });
  await signIn('/reports/time');
  await page.getByRole('button', { name: 'Menu of Results by weekday', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Pin to Today' }).click();
  await expect(page.getByText('Pinned to Today.')).toBeVisible();

  await page.goto('/');
  const titles = page.locator('#content section > header h2');
  const weekday = 'Weekday: net P&L';
  const month = /^\w+ \d{4}$/;
  await expect(titles).toHaveText([month, 'Routine', 'To review', weekday]);
  await page.getByRole('link', { name: /^Mon: .*1 trade$/ }).click();
  await expect(page.getByRole('dialog').getByRole('link', { name: 'MSFT' })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Arrange cards' }).click();
  await expectAccessible('arranging cards');
  const handle = page.getByRole('button', { name: /^Move Results by weekday, / });
  await handle.press('ArrowUp');
  await expect(handle).toBeFocused();
  await handle.press('ArrowUp');
  await expect(titles).toHaveText([month, weekday, 'Routine', 'To review']);
  await page
    .getByRole('button', { name: /^Move To review, / })
    .dragTo(page.getByRole('dialog').getByText('This month'));
  await page.getByRole('button', { name: 'Hide Routine' }).click();
  await page.getByRole('button', { name: 'Add Open positions' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  const arranged = ['To review', month, weekday, 'Open positions'];
  await expect(titles).toHaveText(arranged);
  await page.reload();
  await expect(titles).toHaveText(arranged);

  // A phone has its own order: the default with the pinned card.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(titles.first()).toHaveText('Performance');
  await expect(titles.last()).toHaveText(weekday);
  await expectAccessible('today with a pinned card on a phone');
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.getByRole('button', { name: 'Arrange cards' }).click();
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(titles.last()).toHaveText('To review');
});

test('insights: a sentence with its evidence and its trades, nothing without evidence', async ({
  page,
  api,
  signIn,
}) => {
  const account = await mainAccount(api);
  await trade(api, account, 'MSFT', '2026-01-12', 50, 52);
  await signIn();
  await expect(page.getByRole('heading', { name: 'Open positions' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Insights' })).toHaveCount(0);

  const days = (month: string) =>
    Array.from({ length: 28 }, (_, i) => `2026-${month}-${String(i + 1).padStart(2, '0')}`);
  // Three of four trades in AAPL win, one of four in TSLA.
  for (const [i, day] of [...days('02'), ...days('03')].entries()) {
    const [high, low] = [104 + (i % 10) / 10, 97 - (i % 10) / 10];
    await trade(api, account, 'AAPL', day, 100, i % 4 === 0 ? low : high);
    await trade(api, account, 'TSLA', day, 100, i % 4 === 1 ? high : low);
  }
  await page.reload();
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Insights' }) });
  const sentence = card.getByRole('listitem').filter({ hasText: 'TSLA' });
  await expect(sentence).toContainText(/made (US)?\$[\d.,]+ less per trade than your other trades\./);
  await expect(sentence).toContainText(/95%: .* to .* per trade · chance (below 0\.1%|[\d.]+%)/);
  await sentence.getByRole('link', { name: /^56 trades/ }).click();
  await expect(page).toHaveURL(/\/trades\?.*root=TSLA/);
  await expect(page.getByText('56 trades')).toBeVisible();
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
  await expect(page.getByText('Net P&L today')).toBeVisible();
  await expect(page.getByText('•••').first()).toBeVisible();
  await expect(page.getByText('120.00')).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test('the date changes at midnight while the page is open', async ({ page, api, signIn }) => {
  await api('PUT', '/settings/journal', { timezone: 'America/New_York' });
  await page.clock.install({ time: new Date('2026-03-03T04:50:00Z') }); // ten to midnight of the 2nd
  await signIn('/');
  await expect(page.getByText('Monday, 2 March 2026')).toBeVisible();
  await page.clock.fastForward(15 * 60_000);
  await expect(page.getByText('Tuesday, 3 March 2026')).toBeVisible();
});
