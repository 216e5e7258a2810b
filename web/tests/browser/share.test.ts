// Share links: created, opened without a session, revoked. Private data stays private.

import { countActions } from './actions';
import { canary, expect, expectInert, mainAccount, test, trade, type Api } from './fixtures';

async function journal(api: Api): Promise<void> {
  const account = await api<{ id: string }>('POST', '/accounts', { name: canary, base_currency: 'USD' });
  for (let i = 1; i <= 12; i++) {
    const day = `2026-03-${String(i + 1).padStart(2, '0')}`;
    await trade(api, account.id, i % 3 ? 'AAPL' : 'MSFT', day, 100, i % 4 ? 107.31 : 95.17);
  }
}

// Twelve trades: nine of +731, three of -483.
const net = /5,130\.00/;

test('a link with amounts is created, copied, opened without a session and revoked', async ({
  page,
  user,
  api,
  browser,
  server,
  context,
  signIn,
}) => {
  await journal(api);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn('/settings/sharing');
  await expect(page.getByText('No share links yet')).toBeVisible();
  await page.getByRole('button', { name: 'New link' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Account').selectOption({ label: `${canary} (USD)` });
  await dialog.getByLabel('First day').fill('2026-03-01');
  await dialog.getByLabel('Last day').fill('2026-02-01');
  await expect(dialog.getByText('The last day is before the first day.')).toBeVisible();
  await dialog.getByLabel('Last day').fill('2026-03-31');
  await dialog.getByRole('switch', { name: 'Show amounts' }).click();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await dialog.getByRole('button', { name: 'Copy public address' }).click();
  const address = await page.evaluate(() => navigator.clipboard.readText());
  expect(address).toContain(`${server.url}/s/`);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('1 Mar 2026 to 31 Mar 2026')).toBeVisible();
  await expect(page.getByText('With amounts')).toBeVisible();

  const stranger = await browser.newContext({ locale: 'en-US' });
  const visit = await stranger.newPage();
  const complaints: string[] = [];
  visit.on('pageerror', (error) => complaints.push(String(error)));
  await visit.goto(address);
  await expect(visit.getByRole('heading', { name: 'Trading record' })).toBeVisible();
  await expect(visit.getByText(/Mar 2\s–\s13, 2026 · 12 closed trades/)).toBeVisible();
  await expect(visit.getByText(net)).toHaveCount(1); // the number appears once
  await expect(visit.getByRole('cell', { name: 'AAPL' })).toBeVisible();
  const seen = await visit.locator('body').innerText();
  for (const secret of [user.email, canary, 'Sign in']) expect(seen).not.toContain(secret);
  await visit.getByRole('button', { name: 'Cumulative P&L as a table' }).click();
  await expect(visit.getByRole('cell', { name: 'Mar 2, 2026' })).toBeVisible();

  await expect(async () => {
    await page.reload();
    await expect(page.getByText('1 view', { exact: true })).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.getByRole('button', { name: /^Revoke the link/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('No share links yet')).toBeVisible();
  await visit.reload();
  await expect(visit.getByRole('heading', { name: 'Link not found' })).toBeVisible();
  const revoked = await visit.locator('body').innerText();
  await visit.goto(`${server.url}/s/never-there`);
  await expect(visit.getByRole('heading', { name: 'Link not found' })).toBeVisible();
  expect(await visit.locator('body').innerText()).toBe(revoked); // the two look the same
  expect(complaints).toEqual([]);
  await expectInert(page);
  await stranger.close();
});

test('a month is shared from the calendar in three actions', async ({
  page,
  api,
  context,
  signIn,
  expectAccessible,
}) => {
  await journal(api);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn('/calendar?month=2026-03');
  const actions = countActions(page);
  const dialog = page.getByRole('dialog');
  await actions.click(page.getByRole('button', { name: 'Share…' }));
  await expect(dialog.getByLabel('Title')).toHaveValue('March 2026');
  await expect(dialog.getByLabel('First day')).toHaveValue('2026-03-01');
  await expectAccessible('the form of a link');
  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download picture' }).click(),
  ]);
  expect(picture.suggestedFilename()).toBe('March 2026.png');
  await actions.click(dialog.getByRole('button', { name: 'Create link' }));
  await actions.click(dialog.getByRole('button', { name: 'Copy public address' }));
  expect(actions.count).toBe(3);
  await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
  await expect(page.getByRole('heading', { name: 'March 2026', level: 1 })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Winning day' })).toHaveCount(9);
  await expect(page.getByText(net)).toHaveCount(0);
  await expectAccessible('a shared month');
});

test('a link without amounts shows no money in any view', async ({ page, api }) => {
  await journal(api);
  const { token } = await api<{ token: string }>('POST', '/share-links', { tz: 'America/New_York' });
  await page.goto(`/s/${token}`);
  await expect(page.getByText('75.0%').first()).toBeVisible();
  await expect(page.getByText('without amounts')).toBeVisible();
  const all: string[] = [await page.content()];
  await page.getByRole('button', { name: 'Performance curve as a table' }).click();
  all.push(await page.content());
  for (const html of all) expect(html).not.toMatch(/\$|USD|731|483|5,?130|10,?000/);
  await page.emulateMedia({ colorScheme: 'dark' });
});

test('a record with few trades or none says so', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const { token } = await api<{ token: string }>('POST', '/share-links', { show_amounts: true });
  await page.goto(`/s/${token}`);
  await expect(page.getByText('No closed trades yet')).toBeVisible();
  await trade(api, account, 'AAPL', '2026-03-02', 100, 110);
  await page.reload();
  await expect(page.getByText('needs 9 more trades').first()).toBeVisible();
  await expect(page.getByText('The curve starts with the second trading day.')).toBeVisible();
  await signIn('/'); // a link is open to those signed in as well
  await page.goto(`/s/${token}`);
  await expect(page.getByRole('heading', { name: 'Trading record' })).toBeVisible();
});

test.describe('share links turned off', () => {
  test.use({ env: { SVC_SHARE_LINKS_ENABLED: 'false' } });

  test('the owner reads how to turn links on, and what it means', async ({
    page,
    signIn,
    expectAccessible,
  }) => {
    await signIn('/settings/sharing');
    await expect(page.getByText('Share links are turned off on this server')).toBeVisible();
    await expect(page.getByRole('button', { name: 'New link' })).toHaveCount(0);
    await expect(page.getByRole('textbox', { name: 'Setting', exact: true })).toHaveValue(
      'SVC_SHARE_LINKS_ENABLED=true',
    );
    await expectAccessible('share links, turned off');
  });

  test('a user who can’t turn them on reads who can', async ({ page, api, server }) => {
    const ann = { email: 'ann@example.com', password: 'a quiet green harbour 8' };
    await api('POST', '/admin/users', ann);
    await page.goto(`${server.url}/sign-in?to=/settings/sharing`);
    await page.getByLabel('Email').fill(ann.email);
    await page.getByLabel('Password', { exact: true }).fill(ann.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('Ask the person who runs this server')).toBeVisible();
    await expect(page.getByText('SVC_SHARE_LINKS_ENABLED')).toHaveCount(0);
  });
});
