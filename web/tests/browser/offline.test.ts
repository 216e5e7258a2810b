// Without a connection: the bar says so on every screen, and everything that could
// not be loaded or saved is loaded and saved by itself when the server is back.

import type { Page } from '@playwright/test';
import { expect, mainAccount, test, trade } from './fixtures';

const bar = (page: Page) => page.getByRole('status').filter({ hasText: 'Offline.' });

// The browser reports the requests that fail.
test.afterEach(({ complaints }) => complaints.splice(0));

test('screens that could not be loaded appear when the connection returns', async ({
  page,
  context,
  api,
  signIn,
}) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  await signIn('/');
  await expect(page.getByText('Profit factor').first()).toBeVisible();
  const open = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const screens: [string, string][] = [
    ['Reports', 'Profit factor'],
    ['Notes', 'No notes yet'],
    ['Trades', 'AAPL'],
  ];
  for (const [name, online] of screens) {
    await context.setOffline(true);
    await open(name);
    await expect(page.getByText('Couldn’t load this screen').first()).toBeVisible();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(bar(page)).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
    await expect(page.getByText(online).first()).toBeVisible();
    await expect(bar(page)).toBeHidden();
  }

  // A screen whose script is loaded shows old data, which is better than none.
  await open('Today');
  await expect(page.getByText('Profit factor').first()).toBeVisible();
  await context.setOffline(true);
  await open('Trades');
  await expect(page.getByText('AAPL').first()).toBeVisible();
  await context.setOffline(false);
  await expect(bar(page)).toBeHidden();
});

test('data that could not be loaded appears when the server is back', async ({ page, api, signIn }) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  await signIn('/');
  const screens: [string, string][] = [
    ['/trades', 'AAPL'],
    ['/review', 'Reviewed & next'],
    ['/accounts', 'Main'],
  ];
  for (const [path, text] of screens) {
    await page.route(/api\/v1\/(?!me|auth|settings\/journal)/, (route) => route.abort());
    await page.goto(path);
    await expect(bar(page), path).toBeVisible();
    await page.unroute(/api\/v1\/(?!me|auth|settings\/journal)/);
    await expect(page.locator('#content').getByText(text).first(), path).toBeVisible();
    await expect(bar(page)).toBeHidden();
    await expect(page.locator('#content').getByText('Can’t reach the server')).toHaveCount(0);
  }

  // The session itself.
  await page.route('**/api/v1/**', (route) => route.abort());
  await page.reload();
  await expect(page.getByText('Can’t reach the server')).toBeVisible();
  await page.unroute('**/api/v1/**');
  await expect(page.locator('#content').getByText('Main').first()).toBeVisible();
});

test('ticks and preferences are saved when the connection returns', async ({
  page,
  context,
  api,
  signIn,
}) => {
  await signIn('/');
  const item = page.getByRole('checkbox', { name: 'Check the economic calendar' });
  await expect(item).toBeVisible();
  await context.setOffline(true);
  await item.check();
  await page.getByRole('button', { name: 'Hide amounts' }).click();
  await expect(bar(page)).toContainText('Your changes will be saved when it’s back.');
  await context.setOffline(false);
  await expect(bar(page)).toBeHidden();
  await expect
    .poll(async () => (await api<{ prefs: unknown }>('GET', '/me/preferences')).prefs)
    .toMatchObject({ hide_amounts: true });
  await page.reload();
  await expect(item).toBeChecked();
});

test('a server on this computer needs no network', async ({ page, api, signIn }) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  await signIn('/');
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await page.getByRole('link', { name: 'Trades', exact: true }).click();
  await expect(page.getByText('AAPL').first()).toBeVisible();
});
