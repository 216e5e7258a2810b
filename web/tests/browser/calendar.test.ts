import { canary, expect, expectInert, mainAccount, test, trade, type Api } from './fixtures';

const day = '2026-03-03';
async function journal(api: Api): Promise<string> {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-02', 100, 110);
  await trade(api, account, 'MSFT', day, 50, 48);
  await trade(api, account, 'NVDA', day, 20, 25);
  await trade(api, account, 'TSLA', '2026-03-05', 200, 195);
  return account;
}

test('an empty calendar, and its keys for the next month', async ({ page, signIn, expectAccessible }) => {
  await signIn('/calendar?month=2026-02');
  await expect(page.getByText('No closed trades in February 2026')).toBeVisible();
  await expectAccessible('calendar, empty');
  await page.keyboard.press(']');
  await expect(page).toHaveURL(/month=2026-03/);
  await expect(page.getByText('No closed trades in March 2026')).toBeVisible();
  await page.getByText('Year', { exact: true }).click();
  await expect(page.getByText('No closed trades in 2026')).toBeVisible();
});

test('a month with weekly totals, and a day with its trades', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/calendar?month=2026-03');
  await expect(page.getByRole('link', { name: '4 trades in Monthly net P&L' })).toBeVisible();
  const week = page.getByRole('link', { name: /^Week of 2 Mar 2026/ });
  await expect(week).toHaveAccessibleName(/\+(US)?\$800\.00, 2 won, 2 lost, 3 days traded/);

  await page.getByRole('link', { name: /^Tuesday,? 3 March 2026, profit/ }).click();
  await expect(page).toHaveURL(new RegExp(`/calendar/${day}$`));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/3 March 2026/);
  const rows = page.getByRole('table').getByRole('row');
  await expect(rows).toHaveCount(3); // the header and two trades
  await expect(page.getByRole('link', { name: 'MSFT' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'NVDA' })).toBeVisible();
  await expect(page.getByRole('link', { name: '2 trades in Net P&L' })).toBeVisible();
  await page.getByRole('link', { name: 'Next day' }).click();
  await expect(page.getByText('No trades on this day')).toBeVisible();
});

test('hidden amounts keep their signs', async ({ page, api, signIn }) => {
  await journal(api);
  await api('PATCH', '/me/preferences', { hide_amounts: true });
  await signIn('/calendar?month=2026-03');
  const cell = page.getByRole('link', { name: /^Thursday,? 5 March 2026, loss/ });
  await expect(cell).toContainText('▼');
  await expect(cell).toContainText('•••');
  await expect(page.getByText('500')).toHaveCount(0);
});

test('the year follows the filter', async ({ page, api, signIn }) => {
  await journal(api);
  await signIn('/calendar?year=2026');
  await expect(page.getByRole('region', { name: 'March 2026' })).toContainText('4 trades, ▲ 2 ▼ 1 days');
  await page.goto('/calendar?year=2026&symbol=TSLA');
  await expect(page.getByRole('region', { name: 'March 2026' })).toContainText('1 trade, ▲ 0 ▼ 1 days');
  await page.getByRole('link', { name: 'March 2026' }).click();
  await expect(page).toHaveURL(/symbol=TSLA&month=2026-03/);
});

test('the daily log is written, ticked and saved, and scripts in it do not run', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn(`/calendar/${day}`);
  await page.getByRole('button', { name: 'Write daily log' }).click();
  await page.getByRole('textbox', { name: 'Daily log' }).fill(`Slow open ${canary}\n\n- [ ] sized down`);
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('Daily log saved.')).toBeVisible();
  await expect(page.getByText(`Slow open ${canary}`)).toBeVisible();
  await page.getByRole('checkbox', { name: 'sized down' }).check();
  await expect(async () => {
    const notes = await api<{ body: string; occurred_at: string }[]>('GET', '/notes?type=daily_log');
    expect(notes).toHaveLength(1);
    expect(notes[0]!.occurred_at).toBe(day);
    expect(notes[0]!.body).toContain('- [x] sized down');
  }).toPass();
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'sized down' })).toBeChecked();
  await expectInert(page);
  await expectAccessible('a day');

  await page.goto('/calendar?month=2026-03');
  await expect(page.getByRole('link', { name: /3 March 2026, 1 note/ })).toBeVisible();
});

test('the routine is ticked on the day page', async ({ page, api, signIn }) => {
  const item = await api<{ start_day: string }>('POST', '/routines', {
    title: `Breathe ${canary}`,
    stage: 'pre',
    weekdays: [0, 1, 2, 3, 4, 5, 6],
  });
  await signIn(`/calendar/${item.start_day}`);
  await page.getByRole('checkbox', { name: `Breathe ${canary}` }).check();
  await expect(page.getByText(/^1 of \d+ done$/)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('checkbox', { name: `Breathe ${canary}` })).toBeChecked();
  await expectInert(page);
});
