// What traders do every week, in few actions. A click and a key are actions; so is a typed text with its Enter.

import { countActions } from './actions';
import { importBars, minuteBars } from './bars';
import { expect, mainAccount, test, trade, type Api } from './fixtures';

test.use({ timezoneId: 'UTC' });

/** Enters a trade of one contract that is held for ten minutes. */
async function enter(api: Api, account: string, symbol: string, at: string, move: number): Promise<void> {
  const fill = (side: string, time: string, price: number) => ({
    symbol,
    instrument_type: 'future',
    multiplier: 1,
    side,
    quantity: 1,
    price,
    executed_at: `${time}:00Z`,
  });
  const end = at.replace(/:00$/, ':10');
  await api('POST', '/trades', {
    account_id: account,
    fills: [fill('buy', at, 100), fill('sell', end, 100 + move)],
  });
}

test('Friday losers in NQ after two losses: two actions', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const friday = '2026-03-06';
  await enter(api, account, 'ESZ6', `${friday}T10:00`, -3);
  await enter(api, account, 'NQZ6', `${friday}T11:00`, -2); // after one loss
  await enter(api, account, 'NQZ6', `${friday}T12:00`, -7); // this one
  await enter(api, account, 'NQZ6', `${friday}T13:00`, 5); // a winner
  await enter(api, account, 'NQZ6', '2026-03-05T12:00', -4); // a Thursday
  await signIn('/trades');
  await expect(page.getByText('5 trades')).toBeVisible();
  const act = countActions(page);
  await act.press('f');
  const input = page.getByRole('combobox', { name: 'Add filter' });
  await act.type(input, 'Friday losers in NQ after two losses\n');
  await expect(page.getByText('1 trade', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/root=NQ&outcome=loss&weekday=5&after_losses=2/);
  expect(act.count).toBe(2);
});

test('review the last trading day: the queue of its trades in two actions', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await enter(api, account, 'NQZ6', '2026-03-05T12:00', -4);
  await enter(api, account, 'NQZ6', '2026-03-06T11:00', -2);
  await enter(api, account, 'ESZ6', '2026-03-06T12:00', 3);
  await signIn('/');
  const act = countActions(page);
  await act.click(page.getByText('Last trading day:').getByRole('link'));
  await expect(page).toHaveURL(/\/calendar\/2026-03-06$/);
  await act.click(page.getByRole('link', { name: 'Review 2 trades' }));
  await expect(page).toHaveURL(/\/review\?range=custom&from=2026-03-06&to=2026-03-06/);
  expect(act.count).toBe(2);
});

test('a setup against the rest: three actions', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const { id } = await api<{ id: string }>('POST', '/setups', { name: 'Pullback to the 20 EMA' });
  await enter(api, account, 'NQZ6', '2026-03-05T12:00', -4);
  await enter(api, account, 'NQZ6', '2026-03-06T11:00', 2);
  const [last] = await api<{ id: string }[]>('GET', '/trades?sort=opened_at&order=desc&limit=1');
  await api('PATCH', `/trades/${last!.id}`, { setup_ids: [id] });
  await signIn('/trades');
  const act = countActions(page);
  await act.press('f');
  await act.type(page.getByRole('combobox', { name: 'Add filter' }), 'pullback\n');
  await act.click(page.getByRole('link', { name: 'Compare with the rest' }));
  await expect(page).toHaveURL(new RegExp(`/reports/compare\\?.*setup=${id}`));
  expect(act.count).toBe(3);
});

test('do I exit too early: a sentence and a chart in two actions', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await enter(api, account, 'NQZ6', '2026-03-05T12:00', 4);
  const [one] = await api<{ id: string }[]>('GET', '/trades');
  await api('PATCH', `/trades/${one!.id}`, { mae: 1, mfe: 9, initial_risk: 2 });
  await signIn('/');
  const act = countActions(page);
  await act.click(page.getByRole('navigation').first().getByRole('link', { name: 'Reports' }));
  await act.click(page.getByRole('link', { name: 'MAE & MFE' }));
  await expect(page.getByRole('heading', { name: /exit too early/i })).toBeVisible();
  expect(act.count).toBe(2);
});

test('a trade on its chart: two actions from Today, and its replay one more', async ({
  page,
  api,
  signIn,
}) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 200, 202);
  await importBars(api, 'AAPL', minuteBars('2026-03-02', 200, 202));
  await signIn('/');
  const act = countActions(page);
  await act.click(page.getByRole('navigation').first().getByRole('link', { name: 'Trades' }));
  await act.click(page.getByRole('link', { name: /AAPL/ }).first());
  await expect(page.getByRole('slider', { name: /^Price of AAPL/ })).toBeVisible();
  expect(act.count).toBe(2);
  await act.click(page.getByRole('button', { name: 'Replay', exact: true }));
  await expect(page.getByRole('slider', { name: 'Replay of Price of AAPL' })).toBeFocused();
  expect(act.count).toBe(3);
});

test('fix a fill: five actions, its trade is right at once, and Undo restores it', async ({
  page,
  api,
  signIn,
}) => {
  const account = await mainAccount(api);
  await enter(api, account, 'NQZ6', '2026-03-05T12:00', 4);
  await signIn('/trades');
  const act = countActions(page);
  await act.click(page.getByRole('link', { name: /NQZ6/ }).first());
  const drawer = page.getByRole('dialog', { name: 'NQZ6 long' });
  await act.click(drawer.getByRole('button', { name: /^Actions for the fill/ }).last());
  await act.click(page.getByRole('menuitem', { name: 'Edit…' }));
  const price = page.getByRole('dialog', { name: 'Edit fill' }).getByLabel('Price');
  await price.selectText();
  await act.type(price, '110\n');
  await expect(drawer.getByText(/^\+(US)?\$10\.00$/).first()).toBeVisible();
  expect(act.count).toBeLessThanOrEqual(5);
  await drawer.locator('.toaster').getByRole('button', { name: 'Undo' }).click();
  await expect(drawer.getByText(/^\+(US)?\$4\.00$/).first()).toBeVisible();
});

test('undo an import: four actions from Today', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const file = new FormData();
  file.set('account_id', account);
  const rows =
    'symbol,side,quantity,price,executed_at\nAAPL,buy,1,10,2026-03-05T12:00:00Z\nAAPL,sell,1,12,2026-03-05T13:00:00Z\n';
  file.set('file', new Blob([rows], { type: 'text/csv' }), 'march.csv');
  await api('POST', '/imports/commit', file);
  await signIn('/');
  const act = countActions(page);
  await act.click(page.getByRole('navigation').first().getByRole('link', { name: 'Import' }));
  await act.click(page.getByRole('link', { name: 'march.csv' }));
  await act.click(page.getByRole('button', { name: 'Undo import' }));
  await act.click(page.getByRole('dialog').getByRole('button', { name: 'Undo import' }));
  await expect(page.getByText('Undone', { exact: true })).toBeVisible();
  expect(await api('GET', '/trades')).toEqual([]);
  expect(act.count).toBe(4);
});

test('export for taxes: the gains of a tax year in four actions', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await enter(api, account, 'AAPL', '2025-03-05T12:00', 4);
  await enter(api, account, 'MSFT', '2026-03-05T12:00', 4);
  await signIn('/');
  const act = countActions(page);
  await act.click(page.getByRole('navigation').first().getByRole('link', { name: 'Export' }));
  await act.click(page.getByRole('radio', { name: /^Realized gains/ }));
  await act.select(page.getByLabel('Period'), 'Tax year 2025');
  const download = page.waitForEvent('download');
  await act.click(page.getByRole('button', { name: /^Download/ }));
  expect((await download).suggestedFilename()).toBe('fillbook-realized-gains-2025.csv');
  expect(act.count).toBe(4);
});
