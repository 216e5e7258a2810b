// Nothing on a screen moves while its data arrives, and what it shows has its room.

import { expect, test as base, type Page } from '@playwright/test';
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

/** Signs in as the user of the demo journal, whose last trading day it returns. */
async function enter(page: Page, demo: Server): Promise<string> {
  const api = connect(demo, demoUser, deskAgent);
  const { refresh_token } = await api<{ refresh_token: string }>('POST', '/auth/login', demoUser);
  await page.goto(`${demo.url}/healthz`);
  await page.evaluate((token) => localStorage.setItem('fillbook.refresh', token), refresh_token);
  const [last] = await api<{ closed_at: string }[]>('GET', '/trades?status=closed&limit=1');
  return last!.closed_at.slice(0, 10);
}

const screens = [
  '/',
  '/calendar',
  `/calendar?year=${new Date().getUTCFullYear()}`,
  '/reports/setups',
  '/reports/time',
  '/tags',
  '/trades',
  '/rules',
  '/routines',
];

for (const [size, viewport] of Object.entries({
  desk: { width: 1280, height: 720 },
  phone: { width: 390, height: 844 },
})) {
  test(`screens keep their layout while they load, ${size}`, async ({ page, demo }) => {
    await page.setViewportSize(viewport);
    const day = await enter(page, demo);
    for (const screen of [...screens, `/calendar/${day}`, `/calendar/week/${day}`]) {
      await page.goto(demo.url + screen);
      await expect(page.locator('#content h1, #content h2').first()).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect(page.locator('.skeleton')).toHaveCount(0);
      expect.soft(await layoutShift(page), screen).toBeLessThan(0.02);
    }
  });
}

test('Today leads with the figures and their curve, and the limits follow', async ({ page, demo }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await enter(page, demo);
  await page.goto(`${demo.url}/`);
  await expect(page.locator('#content section > header h2').first()).toHaveText('Performance');
  await expect(page.getByRole('slider', { name: 'Cumulative net P&L' })).toBeInViewport({ ratio: 1 });
  await expect(page.locator('#content section > header h2').nth(1)).toHaveText('Limits');
});

test('limits that take long come below the cards at the first visit', async ({ page, demo }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await enter(page, demo);
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

test.describe('with a clock of 12 hours', () => {
  test.use({ locale: 'en-US', timezoneId: 'America/New_York', viewport: { width: 1280, height: 720 } });

  test('the trades of a day fit into their card', async ({ page, demo }) => {
    const day = await enter(page, demo);
    await page.goto(`${demo.url}/calendar/${day}`);
    const table = page
      .locator('section', { has: page.getByRole('heading', { name: 'Trades' }) })
      .locator('table');
    await expect(table).toBeVisible();
    const beyond = await table.evaluate((e) => {
      const card = e.closest('.card')!;
      const inside = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight);
      return e.getBoundingClientRect().right - inside;
    });
    expect(beyond).toBeLessThanOrEqual(1);
  });
});

test('habits are in two columns on a wide window, with their reasons in full', async ({ page, demo }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await enter(page, demo);
  await page.goto(`${demo.url}/reports/behavior`);
  const card = (name: string) => page.locator('section', { has: page.getByRole('heading', { name }) });
  await expect(card('Overtrading').getByText('Occurrences')).toBeVisible();
  const top = async (name: string) => (await card(name).boundingBox())!.y;
  expect(await top('Overconfidence')).toBe(await top('Revenge trading'));
  expect(await top('Overtrading')).toBe(await top('Loss aversion'));
  const cut = await page
    .locator('#content li :not(.sr-only)')
    .evaluateAll((all) =>
      all.filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0).map((e) => e.textContent),
    );
  expect(cut).toEqual([]);
});

test('results by grade are not cut off on a wide window', async ({ page, demo }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await enter(page, demo);
  await page.goto(`${demo.url}/reports/distribution`);
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Grade' }) });
  const table = card.getByRole('table');
  await expect(table).toBeVisible();
  expect(await table.evaluate((e) => e.scrollWidth - e.parentElement!.clientWidth)).toBeLessThanOrEqual(0);
});

test('a hyphen is as narrow beside tabular figures as in other text', async ({ page, demo }) => {
  await enter(page, demo);
  await page.goto(`${demo.url}/`);
  await expect(page.locator('#content h1')).toBeVisible();
  const [tabular, proportional] = await page.evaluate(async () => {
    const span = document.createElement('span');
    span.textContent = 'BTC-USD, read-only';
    document.body.append(span);
    await document.fonts.load('1rem Inter');
    span.style.font = '32px Inter';
    const width = (figures: string) => {
      span.style.fontVariantNumeric = figures;
      return span.offsetWidth;
    };
    return [width('tabular-nums'), width('normal')];
  });
  expect(Math.abs(tabular! - proportional!)).toBeLessThan(4);
});
