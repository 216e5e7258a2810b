// Settings: password, second factor, devices, access tokens, preferences, appearance.

import { createHmac } from 'node:crypto';
import type { Page } from '@playwright/test';
import { canary, expect, expectInert, test, type Server, type User } from './fixtures';

/** The six digits of a secret, now or so many steps of 30 seconds later (RFC 6238). */
function codeOf(secret: string, later = 0): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret.replace(/[\s=]/g, '')]
    .map((c) => alphabet.indexOf(c).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((b) => parseInt(b, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const mac = createHmac('sha1', key).update(counter).digest();
  const at = mac.at(-1)! & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

async function submitSignIn(page: Page, user: User): Promise<void> {
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
}

function login(server: Server, user: User, agent: string): Promise<Response> {
  return fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': agent },
    body: JSON.stringify(user),
  });
}

/** Turns on two-factor sign-in and returns its secret. */
async function enableTwoFactor(page: Page, wrongFirst = false): Promise<string> {
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn on two-factor sign-in' });
  await expect(dialog.getByRole('img', { name: 'QR code for your authenticator' })).toBeVisible();
  const secret = (await dialog.getByLabel('Key', { exact: true }).textContent())!;
  expect(secret.replaceAll(' ', '')).toMatch(/^[A-Z2-7]{32}$/);
  if (wrongFirst) {
    await dialog.getByLabel('Code', { exact: true }).fill('000000');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await expect(dialog.getByText('Wrong code. Try the next one.')).toBeVisible();
  }
  await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('Two-factor sign-in is on.')).toBeVisible();
  return secret;
}

test('two-factor sign-in is turned on and used', async ({ page, user, signIn }) => {
  await signIn('/settings/profile');
  const secret = await enableTwoFactor(page, true);
  await expect(page.getByRole('button', { name: 'Turn off' })).toBeVisible();

  await signOut(page);
  await submitSignIn(page, user);
  await expect(page.getByLabel('Code')).toBeFocused();
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await page.getByLabel('Code').fill(codeOf(secret, 1)); // a code works once, and this may be the same half minute
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('button', { name: 'Turn off' })).toBeVisible();
});

test('two-factor sign-in is turned off with password and code', async ({ page, user, signIn }) => {
  await signIn('/settings/profile');
  const secret = await enableTwoFactor(page);
  await page.getByRole('button', { name: 'Turn off' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn off two-factor sign-in' });
  await dialog.getByLabel('Password').fill('not the password');
  await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await expect(dialog.getByText('Wrong password.')).toBeVisible();
  await dialog.getByLabel('Password').fill(user.password);
  await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
  await dialog.getByRole('button', { name: 'Turn off' }).click();
  await expect(page.getByText('Two-factor sign-in is off.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Turn on' })).toBeVisible();
});

test('a new password signs out all other devices', async ({ page, user, server, signIn }) => {
  const fresh = 'seven loud lanterns 3';
  await signIn('/settings');
  const other = (await (await login(server, user, 'a phone')).json()) as { refresh_token: string };
  await page.getByLabel('Current password').fill('not the password');
  await page.getByLabel('New password').fill(fresh);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Wrong password.')).toBeVisible();
  await page.getByLabel('Current password').fill(user.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Your other devices are signed out.', { exact: false })).toBeVisible();
  const refused = await fetch(`${server.url}/api/v1/auth/refresh`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ refresh_token: other.refresh_token }),
  });
  expect(refused.status).toBe(401);

  await page.reload();
  await expect(page.getByText(user.email)).toBeVisible();
  await signOut(page);
  await submitSignIn(page, { ...user, password: fresh });
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
});

test('devices are listed, and can be signed out', async ({ page, user, server, signIn }) => {
  await signIn('/settings/devices');
  await login(server, user, canary);
  await login(server, user, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0');
  await page.reload();
  await expect(page.getByText('This device')).toHaveCount(1);
  await expect(page.getByText('<img', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Sign out Firefox on Linux' }).click();
  await expect(page.getByText('Firefox on Linux', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Sign out all others' }).click();
  await page.getByRole('button', { name: 'Sign out all', exact: true }).click();
  await expect(page.getByRole('button', { name: /^Sign out .*this device$/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign out all others' })).toHaveCount(0);
  await expectInert(page);
});

test('an access token is created, used, listed with its uses and revoked', async ({
  page,
  user,
  server,
  signIn,
  expectAccessible,
}) => {
  await signIn('/settings/tokens');
  await expect(page.getByText('No tokens yet')).toBeVisible();
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(canary);
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const token = (await dialog.getByLabel('Token', { exact: true }).textContent())!;
  expect(token).toMatch(/^svc_pat_/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText(token)).toHaveCount(0); // never again
  await expect(page.getByText(canary)).toBeVisible();
  await expect(page.getByText('never used')).toBeVisible();

  const ask = (method = 'GET', path = '/me') =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'User-Agent': 'curl/8.5.0' },
    });
  const answer = await ask();
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ email: user.email });
  expect((await ask('DELETE', '/trades/none')).status).toBe(403); // it may only read

  // Uses are written a moment later: look again until it is there.
  await expect(async () => {
    await page.reload();
    await page.getByRole('button', { name: /^History of/ }).click();
    await expect(page.getByText('curl/8.5.0')).toBeVisible({ timeout: 1000 });
  }).toPass();
  await expectAccessible('access tokens');
  await page.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('No tokens yet')).toBeVisible();
  expect((await ask()).status).toBe(401);
  await expectInert(page);
});

test('an access token is limited to what a script needs', async ({
  page,
  server,
  signIn,
  api,
  expectAccessible,
}) => {
  await api('POST', '/accounts', { name: 'Futures' });
  await api('POST', '/accounts', { name: 'Stocks' });
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize(
      theme === 'light' ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    );
    await signIn('/settings/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(`Upload ${theme}`);
    await expect(dialog.getByText('Change anything.')).toBeVisible();
    await dialog.getByLabel('Permissions').selectOption('Import files');
    await expect(dialog.getByText(/^Upload files of trades and prices/)).toBeVisible();
    await dialog.getByLabel('Accounts').click();
    await page.getByRole('option', { name: 'Futures' }).click();
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Expires after').selectOption('A day you choose');
    await dialog.getByLabel('Last day').fill('2190-12-31');
    await dialog.getByLabel('Allowed addresses').fill('127.0.0.0/8, nonsense');
    await expectAccessible('new access token');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await expect(dialog.getByText(/^Entry 2 is neither an address/)).toBeVisible();
    await dialog.getByLabel('Allowed addresses').fill('127.0.0.0/8, ::1');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const token = (await dialog.getByLabel('Token', { exact: true }).textContent())!;
    await dialog.getByRole('button', { name: 'Done' }).click();

    const item = page.getByRole('listitem').filter({ hasText: `Upload ${theme}` });
    await expect(item).toContainText('Import files');
    await expect(item).toContainText('only Futures');
    await expect(item).toContainText('from 127.0.0.0/8, ::1');
    const ask = (path: string) =>
      fetch(`${server.url}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } });
    expect(((await (await ask('/accounts')).json()) as { name: string }[]).map((a) => a.name)).toEqual([
      'Futures',
    ]);
    const refused = (await (await ask('/trades')).json()) as { error: { code: string } };
    expect(refused.error.code).toBe('insufficient_scope');
    await expectAccessible('access tokens');
  }
  await expectInert(page);
});

test('preferences apply at once and are saved', async ({ page, api, signIn }) => {
  await signIn('/settings/preferences');
  await page.getByLabel('Numbers and dates').selectOption('de-DE');
  await expect(page.getByText('1.234.567,89')).toBeVisible();
  await page.getByLabel('Week starts on').selectOption('Sunday');
  await page.getByLabel('Default account').selectOption({ label: 'Main (USD)' });
  await page.getByRole('combobox', { name: 'Time zone' }).fill('new york');
  await page.getByRole('option', { name: 'America/New York' }).click();
  await expect
    .poll(async () => (await api<{ prefs: object }>('GET', '/me/preferences')).prefs)
    .toMatchObject({
      locale: 'de-DE',
      week_start: 0,
      default_account: expect.any(String),
    });
  await expect.poll(() => api('GET', '/settings/journal')).toMatchObject({ timezone: 'America/New_York' });
  await page.reload();
  await expect(page.getByText('1.234.567,89')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Time zone' })).toHaveValue('America/New York');
});

test('theme and privacy', async ({ page, signIn }) => {
  await signIn('/settings/appearance');
  await page.getByRole('radio', { name: /^Dark/ }).check();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('radio', { name: /^Green and red/ }).check();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-colors', 'green-red');
  await page.getByRole('switch', { name: 'Hide amounts' }).click();
  await expect(page.getByRole('button', { name: 'Hide amounts' })).toHaveAttribute('aria-pressed', 'true');
  await page.goto('/settings/nothing');
  await expect(page.getByText('Settings page not found')).toBeVisible();
});
