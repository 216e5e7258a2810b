import { expect, mainAccount, test, trade } from './fixtures';

interface Note {
  type: string;
  title: string;
  occurred_at: string;
  body: string;
}

test('a week is reviewed from the calendar, saved as a note and opened again', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  await trade(api, account, 'TSLA', '2026-02-25', 200, 201);
  await trade(api, account, 'AAPL', '2026-03-02', 100, 110);
  await trade(api, account, 'MSFT', '2026-03-03', 50, 48);
  await trade(api, account, 'NVDA', '2026-03-05', 20, 25);
  await api('POST', '/notes', { type: 'daily_log', occurred_at: '2026-03-03', body: 'Chased the open.' });
  await signIn('/calendar?month=2026-03');
  await page.getByRole('link', { name: /^Week of 2 Mar 2026/ }).click();
  await expect(page).toHaveURL(/\/calendar\/week\/2026-03-02$/);

  const figures = page.getByRole('table');
  await expect(figures.getByRole('row', { name: /^Net P&L/ })).toHaveText(
    /Net P&L\s*\+\S*1,300\.00\s*\+\S*100\.00\s*\+\S*1,200\.00/,
  );
  await expect(figures.getByRole('row', { name: /^Win rate/ })).toContainText('−33.3 points');
  const card = (name: string) => page.locator('section', { has: page.getByRole('heading', { name }) });
  await expect(card('Best trades').getByRole('listitem')).toHaveText([/AAPL[^]*1,000/, /NVDA[^]*500/]);
  await expect(card('Worst trades').getByRole('listitem')).toHaveText([/MSFT[^]*200/]);
  await expect(card('Notes of the week')).toContainText('Chased the open.');

  await page.getByLabel('What went well?').fill('Waited for the setup.');
  await page.getByLabel('What cost money?').fill('- MSFT');
  await page.getByLabel('What changes next week?').fill('- [ ] Size down');
  await expectAccessible('a weekly review');
  await page.getByRole('button', { name: 'Save review' }).click();
  await expect(page.getByText('Review saved.')).toBeVisible();
  const [saved] = await api<Note[]>('GET', '/notes?type=weekly_review');
  expect(saved).toMatchObject({ title: 'Weekly review 2026-03-02', occurred_at: '2026-03-08' });
  expect(saved!.body).toBe(
    '## What went well?\n\nWaited for the setup.\n\n## What cost money?\n\n- MSFT\n\n## What changes next week?\n\n- [ ] Size down',
  );

  // The saved review is shown, and edited question by question.
  await page.goto('/calendar/week/2026-03-06');
  await expect(card('Review').getByText('Waited for the setup.')).toBeVisible();
  await card('Review').getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByLabel('What cost money?')).toHaveValue('- MSFT');
  await page.getByRole('button', { name: 'Cancel' }).click();

  // Paper has no navigation and no buttons, and the screen takes its whole width, in landscape too.
  await page.emulateMedia({ media: 'print' });
  const whole = await page.evaluate(() => document.documentElement.clientWidth);
  expect((await page.locator('main').boundingBox())!.width).toBe(whole);
  await expect(page.getByRole('navigation', { name: 'Main' }).first()).toBeHidden();
  await expect(page.getByRole('button', { name: 'Edit' })).toBeHidden();
  await expect(page.getByText('Waited for the setup.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeHidden(); // fixed, so on each page
  await expect(page.locator('#content input[type=checkbox]').first()).toHaveCSS(
    'print-color-adjust',
    'exact',
  );

  // A week without a review leaves its form out.
  await page.goto('/calendar/week/2026-02-27');
  await expect(page.getByLabel('What went well?')).toBeHidden();
  await page.emulateMedia({ media: 'screen' });
  await expect(page.getByLabel('What went well?')).toBeVisible();
});

test('a month is reviewed apart from its weeks, on a phone too', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-30', 100, 110);
  await signIn('/calendar?month=2026-03');
  await page.getByRole('link', { name: 'Review', exact: true }).first().click();
  await expect(page).toHaveURL(/\/calendar\/month\/2026-03$/);
  await page.getByLabel('What changes next month?').fill('Fewer trades.');
  await page.getByRole('button', { name: 'Save review' }).click();
  await expect(page.getByText('Review saved.')).toBeVisible();
  await expectAccessible('a monthly review on a phone');
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.goto('/calendar/week/2026-03-31');
  await expect(page.getByLabel('What went well?')).toBeVisible(); // the week has none yet
  for (let day = 1; day <= 8; day++)
    await api('POST', '/notes', { type: 'daily_log', occurred_at: `2026-03-0${day}`, body: `Log ${day}` });
  await page.goto('/calendar/month/2026-03');
  await expect(page.getByText('Fewer trades.')).toBeVisible();

  // A month begins with some of its notes; paper has all of them.
  await expect(page.getByText('Log 7')).toBeVisible();
  await expect(page.getByText('Log 8')).toBeHidden();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByText('Log 8')).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('button', { name: 'Show all 8' }).click();
  await expect(page.getByText('Log 8')).toBeVisible();
});
