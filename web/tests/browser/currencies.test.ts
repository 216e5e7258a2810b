// Accounts in two currencies, shown in one.

import { expect, mainAccount, test, trade } from './fixtures';

test('accounts in two currencies are shown in one, with a typed rate', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 100, 110); // +1,000 USD
  const euro = await api<{ id: string }>('POST', '/accounts', { name: 'Euro', base_currency: 'EUR' });
  await trade(api, euro.id, 'SAP', '2026-03-03', 100, 105); // +500 EUR

  await signIn('/reports/overview');
  await expect(page.getByText('These accounts have different currencies')).toBeVisible();
  await page.getByRole('button', { name: 'Show everything in EUR' }).click();
  await expect(page.getByText('Exchange rates are missing')).toBeVisible();
  await page.getByRole('link', { name: 'type a rate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add rate' });
  await expect(dialog.getByLabel('Day')).toHaveValue('2026-03-02');
  await expectAccessible('a new rate');
  await dialog.getByLabel('Rate').fill('0.8');
  await dialog.getByRole('button', { name: 'Add rate' }).click();
  await expect(page.getByText('1 USD = 0.8 EUR')).toBeVisible();

  await page.goto('/reports/overview');
  await expect(page.getByText('+€1,300.00').first()).toBeVisible(); // 1,000 * 0.8 + 500
  await expectAccessible('a report in one currency');
});
