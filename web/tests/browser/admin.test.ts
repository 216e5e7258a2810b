// The admin screen: users and the security log.

import { canary, expect, expectInert, owner, test } from './fixtures';

test.use({ alone: true });

const second = { email: 'second@example.com', password: 'seven loud lanterns 3' };

test('an owner creates a user, who can sign in but not open the admin screen', async ({
  page,
  browser,
  server,
  signIn,
}) => {
  await signIn('/admin');
  await expect(page.getByText(owner.email)).toBeVisible();
  await page.getByRole('button', { name: 'New user' }).click();
  const dialog = page.getByRole('dialog', { name: 'New user' });
  await dialog.getByLabel('Email').fill(owner.email);
  await dialog.getByLabel('Initial password').fill(second.password);
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await expect(dialog.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true'); // taken
  await dialog.getByLabel('Email').fill(second.email);
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('never signed in')).toBeVisible();

  const context = await browser.newContext({ baseURL: server.url });
  const theirs = await context.newPage();
  await theirs.goto('/sign-in');
  await theirs.getByLabel('Email').fill(second.email);
  await theirs.getByLabel('Password').fill(second.password);
  await theirs.getByRole('button', { name: 'Sign in' }).click();
  await expect(theirs.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  await expect(theirs.getByRole('link', { name: 'Admin' })).toHaveCount(0);
  await theirs.goto('/admin');
  await expect(theirs.getByText('Page not found')).toBeVisible();
  await context.close();
});

test('a user is promoted, demoted, given a password and deleted', async ({ page, api, server, signIn }) => {
  await api('POST', '/admin/users', second);
  await signIn('/admin');
  const change = page.getByRole('button', { name: `Manage ${second.email}` });
  await change.click();
  await page.getByRole('menuitem', { name: 'Make owner' }).click();
  await expect(page.getByText('Owner', { exact: true })).toHaveCount(2);
  await change.click();
  await page.getByRole('menuitem', { name: 'Remove owner role' }).click();
  await expect(page.getByText('Owner', { exact: true })).toHaveCount(1);

  await change.click();
  await page.getByRole('menuitem', { name: 'Reset password' }).click();
  const reset = page.getByRole('dialog', { name: 'Set a new password' });
  await reset.getByLabel('New password').fill('four brown kettles 8');
  await reset.getByRole('button', { name: 'Set password' }).click();
  await expect(reset).toHaveCount(0);
  const login = (password: string) =>
    fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: second.email, password }),
    });
  expect((await login(second.password)).status).toBe(401);
  expect((await login('four brown kettles 8')).status).toBe(200);

  await change.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const gone = page.getByRole('dialog', { name: 'Delete this user?' });
  await expect(gone.getByRole('button', { name: 'Delete user' })).toBeDisabled();
  await gone.getByLabel('Type the email address to confirm').fill(second.email);
  await gone.getByRole('button', { name: 'Delete user' }).click();
  await expect(gone).toHaveCount(0);
  await expect(change).toHaveCount(0);
  expect((await login('four brown kettles 8')).status).toBe(401);
});

test('the security log shows events and can be filtered', async ({ page, server, signIn }) => {
  await signIn('/');
  await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': canary },
    body: JSON.stringify({ ...owner, password: 'not the password' }),
  });
  await page.goto('/admin?view=audit');
  const log = page.getByRole('region', { name: 'Security log' });
  await expect(log.getByText('Set up the server')).toBeVisible();
  await page.getByLabel('Outcome').selectOption('Failed only');
  await expect(page).toHaveURL(/outcome=failed/);
  await expect(log.getByText('Wrong password')).toBeVisible();
  await expect(log.getByText('Set up the server')).toHaveCount(0);
  await page.reload(); // the address keeps it
  await expect(log.getByText('Wrong password')).toBeVisible();
  await expect(log.getByText('Set up the server')).toHaveCount(0);
  await expectInert(page);
});
