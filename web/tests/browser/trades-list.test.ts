import { countActions } from './actions';
import { expect, mainAccount, test, trade } from './fixtures';
import { importCsv, manyTrades } from './journal';

test('several trades are tagged at once, and undone', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await api('POST', '/tags', { name: 'Late', color: '#d97706' });
  for (const [i, symbol] of ['AAPL', 'MSFT', 'NVDA'].entries()) {
    await trade(api, account, symbol, `2026-03-0${i + 2}`, 100, 101 + i);
  }
  await signIn('/trades');
  await expect(page.getByText('3 trades', { exact: true })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByRole('checkbox', { name: 'Select row' }).first().uncheck();
  await expect(page.getByText('2 trades selected')).toBeVisible();
  await page.getByRole('button', { name: 'Edit…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit 2 trades' });
  await page.keyboard.type('late');
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

  // Shift selects a range, by mouse and by key; grade and mood are set in one change.
  await page.getByRole('button', { name: 'Clear' }).click();
  const row = page.getByRole('checkbox', { name: 'Select row' });
  await row.first().click();
  await row.last().click({ modifiers: ['Shift'] });
  await expect(page.getByText('3 trades selected')).toBeVisible();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await page.keyboard.press('Shift+J');
  await expect(page.getByText('2 trades selected')).toBeVisible();
  await page.getByRole('button', { name: 'Edit…' }).click();
  await dialog.getByRole('radio', { name: '4' }).check();
  await dialog.getByRole('combobox', { name: 'Emotional state' }).fill('calm');
  await dialog.getByRole('button', { name: 'Apply to 2 trades' }).click();
  await expect(dialog).toHaveCount(0);
  const graded = async () =>
    (await api<{ trade_quality: number; emotional_state: string }[]>('GET', '/trades')).map((t) => [
      t.trade_quality,
      t.emotional_state,
    ]);
  expect(await graded()).toEqual([
    [4, 'calm'],
    [4, 'calm'],
    [null, ''],
  ]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await graded()).flat().filter(Boolean)).toEqual([]);
});

for (const locale of ['de-DE', 'en-US', 'fr-FR']) {
  test.describe(locale, () => {
    test.use({ locale });

    test('times of trades to review are not cut off', async ({ page, api, signIn }) => {
      await trade(api, await mainAccount(api), 'AAPL', '2026-09-28', 10, 11);
      await page.setViewportSize({ width: 1280, height: 720 });
      await signIn('/trades');
      const time = page.getByRole('cell', { name: /2026/ }).first();
      await expect(time).toContainText('To review');
      expect(await time.evaluate((e) => e.scrollWidth - e.clientWidth)).toBeLessThanOrEqual(0);
    });
  });
}

test('times have the same room in every time zone', async ({ page, api, signIn }) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-09-28', 10, 11);
  const widths = [];
  await api('PATCH', '/me/preferences', { locale: 'en-US' });
  for (const timezone of ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo']) {
    await api('PUT', '/settings/journal', { timezone });
    await signIn('/trades');
    const time = page.getByRole('cell', { name: /2026/ }).first();
    await expect(time).toBeVisible();
    widths.push((await time.boundingBox())!.width);
  }
  expect(new Set(widths).size, `widths ${widths.join(', ')}`).toBe(1);
});

test('option terms are not cut off', async ({ page, api, signIn }) => {
  await api('POST', '/executions', {
    account_id: await mainAccount(api),
    symbol: 'GOOGL',
    instrument_type: 'option',
    side: 'buy',
    quantity: 1,
    price: 4,
    executed_at: '2026-02-02T15:00:00Z',
    details: { option_right: 'put', strike: '172.5', expiry: '2026-12-18' },
  });
  await signIn('/trades');
  const terms = page.getByRole('row', { name: /GOOGL/ }).getByText('172.5P 18 Dec');
  expect(await terms.evaluate((e) => e.scrollWidth <= e.clientWidth)).toBe(true);
});

test('all matching trades are selected and changed, more than one request takes', async ({
  page,
  api,
  signIn,
}) => {
  await importCsv(api, await mainAccount(api), manyTrades(1100));
  await signIn('/trades?range=all');
  await expect(page.getByText('1,100 trades')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  const more = page.getByRole('button', { name: 'Select all 1,100 that match' });
  if (await more.isVisible()) await more.click(); // the rest may have been loaded already
  await expect(page.getByText('1,100 trades selected')).toBeVisible();
  await page.getByRole('button', { name: 'Mark as reviewed' }).click();
  await expect(page.getByText('1,100 trades marked as reviewed.')).toBeVisible();
  expect(await api<unknown[]>('GET', '/trades?reviewed=false&limit=1')).toEqual([]);
});

test('a change to several trades is refused as a whole if one trade is gone', async ({
  page,
  api,
  signIn,
  complaints,
}) => {
  const account = await mainAccount(api);
  for (const symbol of ['AAPL', 'MSFT']) await trade(api, account, symbol, '2026-03-02', 100, 101);
  await signIn('/trades');
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByRole('dialog').getByRole('radio', { name: '4' }).check();
  const fills = await api<{ id: string; symbol: string }[]>('GET', '/executions');
  for (const fill of fills.filter((f) => f.symbol === 'AAPL')) await api('DELETE', `/executions/${fill.id}`);

  await page.getByRole('button', { name: 'Apply to 2 trades' }).click();
  await expect(page.getByText('A selected trade no longer exists, so nothing was changed.')).toBeVisible();
  const grades = async () =>
    (await api<{ trade_quality: number | null }[]>('GET', '/trades')).map((t) => t.trade_quality);
  expect(await grades()).toEqual([null]);
  await page.getByRole('button', { name: 'Apply to 1 trade' }).click();
  await expect(page.getByText('1 trade updated.')).toBeVisible();
  expect(await grades()).toEqual([4]);
  complaints.length = 0; // the browser reports the refused request
});

test('the keys j, k, Enter and x work in the list and in the drawer', async ({ page, api, signIn }) => {
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

test('twenty trades are tagged in four actions, with the totals of the selection', async ({
  page,
  api,
  signIn,
}) => {
  const account = await mainAccount(api);
  for (let i = 1; i <= 20; i++)
    await trade(api, account, `S${i}`, `2026-03-${String(i).padStart(2, '0')}`, 10, 11);
  await signIn('/trades');
  const header = page.getByRole('button', { name: 'Symbol' });
  await expect(page.getByText('20 trades', { exact: true })).toBeVisible();
  const before = (await header.boundingBox())!.y;
  const actions = countActions(page);
  await actions.click(page.getByLabel('Select all'));
  await expect(page.getByText('20 trades selected')).toBeVisible();
  expect((await header.boundingBox())!.y).toBe(before);
  await expect(page.locator('.sums')).toContainText('+$2,000.00');
  await actions.press('t');
  await actions.type(page.getByRole('dialog', { name: 'Tag 20 trades' }).getByLabel('Tag'), 'Friday test');
  await actions.press('Enter');
  expect(actions.count).toBe(4);
  await expect(page.getByText('20 trades tagged.')).toBeVisible();
  const tagged = await api<{ tags: { name: string }[] }[]>('GET', '/trades');
  expect(tagged.every((t) => t.tags.some((tag) => tag.name === 'Friday test'))).toBe(true);

  // Columns are moved with the keyboard, and rows can be lower; both are kept.
  await header.focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Compact rows' }).click();
  await page.reload();
  await expect(page.getByRole('columnheader').nth(1)).toHaveText(/Symbol/);
  await expect.poll(async () => (await page.locator('tbody tr').nth(1).boundingBox())!.height).toBe(30);
});

test('paper has every trade of the list, not only those in view', async ({ page, api, signIn }) => {
  await importCsv(api, await mainAccount(api), manyTrades(260)); // more than one page of the API
  await signIn('/trades');
  await expect(page.getByText('260 trades', { exact: true })).toBeVisible();
  // As the browser does when the user prints.
  await page.evaluate(() => {
    window.print = () => {
      window.dispatchEvent(new Event('beforeprint'));
      const rows = document.querySelectorAll('tbody tr[aria-rowindex]').length;
      document.documentElement.dataset.printed = String(rows);
      window.dispatchEvent(new Event('afterprint'));
    };
  });
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Print list' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-printed', '260');
  expect(await page.locator('tbody tr[aria-rowindex]').count()).toBeLessThan(100);
  // A list longer than a page begins on the first one.
  await page.emulateMedia({ media: 'print' });
  const list = page.locator('.card', { has: page.getByRole('region', { name: 'Trades' }) });
  await expect(list).toHaveCSS('break-inside', 'auto');
});
