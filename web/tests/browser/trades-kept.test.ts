import { canary, expect, mainAccount, test, trade } from './fixtures';
import { importCsv, manyTrades } from './journal';

// A picture of one pixel.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('what was written survives a re-import of the same fills', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const csv = manyTrades(3);
  expect(await importCsv(api, account, csv)).toMatchObject({ inserted: 6 });
  await signIn('/trades');
  await page.getByRole('link', { name: 'SYM1' }).click();
  const drawer = page.getByRole('dialog', { name: 'SYM1 long' });
  await expect(drawer.getByRole('link', { name: 'fills.csv' })).toBeVisible();
  await drawer.getByRole('textbox', { name: 'Notes' }).fill('Kept through everything.');
  const saved = page.waitForResponse((r) => r.request().method() === 'PATCH');
  await page.keyboard.press('Escape'); // closing saves what was typed
  expect((await saved).status()).toBe(200);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(/\/trades$/); // or the reload opens it again

  expect(await importCsv(api, account, csv)).toMatchObject({ inserted: 0, skipped: 6 });
  await page.reload();
  await page.getByRole('link', { name: 'SYM1' }).click();
  await expect(drawer.getByRole('textbox', { name: 'Notes' })).toHaveValue('Kept through everything.');
});

test('attachments: sent, looked at, deleted', async ({ page, api, signIn, expectAccessible }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-02', 100, 110);
  const [first] = await api<{ id: string }[]>('GET', '/trades');
  await signIn(`/trades/${first!.id}`);
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  await drawer
    .locator('input[type="file"]')
    .setInputFiles({ name: 'chart.png', mimeType: 'image/png', buffer: png });
  await expect(drawer.getByRole('button', { name: 'Look at chart.png' }).locator('img')).toBeVisible();
  await drawer.getByRole('button', { name: 'Look at chart.png' }).click();
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
  await expect(drawer.getByRole('button', { name: 'Look at chart.png' })).toHaveCount(0);
  expect(await api<unknown[]>('GET', `/trades/${first!.id}/attachments`)).toEqual([]);
});

test('notes of a trade that lost its fills find another', async ({ page, api, signIn, expectAccessible }) => {
  const account = await mainAccount(api);
  const batch = await importCsv(api, account, manyTrades(1));
  const [lost] = await api<{ id: string }[]>('GET', '/trades');
  await api('PATCH', `/trades/${lost!.id}`, { notes: `Lost ${canary}` });
  await trade(api, account, 'SYM0', '2026-03-03', 100, 90);
  await api('DELETE', `/imports/${batch.import_batch_id}`);
  await signIn('/trades');
  await page.getByRole('button', { name: '1 without a trade' }).click();
  const dialog = page.getByRole('dialog', { name: 'Notes without a trade' });
  await expect(dialog.getByText(`Lost ${canary}`)).toBeVisible();
  await expectAccessible('notes without a trade');
  await dialog.getByRole('combobox').click();
  await page.getByRole('option', { name: /SYM0 long/ }).click();
  await dialog.getByRole('button', { name: 'Move the notes' }).click();
  await expect(dialog.getByText('Nothing is lost')).toBeVisible();
  const [kept] = await api<{ notes: string }[]>('GET', '/trades');
  expect(kept!.notes).toContain('Lost');
});
