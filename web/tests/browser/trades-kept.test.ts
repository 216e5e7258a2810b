import { canary, expect, mainAccount, test, trade } from './fixtures';
import { importCsv, manyTrades } from './journal';

// An image of one pixel.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('annotations survive a second import of the same fills', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const csv = manyTrades(3);
  expect(await importCsv(api, account, csv)).toMatchObject({ inserted: 6 });
  await signIn('/trades');
  await page.getByRole('link', { name: 'SYM1' }).click();
  const drawer = page.getByRole('dialog', { name: 'SYM1 long' });
  await expect(drawer.getByRole('button', { name: 'from fills.csv' })).toBeVisible();
  await drawer.getByRole('textbox', { name: 'Notes' }).fill('Still here.');
  const saved = page.waitForResponse((r) => r.request().method() === 'PATCH');
  await page.keyboard.press('Escape'); // closing the drawer saves the notes
  expect((await saved).status()).toBe(200);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(/\/trades$/); // otherwise the reload would open it again

  expect(await importCsv(api, account, csv)).toMatchObject({ inserted: 0, skipped: 6 });
  await page.reload();
  await page.getByRole('link', { name: 'SYM1' }).click();
  await expect(drawer.getByRole('textbox', { name: 'Notes' })).toHaveValue('Still here.');
});

test('attachments are uploaded, viewed and deleted', async ({ page, api, signIn, expectAccessible }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-02', 100, 110);
  const [first] = await api<{ id: string }[]>('GET', '/trades');
  await signIn(`/trades/${first!.id}`);
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  await drawer
    .locator('input[type="file"][multiple]')
    .setInputFiles({ name: 'chart.png', mimeType: 'image/png', buffer: png });
  await expect(drawer.getByRole('button', { name: 'View chart.png' }).locator('img')).toBeVisible();
  await drawer.getByRole('button', { name: 'View chart.png' }).click();
  await expect(
    page.getByRole('dialog', { name: 'chart.png' }).getByRole('img', { name: 'chart.png' }),
  ).toBeVisible();
  await page.keyboard.press('Escape');
  await expectAccessible('a trade with an attachment');
  await drawer.getByRole('button', { name: 'Delete chart.png' }).click();
  await page
    .getByRole('dialog', { name: 'Delete this attachment?' })
    .getByRole('button', { name: 'Delete', exact: true })
    .click();
  await expect(drawer.getByRole('button', { name: 'View chart.png' })).toHaveCount(0);
  expect(await api<unknown[]>('GET', `/trades/${first!.id}/attachments`)).toEqual([]);
});

test('notes of a trade without fills are linked to another trade', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  const batch = await importCsv(api, account, manyTrades(1));
  const [lost] = await api<{ id: string }[]>('GET', '/trades');
  await api('PATCH', `/trades/${lost!.id}`, { notes: `Lost ${canary}` });
  await trade(api, account, 'SYM0', '2026-03-03', 100, 90);
  await api('DELETE', `/imports/${batch.import_batch_id}`);
  await signIn('/trades');
  await page.getByRole('button', { name: '1 unlinked note' }).click();
  const dialog = page.getByRole('dialog', { name: 'Unlinked notes' });
  await expect(dialog.getByText(`Lost ${canary}`)).toBeVisible();
  await expectAccessible('unlinked notes');
  await dialog.getByRole('combobox').click();
  await page.getByRole('option', { name: /SYM0 long/ }).click();
  await page.reload(); // the dialog and the choice stay
  await expect(dialog.getByText('Unsaved draft restored.')).toBeVisible();
  await expect(dialog.getByRole('combobox')).toHaveValue(/SYM0 long/);
  await dialog.getByRole('button', { name: 'Link notes' }).click();
  await expect(dialog.getByText('No unlinked notes')).toBeVisible();
  const [kept] = await api<{ notes: string }[]>('GET', '/trades');
  expect(kept!.notes).toContain('Lost');
});
