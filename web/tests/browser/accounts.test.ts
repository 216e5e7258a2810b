import { canary, expect, expectInert, mainAccount, test, trade } from './fixtures';

test('an account is created, edited, paid into, and deleted after its name is typed', async ({
  page,
  api,
  signIn,
}) => {
  const main = await mainAccount(api);
  await trade(api, main, 'AAPL', '2026-03-03', 100, 108);
  await signIn('/accounts');
  await expect(page.getByText('$10,800.00')).toBeVisible();
  await page.getByRole('button', { name: 'New account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(`Second ${canary}`);
  await dialog.getByLabel('Broker').fill(canary);
  await dialog.getByLabel('Starting balance').fill('2500.25');
  await dialog.getByRole('button', { name: 'Create account' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('$2,500.25', { exact: true })).toBeVisible();

  await page.getByRole('link', { name: `Second ${canary}` }).click();
  await expect(page.getByText('No cash transactions yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add transaction' }).first().click();
  await dialog.getByLabel('Type').selectOption('withdrawal');
  await dialog.getByLabel('Amount').fill('100.10');
  await dialog.getByLabel('Note').fill(canary);
  await dialog.getByRole('button', { name: 'Record' }).click();
  await expect(page.getByRole('cell', { name: '−$100.10' }), 'withdrawals are negative').toBeVisible();
  await expect(page.getByRole('cell', { name: canary })).toBeVisible();
  await page.getByRole('cell', { name: canary }).click();
  await dialog.getByLabel('Amount').fill('150');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('cell', { name: '−$150.00' })).toBeVisible();
  await page.getByRole('cell', { name: canary }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No cash transactions yet')).toBeVisible();
  await page.locator('.toaster').getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('cell', { name: '−$150.00' })).toBeVisible();

  await page.getByRole('button', { name: 'Add', exact: true }).last().click();
  await page.getByLabel('Root').fill('XYZ');
  await page.getByLabel('Multiplier').fill('25');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('× 25')).toBeVisible();
  await expectInert(page);

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(dialog.getByText(/0 fills and 1 cash transaction/)).toBeVisible();
  const end = dialog.getByRole('button', { name: 'Delete account' });
  await expect(end).toBeDisabled();
  await dialog.getByLabel(/to confirm/).fill(`Second ${canary}`);
  await end.click();
  await expect(page).toHaveURL(/\/accounts$/);
  await expect(page.getByRole('heading', { name: 'Main' })).toBeVisible();
  expect(await api<unknown[]>('GET', '/accounts')).toHaveLength(1);
});

test('hidden amounts stay hidden on the accounts', async ({ page, api, signIn }) => {
  await api('PATCH', '/me/preferences', { hide_amounts: true });
  await signIn('/accounts');
  await expect(page.getByText('•••').first()).toBeVisible();
  await expect(page.getByText('10,000')).toHaveCount(0);
});

test('nothing on an account’s page moves when its chart arrives', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/analytics/equity-curve?**', async (route) => {
    await held;
    await route.continue();
  });
  await signIn(`/accounts/${account}`);
  const add = page.getByRole('button', { name: 'Add', exact: true }).last();
  await expect(page.getByText('No custom multipliers.')).toBeVisible();
  const before = await add.boundingBox();
  release();
  await expect(page.getByText('Not enough data for a chart')).toBeVisible();
  expect(await add.boundingBox()).toEqual(before);
});
