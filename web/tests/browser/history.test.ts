// The history: undo by keyboard, a conflict and its explanation, the history of a trade,
// and the undo of an import.

import { expect, mainAccount, test, trade } from './fixtures';
import { importCsv, manyTrades } from './journal';
import { expectFitsPhone } from './phone';

test('tags removed from 20 trades come back by keyboard, and go again', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await importCsv(api, account, manyTrades(20));
  const { id: tag } = await api<{ id: string }>('POST', '/tags', { name: 'Late' });
  const trades = await api<{ id: string }[]>('GET', '/trades');
  for (const t of trades) await api('PATCH', `/trades/${t.id}`, { tag_ids: [tag] });
  const tagged = async () =>
    (await api<{ tag_ids: string[] }[]>('GET', '/trades')).filter((t) => t.tag_ids.length > 0).length;

  await signIn('/trades');
  await page.getByLabel('Select all').check();
  await page.getByRole('button', { name: 'Edit…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit 20 trades' });
  await dialog.getByRole('combobox', { name: 'Remove tags' }).fill('late');
  await dialog.getByRole('combobox', { name: 'Remove tags' }).press('Enter');
  await dialog.getByRole('combobox', { name: 'Remove tags' }).press('Escape');
  await dialog.getByRole('button', { name: 'Apply to 20 trades' }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(tagged).toBe(0);

  await page.keyboard.press('Control+z');
  await expect.poll(tagged).toBe(20);
  await expect(page.getByRole('table').getByText('Late')).toHaveCount(20);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(tagged).toBe(0);
});

test('an undo that would lose a later change says so, and the trade shows its history', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-02', 100, 110);
  const [{ id }] = await api<[{ id: string }]>('GET', '/trades');
  await api('PATCH', `/trades/${id}`, { notes: 'Entered on the breakout.' });
  await api('PATCH', `/trades/${id}`, { notes: 'Entered late on the breakout.' });
  const [newest, older] = await api<{ id: string }[]>('GET', '/history?type=trade&limit=2');

  await signIn('/history?type=trade');
  const entry = (change: string) => page.locator(`#change-${change}`);
  await entry(older!.id).getByRole('button', { name: 'Undo' }).click();
  const conflict = page.getByRole('dialog', { name: 'Changed since then' });
  await expect(conflict).toContainText('Trade: notes changed again');
  await expectAccessible('a conflict of an undo');
  await conflict.getByRole('link', { name: 'Show that change' }).click();
  await expect(page).toHaveURL(new RegExp(`change=${newest!.id}`));
  await expect(entry(newest!.id).locator('ins')).toContainText('late');

  // Once the later change is undone, the older one can be.
  await entry(newest!.id).getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: 'Show all' }).click();
  await entry(older!.id).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await api<{ notes: string }>('GET', `/trades/${id}`)).notes).toBe('');
  await expectFitsPhone(page, 'the history');

  await page.goto(`/trades?trade=${id}`);
  const history = page.locator('section').filter({ has: page.getByRole('heading', { name: 'History' }) });
  await expect(history.getByRole('listitem').first()).toContainText('You');
});

test('an import is undone from the history, and comes back', async ({ page, api, signIn }) => {
  await importCsv(api, await mainAccount(api), manyTrades(3));
  const count = async () => (await api<unknown[]>('GET', '/trades')).length;
  await signIn('/history');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'fills.csv' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(count).toBe(0);
  await page.reload();
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect.poll(count).toBe(3);
});

test('a deleted long note shows its text in the list of changes', async ({ page, api, signIn }) => {
  const words = Array.from({ length: 6000 }, () => Math.random().toString(36).slice(2)).join(' ');
  const { id } = await api<{ id: string }>('POST', '/notes', { body: `${words} Held for the gap.` });
  await api('DELETE', `/notes/${id}`);
  const [newest] = await api<{ id: string }[]>('GET', '/history?limit=1');
  await signIn('/history');
  const change = page.locator(`#change-${newest!.id}`);
  await change.getByRole('button', { expanded: false }).click();
  await expect(change).toContainText('Held for the gap.');
});
