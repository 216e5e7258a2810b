import type { Page } from '@playwright/test';
import { address, startBrokers } from './brokers';
import { canary, expect, expectInert, mainAccount, test } from './fixtures';
import { expectFitsPhone } from './phone';

const cardOf = (page: Page) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Brokers', exact: true }) });

test.describe('with outbound requests', () => {
  test.use({
    env: async ({}, use) => {
      const brokers = await startBrokers();
      await use(brokers.env);
      brokers.stop();
    },
  });

  test('a broker is connected, step by step', async ({ page, api, signIn, expectAccessible }) => {
    await mainAccount(api);
    await signIn('/connections');
    const card = cardOf(page);
    const dialog = page.getByRole('dialog');
    const look = async (what: string) => {
      await expectAccessible(what);
      await expectFitsPhone(page, what);
    };
    await expect(card.getByText('No broker connected')).toBeVisible();
    await card.getByRole('button', { name: 'Connect a broker' }).click();
    await expect(dialog.getByText(/not yet against live accounts/)).toBeVisible();
    await look('the choice of a broker');
    await dialog.getByLabel('Find your broker').fill('stocks alp');
    await expect(dialog.getByRole('button', { name: /^Hyperliquid/ })).toHaveCount(0);
    await dialog.getByRole('button', { name: /^Alpaca/ }).click();
    await expect(dialog.getByRole('listitem').filter({ hasText: 'Generate New Keys' })).toBeVisible();
    await expect(dialog.getByText('You need: API key ID, Secret key.')).toBeVisible();
    await expect(dialog.getByText(/Fillbook calls api\.alpaca\.markets/)).toBeVisible();
    await look('the steps at a broker');
    await dialog.getByRole('button', { name: 'I have it, next' }).click();

    await dialog.getByLabel('API key ID').fill('PK1');
    await dialog.getByLabel('Secret key').fill('right');
    await dialog.getByLabel('Account', { exact: true }).selectOption('Paper');
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await expect(dialog.getByText('Tick this, or go back.')).toBeInViewport();
    await look('the settings of a connection');
    await dialog.getByLabel('Use it although it can trade').check();
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await expect(dialog.getByText('PA1 (paper)')).toBeVisible();
    await expect(dialog.getByText('Unknown: this key may be able to trade.')).toBeVisible();
    await look('the test of a connection');
    expect(await api<unknown[]>('GET', '/connections')).toHaveLength(0);
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(dialog.getByText(/2 new fills/)).toBeVisible();
    await look('the first run of a connection');
    await dialog.getByRole('button', { name: 'Done' }).click();

    await expect(card.getByText('Up to date')).toBeVisible();
    await expect(card.getByText('Paper', { exact: true })).toBeVisible();
    await expect(card.getByText(/Complete up to/)).toBeVisible();
    await look('a connected broker');
    expect(await api<unknown[]>('GET', '/trades')).toHaveLength(1);
    await card.getByRole('button', { name: 'Menu of Alpaca' }).click();
    await page.getByRole('menuitem', { name: 'Runs' }).click();
    await expect(dialog.getByText('Complete', { exact: true })).toBeVisible();
    await look('the runs of a connection');
    await dialog.getByRole('link', { name: 'View import' }).click();
    await expect(page.getByRole('button', { name: 'Undo import' })).toBeVisible();

    await page.goto('/connections');
    await card.getByRole('button', { name: 'Menu of Alpaca' }).click();
    await page.getByRole('menuitem', { name: 'Disconnect…' }).click();
    await expect(dialog.getByText(/The fills that you have stay.*Revoke it at Alpaca/)).toBeVisible();
    await dialog.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await expect(card.getByText('No broker connected')).toBeVisible();
    expect(await api<unknown[]>('GET', '/trades')).toHaveLength(1);
  });

  test('a wrong address is refused by the test', async ({ page, api, signIn }) => {
    await mainAccount(api);
    await signIn('/connections');
    const dialog = page.getByRole('dialog');
    await cardOf(page).getByRole('button', { name: 'Connect a broker' }).click();
    await dialog.getByRole('button', { name: /^Hyperliquid/ }).click();
    await dialog.getByRole('button', { name: 'I have it, next' }).click();
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await expect(dialog.getByLabel('Address')).toHaveAttribute('aria-invalid', 'true');
    await dialog.getByLabel('Address').fill(`0x${'cd'.repeat(20)}`);
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await expect(dialog.getByRole('alert')).toContainText('has no account with this address');
    await dialog.getByLabel('Address').fill(address);
    await dialog.getByRole('button', { name: 'New account…' }).click();
    await dialog.last().getByLabel('Name').fill('Chain');
    await dialog.last().getByRole('button', { name: 'Create account' }).click();
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await expect(dialog.getByRole('heading', { name: 'Hyperliquid accepts this' })).toBeVisible();
    await expect(dialog.getByText('Can only read')).toBeVisible();
    await expect(dialog.getByText('Chain', { exact: true })).toBeVisible();
  });

  test('a connection whose key is refused is repaired', async ({ page, api, signIn, expectAccessible }) => {
    const account_id = await mainAccount(api);
    await api('POST', '/connections', {
      provider: 'alpaca',
      account_id,
      name: canary,
      credentials: { api_key: 'PK1', api_secret: 'wrong' },
      accept_trading_key: true,
    });
    await signIn('/connections');
    const card = cardOf(page);
    const dialog = page.getByRole('dialog');
    await expect(card.getByText('Needs you')).toBeVisible();
    await page.goto('/');
    const notice = page.getByRole('listitem').filter({ hasText: "Alpaca doesn't accept the key" });
    await expectAccessible('Today with a connection that needs the user');
    await notice.getByRole('link', { name: canary }).click();
    await expect(card.getByText(/Alpaca doesn't accept the key/)).toBeVisible();
    await expectAccessible('a connection that needs the user');
    await expectFitsPhone(page, 'a connection that needs the user', { tables: false });
    await expectInert(page);

    await card.getByRole('button', { name: `Repair ${canary}` }).click();
    await expect(dialog.getByText(/Alpaca doesn't accept the key/)).toBeVisible();
    await expect(dialog.getByText('Sign in at app.alpaca.markets.')).toBeVisible();
    await expectAccessible('a repair');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toBeHidden();
    await card.getByRole('button', { name: `Repair ${canary}` }).click();
    await dialog.getByLabel('API key ID').fill('PK1');
    await dialog.getByLabel('Secret key').fill('wrong');
    await dialog.getByRole('button', { name: 'Save and sync' }).click();
    await expect(dialog.getByRole('alert')).toContainText("Alpaca doesn't accept the key");
    await expect(dialog.getByRole('alert')).toBeInViewport();
    await expectInert(page);
    await dialog.getByLabel('Secret key').fill('right');
    await dialog.getByRole('button', { name: 'Save and sync' }).click();
    await expect(dialog).toBeHidden();
    await expect(card.getByText('Up to date')).toBeVisible();
  });
});

test('without outbound requests a user imports files or asks the operator', async ({ page, signIn }) => {
  await signIn('/connections');
  await expect(cardOf(page).getByText(/the person who runs it sets SVC_OUTBOUND=true/)).toBeVisible();
  await expect(cardOf(page).getByRole('list', { name: 'Supported brokers' })).toContainText(
    'Interactive Brokers',
  );
  await expect(cardOf(page).getByRole('button')).toHaveCount(0);
});

test.describe('for the owner', () => {
  test.use({ alone: true });

  test('without outbound requests the card says how to allow them', async ({
    page,
    signIn,
    expectAccessible,
  }) => {
    await signIn('/connections');
    const card = cardOf(page);
    await expect(card.getByText(/set SVC_OUTBOUND=true and restart the server/)).toBeVisible();
    await expectAccessible('connections that are off');
    await expectFitsPhone(page, 'connections that are off');
    await card.getByRole('link', { name: 'Read more' }).click();
    await expect(page.getByRole('heading', { name: 'Connect a broker', level: 1 })).toBeVisible();
  });
});
