import { canary, expect, expectInert, mainAccount, test } from './fixtures';
import { importCsv } from './journal';

test('an empty list offers the next action', async ({ page, signIn, expectAccessible }) => {
  await signIn('/trades');
  await expect(page.getByText('No trades yet')).toBeVisible();
  await expectAccessible('trades, empty');
});

test('a trade is entered with a preview, and annotated', async ({ page, api, signIn }) => {
  await api('GET', '/me');
  await signIn('/trades');
  await expect(page.getByText('No trades yet')).toBeVisible();
  await page.keyboard.press('n');
  const form = page.getByRole('dialog', { name: 'Enter a trade' });
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  await expect(form.getByLabel('Symbol')).toBeFocused();
  await test.step('enter the trade', async () => {
    await form.getByRole('button', { name: 'Add trade' }).click();
    await expect(form.getByText('Enter a symbol.')).toBeVisible();
    await form.getByLabel('Symbol').fill('aapl');
    await form.getByLabel('Quantity').fill('100');
    await form.getByLabel('Price').fill('10.1');
    await form.getByLabel('Time').fill('2026-03-02T15:30:00');
    await form.getByRole('button', { name: 'Add fill' }).click();
    const exit = form.getByRole('group', { name: 'Fill 2' });
    await exit.getByLabel('Price').fill('12.2');
    await expect(form.getByText('Net P&L (preview)')).toBeVisible();
    await expect(form.getByText(/\+(US)?\$210\.00/)).toBeVisible();
    await exit.getByLabel('Time').fill('2026-03-02T16:30:00');
    await exit.getByLabel('Fees').fill('1.50');
    await expect(form.getByText(/\+(US)?\$208\.50/)).toBeVisible();
    await form.getByText('Risk plan, setups, tags and notes').click();
    await form.getByLabel('Stop', { exact: false }).fill('9.1');
    await form.getByRole('button', { name: 'Add trade' }).click();
  });

  await test.step('show figures', async () => {
    // The drawer shows the server's figures: 208.50 at a risk of 100.
    await expect(drawer.getByText(/\+(US)?\$208\.50/)).toBeVisible();
    await expect(
      drawer
        .getByText('+2.09', { exact: false })
        .or(drawer.getByText('+2.08', { exact: false }))
        .first(),
    ).toBeVisible();
  });

  await test.step('write notes', async () => {
    await drawer.getByRole('textbox', { name: 'Notes' }).fill(`Held **well**. ${canary}`);
    await drawer.getByRole('textbox', { name: 'Notes' }).press('Control+Enter');
    await expect(drawer.getByText('saved', { exact: true })).toBeVisible();
    await drawer.getByText('Preview', { exact: true }).click();
    await expect(drawer.locator('strong', { hasText: 'well' })).toBeVisible();
    await expect(drawer.getByText(canary)).toBeVisible();
  });

  await test.step('annotate', async () => {
    await drawer.getByRole('combobox', { name: 'Tags' }).fill(canary);
    await page.getByRole('option', { name: /onerror/ }).click();
    await expect(drawer.getByRole('button', { name: `Remove ${canary}` })).toBeVisible();
    await drawer.getByRole('combobox', { name: 'Setups' }).fill('Opening drive');
    await drawer.getByRole('combobox', { name: 'Setups' }).press('Enter');
    await expect(drawer.getByRole('button', { name: 'Remove Opening drive' })).toBeVisible();
    const target = page.waitForResponse((r) => r.request().method() === 'PATCH');
    await drawer.getByLabel('Target').fill('13.1');
    await drawer.getByLabel('Target').press('Tab');
    expect((await target).status()).toBe(200);
    await drawer.getByRole('group', { name: 'Trade quality' }).getByText('4', { exact: true }).click();
    await expect(drawer.getByText('Good', { exact: true })).toBeVisible();
    const mind = page.waitForResponse((r) => r.request().method() === 'PATCH');
    await drawer.getByRole('combobox', { name: /Emotional state/ }).fill(canary);
    await drawer.getByRole('combobox', { name: /Emotional state/ }).press('Enter');
    await mind;
    await drawer.getByRole('button', { name: 'Mark as reviewed' }).click();
    await expect(drawer.getByRole('button', { name: 'Mark as unreviewed' })).toBeVisible();
  });

  const [stored] = await api<Record<string, unknown>[]>('GET', '/trades');
  expect(stored).toMatchObject({
    symbol: 'AAPL',
    net_pnl: 208.5,
    stop_price: 9.1,
    target_price: 13.1,
    trade_quality: 4,
    emotional_state: canary,
    notes: `Held **well**. ${canary}`,
  });
  await expect(page).toHaveTitle(/Trades/);
  await expectInert(page);
});

test('a fill opens a position, an error keeps the form open, deleting asks first', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/trades?new=fill');
  const form = page.getByRole('dialog', { name: 'Enter a trade' });
  await expectAccessible('entry of a fill');
  await form.getByLabel('Symbol').fill(canary);
  await form.getByLabel('Quantity').fill('-5');
  await form.getByLabel('Price').fill('20');
  await form.getByLabel('Time').fill('2026-03-02T15:30:00');
  await form.getByRole('button', { name: 'Add trade' }).click();
  await expect(form.locator('[aria-invalid="true"]')).toBeVisible();
  await form.getByLabel('Quantity').fill('5');
  await form.getByLabel('Side').selectOption('Sell');
  await form.getByRole('button', { name: 'Add trade' }).click();
  const drawer = page.getByRole('dialog').filter({ hasText: 'Realized so far' });
  await expect(drawer.getByText('Still open')).toBeVisible();
  await drawer.getByRole('button', { name: 'Delete…' }).click();
  await page
    .getByRole('dialog', { name: 'Delete this trade?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('No trades yet')).toBeVisible();
  expect(await api<unknown[]>('GET', '/trades')).toEqual([]);
  await expectInert(page);
});

test('the fills of a long trade are shown page by page', async ({ page, api, signIn }) => {
  const time = (i: number) => new Date(Date.UTC(2026, 2, 2, 14) + i * 1000).toISOString();
  const lines = ['Time,Symbol,Side,Quantity,Price'];
  for (let i = 0; i < 1200; i++) lines.push(`${time(i)},AAPL,Buy,1,100`);
  lines.push(`${time(1200)},AAPL,Sell,1200,101`);
  await importCsv(api, await mainAccount(api), lines.join('\n'));
  const [one] = await api<{ id: string }[]>('GET', '/trades');
  await signIn(`/trades/${one!.id}`);
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  const fills = drawer.locator('tbody tr');
  await expect(fills).toHaveCount(200);
  await drawer.getByRole('button', { name: 'Show more (1,001 left)' }).click();
  await expect(fills).toHaveCount(1000);
  await drawer.getByRole('button', { name: 'Show more (201 left)' }).click();
  await expect(fills).toHaveCount(1201);
  await expect(fills.last()).toContainText('Sell');
  await expect(drawer.getByRole('button', { name: /^Show more/ })).toHaveCount(0);
});
