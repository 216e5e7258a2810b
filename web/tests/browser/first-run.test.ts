import { expect, mainAccount, owner, test, trade } from './fixtures';

test.describe('a new server', () => {
  test.use({ alone: true });

  test('first run, then signed in, then the shell', async ({ page, expectAccessible }) => {
    await page.setViewportSize({ width: 1280, height: 640 }); // the form does not fit
    await page.goto('/trades?range=90d');
    await expect(page).toHaveURL(/\/start$/);
    await expectAccessible('first run');
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByLabel('Starting balance').fill('12500.50');
    await page.getByRole('button', { name: 'Create journal' }).click();
    await expect(page.getByRole('heading', { name: 'Your journal is ready' })).toBeVisible();
    // The button that was pressed is far down, and the next page is read from its start.
    await expect(page.getByText('Fillbook', { exact: true })).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.getByRole('link', { name: 'go straight to your dashboard' }).click();
    await expect(page.getByRole('navigation', { name: 'Main', exact: true })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();

    await page.reload(); // the session comes back from the refresh token
    await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
    await expectAccessible('today, empty');
  });
});

test('sign in keeps where one wanted to go, and out again ends every tab', async ({
  page,
  user,
  api,
  context,
}) => {
  await api('GET', '/me');
  await page.goto('/reports/time?range=90d');
  await expect(page).toHaveURL(/\/sign-in\?to=/);
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/reports\/time\?range=90d$/);

  const other = await context.newPage();
  await other.goto('/notes');
  await expect(other.getByRole('heading', { name: 'Notes', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await expect(other.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

test('the keyboard reaches everything in the shell', async ({ page, signIn }) => {
  await signIn();
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await expect(page).toHaveURL(/\/calendar$/);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('routin');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/routines$/);
  await page.keyboard.press('n');
  await expect(page).toHaveURL(/\/trades\?new=trade$/);
});

test('filter, theme and privacy', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-02', 100, 110);
  await trade(api, account, 'MSFT', '2026-03-03', 50, 48);
  await signIn();
  await expect(page.getByText('+US$800.00').or(page.getByText('+$800.00'))).toBeVisible();

  await page.getByRole('button', { name: 'Hide amounts' }).click();
  await expect(page.getByText('•••').first()).toBeVisible();
  await expect(page.getByText('800.00')).toHaveCount(0);
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.keyboard.press('Escape');

  await page.getByLabel('Range', { exact: true }).selectOption('custom');
  await page.getByLabel('From').fill('2026-03-03');
  await page.getByLabel('To', { exact: true }).fill('2026-03-03');
  await expect(page).toHaveURL(/range=custom&from=2026-03-03&to=2026-03-03/);
  await expect(page.getByText(/in 1 trade$/)).toBeVisible();
  await page.reload(); // preferences and filter both survive
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByText('•••').first()).toBeVisible();
});
