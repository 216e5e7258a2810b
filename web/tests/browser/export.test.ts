// The export screen: each format is downloaded and has the right content.

import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, mainAccount, test, trade } from './fixtures';

async function save(page: Page, format: RegExp): Promise<{ name: string; content: Buffer }> {
  await page.getByRole('radio', { name: format }).check();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Download/ }).click(),
  ]);
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

test('every format, for all accounts and for one', async ({ page, api, signIn, expectAccessible }) => {
  const main = await mainAccount(api);
  const other = await api<{ id: string }>('POST', '/accounts', { name: 'Prop / 50K', base_currency: 'USD' });
  await trade(api, main, 'AAPL', '2026-03-02', 100, 110);
  await trade(api, other.id, 'MSFT', '2026-03-03', 50, 48);
  await signIn('/export');

  const backup = await save(page, /^Backup \.json/);
  expect(backup.name).toMatch(/^fillbook-\d{4}-\d\d-\d\d\.json$/);
  expect(JSON.parse(backup.content.toString()).accounts).toHaveLength(2);
  expect((await save(page, /^Backup with attachments/)).content.subarray(0, 2).toString()).toBe('PK');
  expect((await save(page, /^Workbook/)).content.subarray(0, 2).toString()).toBe('PK');

  const trades = await save(page, /^Trades \.csv/);
  expect(trades.name).toMatch(/^fillbook-trades-/);
  expect(trades.content.toString().trim().split('\n')).toHaveLength(3); // a header and two trades
  await page.getByRole('checkbox', { name: 'Prop / 50K (USD)' }).check();
  const fills = await save(page, /^Fills \.csv/);
  expect(fills.name).toMatch(/^fillbook-fills-prop-50k-/);
  expect(fills.content.toString()).toContain('MSFT');
  expect(fills.content.toString()).not.toContain('AAPL');
  await expect(page).toHaveURL(/format=fills/);
  await expectAccessible('export of a table');

  await page.getByRole('radio', { name: /^Backup \.json/ }).check();
  await page.getByLabel('Accounts').selectOption({ label: 'Main (USD)' });
  const one = JSON.parse((await save(page, /^Backup \.json/)).content.toString());
  expect(one.account.name).toBe('Main');
});

test('realized gains of a tax year', async ({ page, api, signIn, expectAccessible }) => {
  const main = await mainAccount(api);
  await trade(api, main, 'AAPL', '2025-03-03', 100, 110);
  await trade(api, main, 'MSFT', '2026-02-02', 50, 48);
  await signIn('/export');
  const all = await save(page, /^Realized gains/);
  expect(all.name).toMatch(/^fillbook-realized-gains-\d{4}-\d\d-\d\d\.csv$/);
  const rows = all.content.toString().trim().split('\n');
  expect(rows[0]).toContain('Opened,Closed,Quantity,Proceeds,Cost,Fees,Gain,Currency');
  expect(rows).toHaveLength(3);

  await page.getByLabel('Period').selectOption({ label: 'Tax year 2025' });
  const year = await save(page, /^Realized gains/);
  expect(year.name).toBe('fillbook-realized-gains-2025.csv');
  expect(year.content.toString()).toContain('AAPL');
  expect(year.content.toString()).not.toContain('MSFT');
  await page.getByLabel('Tax year starts on').selectOption({ label: 'April 6 (United Kingdom)' });
  await page.getByLabel('Period').selectOption({ label: 'Tax year 2025/26' });
  await expectAccessible('export of realized gains');
  expect((await save(page, /^Realized gains/)).content.toString()).toContain('MSFT');
  await page.getByRole('radio', { name: '.xlsx', exact: true }).check();
  expect((await save(page, /^Realized gains/)).content.subarray(0, 2).toString()).toBe('PK');

  await page.getByLabel('Period').selectOption({ label: 'Choose days' });
  await page.getByLabel('First day').fill('2026-02-02');
  await page.getByLabel('Last day').fill('2026-02-01');
  await expect(page.getByText('The last day is before the first.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Download/ })).toBeDisabled();
  await page.getByLabel('Last day').fill('2026-02-02');
  const fills = await save(page, /^Fills/);
  expect(fills.content.toString().trim().split('\n')).toHaveLength(3);
});

test('a failed download shows the reason', async ({ page, signIn }) => {
  await signIn('/export');
  await page.route('**/api/v1/exports*', (route) => route.abort());
  await page.getByRole('button', { name: /^Download/ }).click();
  await expect(page.getByText('Can’t reach the server. What you typed is still here.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Download/ })).toBeEnabled();
});
