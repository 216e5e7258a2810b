// A list so long that only a part of it is drawn or fetched: 20,000 trades, or
// SVC_TEST_ROWS=100000 for the documented size.

import type { Locator, Page } from '@playwright/test';
import { expect, mainAccount, test, type Api } from './fixtures';
import { importCsv, manyTrades } from './journal';

const count = Number(process.env.SVC_TEST_ROWS ?? 20_000);
const maxTrades = 90_000; // in a file; the server accepts 200,000 rows
const written = new Intl.NumberFormat('en-GB').format(count);

async function fill(api: Api): Promise<void> {
  const account = await mainAccount(api);
  const [head, ...lines] = manyTrades(count).split('\n');
  for (let from = 0; from < lines.length; from += 2 * maxTrades) {
    const part = lines.slice(from, from + 2 * maxTrades);
    const { inserted } = await importCsv(api, account, [head, ...part].join('\n'), `fills-${from}.csv`);
    expect(inserted).toBe(part.length);
  }
}

/** Waits until rows cover the whole box, first as placeholders and then loaded. */
async function expectCovered(box: Locator): Promise<void> {
  const gap = () =>
    box.evaluate((el) => {
      const inside = el.getBoundingClientRect();
      const top = el.querySelector('thead th')!.getBoundingClientRect().bottom;
      const foot = el.querySelector('tfoot td')?.getBoundingClientRect().top ?? inside.bottom;
      const rows = [...el.querySelectorAll('tbody tr[aria-rowindex]')].map((r) => r.getBoundingClientRect());
      rows.sort((a, b) => a.top - b.top);
      let reached = top;
      for (const row of rows) if (row.top <= reached + 2) reached = Math.max(reached, row.bottom);
      return Math.max(0, Math.min(foot, inside.bottom) - reached - 2);
    });
  await expect.poll(gap, { message: 'pixels without a row' }).toBe(0);
  await expect(box.locator('.placeholder')).toHaveCount(0);
  await expect.poll(gap).toBe(0);
}

/** Returns the first visible row. */
const firstVisible = (box: Locator) =>
  box.evaluate((el) => {
    const top = el.querySelector('thead th')!.getBoundingClientRect().bottom;
    const rows = [...el.querySelectorAll('tbody tr[aria-rowindex]')];
    const seen = rows.find((r) => r.getBoundingClientRect().bottom > top + 1);
    return Number(seen?.getAttribute('aria-rowindex'));
  });

/** Drags the thumb of the scroll bar to a share of its range. */
async function drag(page: Page, box: Locator, share: number): Promise<void> {
  const arrow = 15; // the button at either end of the bar, as wide as the bar
  const thumb = 20; // the smallest
  const { right, top, way, at } = await box.evaluate((el) => {
    const { right, top } = el.getBoundingClientRect();
    return { right, top, way: el.clientHeight, at: el.scrollTop / (el.scrollHeight - el.clientHeight) };
  });
  const place = (s: number) => top + arrow + thumb / 2 + s * (way - 2 * arrow - thumb);
  await page.mouse.move(right - arrow / 2, place(at));
  await page.mouse.down();
  await page.mouse.move(right - arrow / 2, place(share), { steps: 5 });
  await page.mouse.up();
}

test('a long list scrolls without gaps, by wheel and by its bar, and the server sorts all of it', async ({
  page,
  api,
  signIn,
}) => {
  await fill(api);
  await signIn('/trades');
  await expect(page.getByText(`${written} trades`, { exact: true })).toBeVisible();
  await expect(page.getByText(`${written} closed`, { exact: true }).first()).toBeVisible();
  const box = page.getByRole('region', { name: 'Trades' });
  await expectCovered(box);

  await box.hover();
  for (const turn of [300, 1200, 6000, 30_000]) {
    await page.mouse.wheel(0, turn);
    await expectCovered(box);
  }
  expect(await firstVisible(box)).toBeGreaterThan(500);
  for (const share of [0.3, 0.8, 0.05, 0.6]) {
    await drag(page, box, share);
    await expectCovered(box);
    expect(Math.abs((await firstVisible(box)) / count - share), `dragged to ${share}`).toBeLessThan(0.2);
  }
  await box.evaluate((el) => (el.scrollTop = el.scrollHeight));
  await expectCovered(box);
  await expect(box.locator(`tr[aria-rowindex="${count}"]`)).toContainText('SYM0');

  await page.reload();
  await expect(page.getByText(`${written} trades`, { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Symbol' }).click();
  await expect(page).toHaveURL(/sort=symbol/); // the server sorts all of them
  await expectCovered(box);
  await expect(box.locator('tr[aria-rowindex="1"]')).toContainText('SYM0');

  await page.getByText('By entry date', { exact: true }).click();
  await expect(page).toHaveURL(/basis=open/);
  await expect(page.getByRole('columnheader', { name: 'Opened' })).toBeVisible();
});
