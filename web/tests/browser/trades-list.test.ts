import { expect, test, trade } from './fixtures';
import { importCsv, mainAccount, manyTrades } from './trades';

test('several trades are tagged at once, and it can be undone', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  await api('POST', '/tags', { name: 'Late', color: '#d97706' });
  for (const [i, symbol] of ['AAPL', 'MSFT', 'NVDA'].entries()) {
    await trade(api, account, symbol, `2026-03-0${i + 2}`, 100, 101 + i);
  }
  await signIn('/trades');
  await expect(page.getByText('3 in all')).toBeVisible();
  await expectAccessible('trades');
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByRole('checkbox', { name: 'Select row' }).first().uncheck();
  await expect(page.getByText('2 trades selected')).toBeVisible();
  await page.getByRole('button', { name: 'Tags and setups…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Label 2 trades' });
  await dialog.getByRole('combobox', { name: 'Add tags' }).fill('late');
  await dialog.getByRole('combobox', { name: 'Add tags' }).press('Enter');
  await dialog.getByRole('combobox', { name: 'Add tags' }).press('Escape');
  await dialog.getByRole('button', { name: 'Apply to 2 trades' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('table').getByText('Late')).toHaveCount(2);
  const tagged = async () =>
    (await api<{ tags: unknown[] }[]>('GET', '/trades')).filter((t) => t.tags.length > 0).length;
  expect(await tagged()).toBe(2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('table').getByText('Late')).toHaveCount(0);
  await expect.poll(tagged).toBe(0);
});

test('with the keyboard alone: j, k, Enter, x, and on inside the drawer', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  for (const [i, symbol] of ['AAPL', 'MSFT', 'NVDA'].entries()) {
    await trade(api, account, symbol, `2026-03-0${i + 2}`, 100, 101 + i);
  }
  await signIn('/trades');
  await expect(page.getByRole('link', { name: 'NVDA' })).toBeVisible();
  await page.keyboard.press('j'); // NVDA, the newest
  await page.keyboard.press('j'); // MSFT
  await page.keyboard.press('j'); // AAPL
  await page.keyboard.press('k'); // MSFT
  await page.keyboard.press('x');
  await expect(page.getByText('1 trade selected')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'MSFT long' })).toBeVisible();
  await expect(page).toHaveURL(/trade=/);
  await page.keyboard.press('j');
  await expect(page.getByRole('dialog', { name: 'AAPL long' })).toBeVisible();
  await page.keyboard.press('k');
  await expect(page.getByRole('dialog', { name: 'MSFT long' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(/\/trades$/);
});

test('thousands of trades scroll without gaps, the server sorts all of them, totals come from it too', async ({
  page,
  api,
  server,
  signIn,
}) => {
  const account = await mainAccount(api);
  const count = 5200;
  expect(await importCsv(server, account, manyTrades(count))).toMatchObject({ inserted: 2 * count });
  await signIn('/trades');
  await expect(page.getByText('5,200 in all')).toBeVisible();
  await expect(page.getByText('5,200 closed', { exact: true }).first()).toBeVisible();

  const box = page.getByRole('region', { name: 'Trades' });
  const drawn = () =>
    box.evaluate((el) => {
      const inside = el.getBoundingClientRect();
      const rows = [...el.querySelectorAll<HTMLElement>('tbody tr[aria-rowindex]')].map((r) =>
        r.getBoundingClientRect(),
      );
      const seen = rows.filter((r) => r.bottom > inside.top + 40 && r.top < inside.bottom - 40);
      return { covered: seen.reduce((sum, r) => sum + r.height, 0), height: inside.height - 80 };
    });
  for (const share of [0.1, 0.35, 0.6, 0.85, 1]) {
    await box.evaluate((el, s) => (el.scrollTop = s * (el.scrollHeight - el.clientHeight)), share);
    // Rows cover the whole box at once (those still on their way as grey bars), and then have come.
    await expect
      .poll(async () => {
        const { covered, height } = await drawn();
        return covered >= height;
      })
      .toBe(true);
    await expect(box.locator('.wait')).toHaveCount(0);
  }
  await expect(box.locator('tr[aria-rowindex="5200"]')).toContainText('SYM0');

  await page.reload();
  await expect(page.getByText('5,200 in all')).toBeVisible();
  await page.getByRole('button', { name: 'Symbol' }).click();
  await expect(page).toHaveURL(/sort=symbol/);
  await expect(box.locator('tr[aria-rowindex="1"]')).toContainText('SYM0');

  await page.getByText('By open', { exact: true }).click();
  await expect(page).toHaveURL(/basis=open/);
  await expect(page.getByRole('columnheader', { name: 'Opened' })).toBeVisible();
});
