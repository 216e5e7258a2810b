import { importBars, minuteBars } from './bars';
import { expect, mainAccount, test, trade } from './fixtures';
import { expectFitsPhone } from './phone';

const day = '2026-03-02';

test('on a phone the chart fits, is dragged with a finger and replayed', async ({ page, api, signIn }) => {
  await trade(api, await mainAccount(api), 'AAPL', day, 200, 202);
  await importBars(api, 'AAPL', minuteBars(day, 200, 202));
  const [t] = await api<{ id: string }[]>('GET', '/trades');
  await signIn(`/trades/${t!.id}`);
  const chart = page.getByRole('slider', { name: /^Price of AAPL/ });
  await chart.scrollIntoViewIfNeeded();
  await expectFitsPhone(page, 'the chart of a trade');

  const plot = chart.locator('.plot');
  await plot.tap();
  await expect(chart).toHaveAttribute('aria-valuetext', /close/);
  const labels = await chart.locator('svg').first().textContent();
  const box = (await plot.boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 150, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, y, { steps: 4 });
  await page.mouse.up();
  expect(await chart.locator('svg').first().textContent()).not.toBe(labels);

  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByRole('button', { name: 'Next fill' }).click();
  await expect(page.getByText('Long 100')).toBeVisible();
  await expectFitsPhone(page, 'a replay');

  // The cards appear together, so none moves.
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/v1/bars/imports', async (route) => {
    await held;
    await route.continue();
  });
  const series = page.waitForResponse('**/api/v1/bars/series');
  await page.goto('/prices');
  await (await series).finished();
  await expect(page.getByRole('heading', { name: 'Add prices' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Series' })).toHaveCount(0);
  release();
  await expect(page.getByRole('heading', { name: 'History' })).toBeVisible();
  await expectFitsPhone(page, 'prices');
});
