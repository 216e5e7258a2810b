// Nothing on a screen moves while its data arrives.

import { expect, test as base } from '@playwright/test';
import { deskAgent } from './chromium';
import { layoutShift } from './layoutShift';
import { connect, demoUser, startDemo, type Server } from './server';

const test = base.extend<object, { demo: Server }>({
  demo: [
    async ({}, use) => {
      const demo = await startDemo();
      await use(demo);
      await demo.stop();
    },
    { scope: 'worker' },
  ],
});

const screens = [
  '/',
  '/calendar',
  `/calendar?year=${new Date().getUTCFullYear()}`,
  '/reports/setups',
  '/reports/time',
  '/tags',
  '/rules',
  '/routines',
];

for (const [size, viewport] of Object.entries({
  desk: { width: 1280, height: 720 },
  phone: { width: 390, height: 844 },
})) {
  test(`screens keep their layout while they load, ${size}`, async ({ page, demo }) => {
    const api = connect(demo, demoUser, deskAgent);
    const { refresh_token } = await api<{ refresh_token: string }>('POST', '/auth/login', demoUser);
    await page.setViewportSize(viewport);
    await page.goto(`${demo.url}/healthz`);
    await page.evaluate((token) => localStorage.setItem('fillbook.refresh', token), refresh_token);
    for (const screen of screens) {
      await page.goto(demo.url + screen);
      await expect(page.locator('#content h1, #content h2').first()).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect(page.locator('.skeleton')).toHaveCount(0);
      expect.soft(await layoutShift(page), screen).toBeLessThan(0.02);
    }
  });
}

test('limits that take long come below the cards at the first visit', async ({ page, demo }) => {
  const api = connect(demo, demoUser, deskAgent);
  const { refresh_token } = await api<{ refresh_token: string }>('POST', '/auth/login', demoUser);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${demo.url}/healthz`);
  await page.evaluate((token) => localStorage.setItem('fillbook.refresh', token), refresh_token);
  let answer = () => {};
  const cardsAreShown = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/trading-rules/today*', async (route) => {
    await cardsAreShown;
    await route.continue();
  });
  await page.goto(`${demo.url}/`);
  await expect(page.getByRole('heading', { name: 'To review' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Limits' })).toHaveCount(0);
  answer();
  await expect(page.getByRole('heading', { name: 'Limits' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(await layoutShift(page)).toBeLessThan(0.02);
});
