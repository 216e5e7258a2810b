import { canary, expect, expectInert, mainAccount, test, trade } from './fixtures';

test('a setup is created, shows its results and links to its trades', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-03', 100, 108);
  await signIn('/setups');
  await expect(page.getByText('No setups yet')).toBeVisible();
  await page.getByRole('button', { name: 'New setup' }).click();
  const drawer = page.getByRole('dialog', { name: 'New setup' });
  await drawer.getByLabel('Name').fill(`Gap ${canary}`);
  await drawer.getByLabel('Summary').fill(canary);
  await drawer.getByLabel('Why it works').fill(canary);
  await drawer.getByRole('radio', { name: 'Long' }).check();
  await drawer.getByLabel('Rule 1', { exact: true }).fill('Volume');
  await drawer.getByLabel('Rule 1', { exact: true }).press('Enter');
  await drawer.getByLabel('Rule 2', { exact: true }).fill(canary);
  await drawer.getByRole('button', { name: 'Move rule 2 up' }).click();
  await expect(drawer.getByLabel('Rule 2', { exact: true })).toHaveValue('Volume');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer).toBeHidden();
  await expect(page.getByText('No closed trades with this setup in this range.')).toBeVisible();

  const [setup] = await api<{ id: string; checklist: string[] }[]>('GET', '/setups');
  expect(setup!.checklist).toEqual([canary, 'Volume']);
  const [one] = await api<{ id: string }[]>('GET', '/trades');
  await api('PATCH', `/trades/${one!.id}`, { setup_ids: [setup!.id] });
  await page.reload();
  await expect(page.getByText('+$800.00')).toBeVisible();
  await expect(page.getByRole('img', { name: `Cumulative net P&L of Gap ${canary}` })).toBeVisible();
  await expect(page.getByText('needs 9 more trades')).toBeVisible();
  const link = page.getByRole('link', { name: '1 trade in Net P&L' });
  await expect(link).toHaveAttribute('href', `/trades?setup=${setup!.id}`);
  await expectInert(page);

  await page.getByRole('link', { name: `Gap ${canary}` }).click();
  await expect(page.getByRole('heading', { name: `Gap ${canary}`, level: 1 })).toBeVisible();
  await expect(
    page.getByRole('region').or(page.locator('section')).filter({ hasText: 'Best trades' }).first(),
  ).toBeVisible();
  await expect(page.getByText('All trades in this range are in this group.')).toBeVisible();
  await expectInert(page);
  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: /^Gap/ });
  await edit.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete setup' }).click();
  await expect(page.getByText('No setups yet')).toBeVisible();
});

test('the page of a setup compares it with the rest and shows its best trade with its picture', async ({
  page,
  api,
  signIn,
}) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-03', 100, 108);
  await trade(api, account, 'AAPL', '2026-03-04', 100, 97);
  await trade(api, account, 'MSFT', '2026-03-05', 100, 101);
  const { id } = await api<{ id: string }>('POST', '/setups', { name: 'Gap', checklist: ['Volume'] });
  const list = await api<{ id: string; net_pnl: number }[]>('GET', '/trades?symbol=AAPL');
  for (const t of list) await api('PATCH', `/trades/${t.id}`, { setup_ids: [id] });
  const best = list.find((t) => t.net_pnl > 0)!;
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const form = new FormData();
  form.append('file', new Blob([Buffer.from(pixel, 'base64')], { type: 'image/png' }), 'chart.png');
  await api('POST', `/trades/${best.id}/attachments`, form);

  await signIn('/setups');
  await page.getByRole('link', { name: 'Gap', exact: true }).click();
  const rest = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Compared with the rest' }) });
  await expect(rest.getByRole('row', { name: /^Trades 2 1$/ })).toBeVisible();
  const winners = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Best trades' }) });
  await expect(winners.getByRole('link', { name: /AAPL/ })).toHaveCount(1);
  await expect(winners.locator('img')).toBeVisible();
  await page.getByRole('link', { name: 'AAPL', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/trades\\?root=AAPL&setup=${id}&status=closed`));
});

test('a card reads the curve of its setup when it is scrolled to', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const ids: string[] = [];
  for (let i = 0; i < 8; i++) {
    const name = `Setup ${i}`;
    const { id } = await api<{ id: string }>('POST', '/setups', { name, checklist: ['Volume', 'Trend'] });
    await trade(api, account, `SYM${i}`, '2026-03-03', 100, 120 - i);
    const [made] = await api<{ id: string }[]>('GET', `/trades?symbol=SYM${i}`);
    await api('PATCH', `/trades/${made!.id}`, { setup_ids: [id] });
    ids.push(id);
  }
  const read = new Set<string | null>();
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.endsWith('/analytics/daily')) read.add(url.searchParams.get('setup_id'));
  });
  await page.setViewportSize({ width: 390, height: 700 });
  await signIn('/setups');
  const curve = (i: number) => page.getByRole('img', { name: `Cumulative net P&L of Setup ${i}` });
  await expect(curve(0)).toBeVisible(); // the best one is first
  expect(read).not.toContain(ids[7]);
  await page.getByRole('heading', { name: 'Setup 7' }).scrollIntoViewIfNeeded();
  await expect(curve(7)).toBeVisible();
  expect(read).toContain(ids[7]);
  // Figures keep their width beside the curve.
  const box = await page.getByText('Average R').first().boundingBox();
  expect(box!.x + box!.width).toBeLessThanOrEqual(390);
});

test('the page of a symbol shows all of its contracts', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-03', 100, 108);
  await trade(api, account, 'MSFT', '2026-03-05', 100, 101);
  await signIn('/symbols/aapl');
  await expect(page.getByRole('heading', { name: 'AAPL', level: 1 })).toBeVisible();
  await expect(page.getByText('+$800.00').first()).toBeVisible();
  await page.getByRole('link', { name: 'View trades' }).click();
  await expect(page).toHaveURL(/\/trades\?root=AAPL$/);
});

test('the page of a contract has its trades alone', async ({ page, api, signIn }) => {
  const account_id = await mainAccount(api);
  for (const [symbol, price] of [
    ['MESH26', 5010],
    ['MESM26', 5020],
  ] as const)
    for (const [side, at, hour] of [
      ['buy', 5000, 15],
      ['sell', price, 16],
    ] as const)
      await api('POST', '/executions', {
        account_id,
        symbol,
        instrument_type: 'future',
        side,
        quantity: 1,
        price: at,
        multiplier: 5,
        executed_at: `2026-03-03T${hour}:00:00Z`,
      });
  await signIn('/symbols/MESM26');
  await expect(page.getByText('This contract alone')).toBeVisible();
  await expect(page.getByText('+$100.00').first()).toBeVisible();
  await page.goto('/symbols/MES');
  await expect(page.getByText('All contracts and options of the symbol')).toBeVisible();
  await expect(page.getByText('+$150.00').first()).toBeVisible();
});
