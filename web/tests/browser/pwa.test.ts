// The installable page: it opens without the server, with the last opened day, until the user signs out.

import { expect, mainAccount, test, trade } from './fixtures';

test.use({ serviceWorkers: 'allow' });

test('the last opened day can be read without the server', async ({ page, api, context, signIn }) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  await signIn('/calendar/2026-03-02');
  await expect(page.getByRole('link', { name: 'AAPL' }).first()).toBeVisible();
  const manifest = await page.evaluate(async () => {
    const { href } = document.querySelector<HTMLLinkElement>('link[rel=manifest]')!;
    return (await fetch(href)).json() as Promise<{ icons: { src: string }[] }>;
  });
  for (const { src } of manifest.icons) expect((await page.request.get(src)).ok(), src).toBe(true);
  // All files are kept once the worker is active.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await expect.poll(() => page.evaluate(() => localStorage.getItem('fillbook.day') ?? '')).toContain('AAPL');

  await context.setOffline(true);
  await page.reload();
  await expect(page.getByText(/^Offline\. This is the day you opened last/)).toBeVisible();
  await expect(page.getByRole('row', { name: /AAPL long/ })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('link', { name: 'AAPL' }).first()).toBeVisible();

  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByText('Sign out').click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('fillbook.day'))).toBeNull();
});
