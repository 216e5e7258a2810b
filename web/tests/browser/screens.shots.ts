// Pictures of every screen in both themes, on a desk and on a phone, into
// screenshots/. For looking at: npm run screenshots.

import { routes } from '../../src/app/routes';
import { expect, test, trade } from './fixtures';

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

test('screenshots', async ({ page, api, signIn }) => {
  test.setTimeout(600_000);
  await page.goto('/start');
  await shoot(page, 'start');
  const [account] = await api<{ id: string }[]>('GET', '/accounts');
  let level = 100;
  for (let i = 0; i < 40; i++) {
    const day = new Date(Date.UTC(2026, 8, 1 + i * 2)).toISOString().slice(0, 10);
    level += (i * 7919) % 11 > 4 ? 3 : -2;
    await trade(
      api,
      account!.id,
      ['AAPL', 'MSFT', 'NVDA'][i % 3]!,
      day,
      level,
      level + (((i * 104729) % 13) - 5),
      50,
    );
  }
  await page.goto('/sign-in');
  await shoot(page, 'sign-in');
  await signIn();
  for (const route of routes) {
    if (route.open || route.path.includes('{')) continue;
    await page.goto(route.path);
    await shoot(page, route.path === '/' ? 'today' : route.path.slice(1));
  }
});

async function shoot(page: import('@playwright/test').Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: `screenshots/${name}-${size}-${colorScheme}.png` });
      if (size === 'phone') {
        const sideways = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect(sideways, `${name} scrolls sideways on a phone`).toBe(false);
      }
    }
  }
  await page.setViewportSize(sizes.desk);
}
