import { canary, expect, expectInert, mainAccount, test, trade } from './fixtures';

interface Note {
  id: string;
  body: string;
  symbols: { symbol: string; body: string }[];
}

test('a note with tasks is created, previewed, ticked, found and deleted', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-03', 100, 108);
  await signIn('/notes');
  await expect(page.getByText('No notes yet')).toBeVisible();
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Note', exact: true }).click();
  await page.getByLabel('Title').fill(`Plan ${canary}`);
  await page.getByLabel('Day').fill('2026-03-04');
  await page.getByLabel('Text', { exact: true }).fill(`- [ ] size down\n- [x] sleep\n\n${canary}`);
  await page.getByRole('radio', { name: 'Preview' }).check();
  await expect(page.getByRole('checkbox', { name: 'size down' })).not.toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'sleep' })).toBeChecked();
  await page.getByRole('radio', { name: 'Write', exact: true }).check();
  await page.getByRole('button', { name: 'Add symbol' }).click();
  await page.getByLabel('Symbol', { exact: true }).fill('msft');
  await page.getByLabel('Comment on msft').fill(canary);
  await page.getByLabel('Trade').fill('AAPL');
  await page.getByRole('option', { name: /AAPL long/ }).click();
  await expectAccessible('writing a note');
  await page.getByRole('button', { name: 'Save' }).click();

  await expect(page).toHaveURL(/\/notes\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('link', { name: /^Trade AAPL/ })).toBeVisible();
  const box = page.getByRole('checkbox', { name: 'size down' });
  const saved = page.waitForResponse((r) => r.request().method() === 'PATCH' && r.ok());
  await box.check();
  await saved;
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'size down' })).toBeChecked();
  const [note] = await api<Note[]>('GET', '/notes');
  expect(note!.body).toContain('- [x] size down');
  expect(note!.symbols).toEqual([{ symbol: 'MSFT', body: canary }]);
  await expectInert(page);

  await page.getByLabel('Search notes').fill('no such words');
  await expect(page.getByText('No matching notes')).toBeVisible();
  await page.getByLabel('Search notes').fill('SLEEP');
  await expect(page).toHaveURL(/find=SLEEP/);
  await expect(page.getByText('1 note', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No notes yet')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('1 note', { exact: true })).toBeVisible();
});

test('j and k step through the notes, and the type filters them', async ({ page, api, signIn }) => {
  await api('POST', '/notes', { type: 'note', occurred_at: '2026-03-02', title: 'Older', body: 'a' });
  await api('POST', '/notes', { type: 'daily_log', occurred_at: '2026-03-03', title: 'Newer', body: 'b' });
  await signIn('/notes');
  await expect(page.getByText('2 notes', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Newer' })).toBeVisible(); // the newest is open
  await page.keyboard.press('j');
  await expect(page.getByRole('heading', { name: 'Older' })).toBeVisible();
  await page.keyboard.press('k');
  await expect(page.getByRole('heading', { name: 'Newer' })).toBeVisible();
  await page.getByRole('radio', { name: 'Daily' }).check();
  await expect(page).toHaveURL(/kind=daily_log/);
  await expect(page.getByText('1 of 2 notes')).toBeVisible();
});
