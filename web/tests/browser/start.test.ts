// First run, sign-in, registration, and two tabs that share a session.

import { canary, expect, expectInert, owner, test } from './fixtures';

test.describe('a new server', () => {
  test.use({ alone: true });

  test('the first run creates the owner, then offers ways to start', async ({ page }) => {
    await page.goto('/');
    await expect(page).toHaveURL(/\/start$/);
    await expect(page.getByRole('heading', { name: 'Set up your journal' })).toBeVisible();

    const password = page.getByLabel('Password', { exact: true });
    await password.fill('short');
    await expect(page.getByText('At least 10 characters (5 more)')).toBeVisible();
    await password.fill('aaaaaaaaaaaa');
    await expect(page.getByText('Use more different characters.')).toBeVisible();
    await password.fill(owner.password);
    await expect(page.getByText('Strong', { exact: true })).toBeVisible();

    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Name').fill(canary);
    await page.getByLabel('Broker').fill(canary);
    await page.getByRole('combobox', { name: 'Currency' }).fill('E');
    await page.getByRole('option', { name: /^EUR/ }).click();
    await page.getByLabel('Starting balance (EUR)').fill('12500.50');
    await page.getByRole('button', { name: 'Create journal' }).click();

    await expect(page.getByRole('heading', { name: 'Your journal is ready' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Load demo journal' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Enter a trade' })).toHaveAttribute(
      'href',
      '/trades?new=trade',
    );
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await expect(page).toHaveURL(/\/import$/);
    await expect(page.getByRole('navigation', { name: 'Main', exact: true })).toBeVisible();

    await page.goto('/export?format=csv'); // the account is there, under its name and in its currency
    await expect(page.getByRole('checkbox', { name: `${canary} (EUR)` })).toBeVisible();
    await expectInert(page);
    await page.goto('/start'); // nothing to do here any more
    await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  });

  test('a server error is shown at its field', async ({ page }) => {
    await page.goto('/start');
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByLabel('Starting balance').fill('plenty');
    await page.getByRole('button', { name: 'Create journal' }).click();
    await expect(page.getByLabel('Starting balance')).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByRole('button', { name: 'Create journal' })).toBeEnabled();
  });
});

test.describe('open registration', () => {
  test.use({ env: { SVC_REGISTRATION_OPEN: 'true' } });

  test('a user registers, and the email address cannot be used twice', async ({
    page,
    api,
    expectAccessible,
  }) => {
    await api('GET', '/me');
    await page.goto('/sign-in');
    await expectAccessible('sign in');
    await page.getByRole('link', { name: 'Register' }).click();
    await expect(page.getByRole('heading', { name: 'Register' })).toBeVisible();
    await expectAccessible('register');
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill('seven loud lanterns 3');
    await page.getByRole('button', { name: 'Register' }).click();
    await expect(page.getByText(/already|taken|exists/i)).toBeVisible();
    await page.getByLabel('Email').fill('second@example.com');
    await page.getByRole('button', { name: 'Register' }).click();
    await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Admin' })).toHaveCount(0);
  });
});

test('closed registration is announced', async ({ page, api }) => {
  await api('GET', '/me');
  await page.goto('/register');
  await expect(page.getByText('Registration is closed.')).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveCount(0);
});

test('two tabs renew at the same time and neither is signed out', async ({ page, user, signIn, context }) => {
  await signIn('/settings/profile');
  const other = await context.newPage();
  await other.goto('/export');
  const here = page.getByRole('heading', { name: 'Settings', level: 1 });
  const there = other.getByRole('heading', { name: 'Export', level: 1 });
  await expect(there).toBeVisible();
  // A reload forgets the access token, so both tabs must spend the refresh token at once.
  for (let round = 0; round < 4; round++) {
    await Promise.all([page.reload(), other.reload()]);
    await Promise.all([expect(here).toBeVisible(), expect(there).toBeVisible()]);
  }
  // And alone, long after the other has moved on.
  for (let round = 0; round < 3; round++) {
    await page.reload();
    await expect(here).toBeVisible();
  }
  await other.getByRole('link', { name: 'Settings' }).click();
  await expect(other.getByText(user.email)).toBeVisible();
});
