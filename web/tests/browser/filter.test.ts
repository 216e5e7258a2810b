import { expect, mainAccount, test, type Api } from './fixtures';
import { countActions } from './actions';

/** Creates trades in NQ and MNQ: three losing shorts on Fridays after 14:00, two of them with a setup. */
async function createTrades(api: Api): Promise<void> {
  const account = await mainAccount(api);
  const setup = await api<{ id: string }>('POST', '/setups', {
    name: 'Opening drive',
    checklist: ['Wait for the retest', 'Small size'],
  });
  const rows: [string, 'short' | 'long', string, number, boolean][] = [
    ['NQZ6', 'short', '2026-03-06T15:10', 10, true],
    ['NQH7', 'short', '2026-03-13T16:10', 12, true],
    ['NQZ6', 'short', '2026-03-20T17:10', 5, false],
    ['NQZ6', 'short', '2026-03-06T09:10', 7, true],
    ['NQZ6', 'short', '2026-03-05T15:10', 9, true],
    ['NQZ6', 'long', '2026-03-27T15:10', -4, true],
    ['NQZ6', 'short', '2026-03-27T18:10', -6, true],
    ['MNQZ6', 'short', '2026-03-06T15:10', 3, true],
  ];
  for (const [symbol, side, at, move, withSetup] of rows) {
    const fill = (buy: boolean, time: string, price: number) => ({
      symbol,
      instrument_type: 'future',
      multiplier: 1,
      side: buy ? 'buy' : 'sell',
      quantity: 1,
      price,
      executed_at: `${time}:00Z`,
    });
    const end = at.replace(/:10$/, ':30');
    await api('POST', '/trades', {
      account_id: account,
      fills: [fill(side === 'long', at, 100), fill(side !== 'long', end, 100 + move)],
      ...(withSetup ? { setup_ids: [setup.id] } : {}),
    });
  }
}

test.use({ timezoneId: 'UTC' });

test('losing NQ shorts on Fridays after 14:00 with a setup, in three actions', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await createTrades(api);
  await signIn('/trades');
  await expect(page.getByText('8 trades')).toBeVisible();
  const act = countActions(page);
  await act.press('f');
  const input = page.getByRole('combobox', { name: 'Add filter' });
  await expect(input).toBeFocused();
  const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await expect(options.first()).toBeVisible();
  await act.type(input, 'all losing NQ shorts on Fridays after 14:00 with setup opening drive');
  await expect(options.first()).toContainText('NQ · Short · Friday');
  await expectAccessible('suggestions');
  await act.press('Enter');
  await expect(page.getByText('2 trades')).toBeVisible();
  expect(act.count).toBeLessThanOrEqual(5);

  const chips = page.getByRole('list', { name: 'Conditions' });
  await expect(chips.getByRole('listitem')).toHaveText([
    'Losing',
    'shorts',
    'in NQ',
    'on Fridays',
    'after 14:00',
    'with setup Opening drive',
  ]);
  // A copied link shows the same.
  await page.reload();
  await expect(page.getByText('2 trades')).toBeVisible();

  // A chip is edited and removed.
  await chips.getByRole('button', { name: 'with setup Opening drive', exact: true }).click();
  await page.getByRole('dialog').getByText('None of them').click();
  await expect(page.getByText('1 trade', { exact: true })).toBeVisible();
  await expectAccessible('a condition');
  await page.getByRole('button', { name: 'Done' }).click();
  await chips.getByRole('button', { name: 'Remove without setup Opening drive' }).click();
  await expect(page.getByText('3 trades')).toBeVisible();

  // The other screens have the same filter.
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page.getByText('3 trades, all time')).toBeVisible();
  await page.getByRole('button', { name: 'Clear all' }).click();
  await expect(page.getByText('8 trades, all time')).toBeVisible();
});

test('what is typed while the input loads is in the input', async ({ page, api, signIn }) => {
  await createTrades(api);
  let load = () => {};
  const typed = new Promise<void>((resolve) => (load = resolve));
  await page.route('**/assets/FilterInput-*', async (route) => {
    await typed;
    await route.continue();
  });
  await signIn('/trades');
  await page.keyboard.press('f');
  await page.keyboard.type('losing');
  load();
  await expect(page.getByRole('combobox', { name: 'Add filter' })).toHaveValue('losing');
  await page.keyboard.type(' nq');
  await expect(page.getByRole('combobox', { name: 'Add filter' })).toHaveValue('losing nq');
});

test('suggestions are chosen one by one with the keyboard', async ({ page, api, signIn }) => {
  await createTrades(api);
  await signIn('/trades');
  await page.getByRole('button', { name: 'Add filter' }).click();
  const input = page.getByRole('combobox', { name: 'Add filter' });
  const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await input.fill('nq');
  await expect(options).toContainText(['NQ', 'NQH7', 'NQZ6']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 trade', { exact: true })).toBeVisible();
  await expect(input).toBeFocused();
  await page.keyboard.press('Backspace'); // removes the last condition
  await expect(page.getByText('8 trades')).toBeVisible();
  for (const text of ['mnq', 'fri', 'r > 2']) {
    await input.fill(text);
    await page.keyboard.press('Enter');
  }
  await expect(page.getByRole('list', { name: 'Conditions' }).getByRole('listitem')).toHaveText([
    'In MNQ',
    'on Fridays',
    'with 2 R or more',
  ]);
  await expect(page.getByText('No matching trades')).toBeVisible();
  // Words that are no condition stay visible; notes are searched only on demand.
  await input.fill('losing gapped');
  await expect(options.first()).toContainText('Losing Not understood: gapped');
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/[?&]q=/);
  const chips = page.getByRole('list', { name: 'Conditions' });
  await expect(chips.getByText('Not understood: gapped')).toBeVisible();
  await chips.getByRole('button', { name: 'Search notes for “gapped”' }).click();
  await expect(page).toHaveURL(/[?&]q=gapped/);
  await expect(chips.getByText('Not understood')).toHaveCount(0);
  await page.getByRole('button', { name: 'Clear all' }).click();

  // Brackets step through periods.
  await page.getByLabel('Range', { exact: true }).selectOption('month');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('[');
  await expect(page).toHaveURL(/range=last_month/);
  await page.keyboard.press(']');
  await expect(page).toHaveURL(/range=month/);
  await page.getByLabel('Range', { exact: true }).selectOption('Last trading day');
  await expect(page).toHaveURL(/range=custom&from=2026-03-27&to=2026-03-27/);
});

test('a selection is compared with the rest and with a view', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await createTrades(api);
  await api('POST', '/views', { name: 'Micros', filter: { root: 'MNQ' } });
  await signIn('/trades?root=NQ&side=short');
  await page.getByRole('link', { name: 'Compare with the rest' }).click();
  const table = page.getByRole('table');
  await expect(table.getByRole('columnheader')).toHaveText(['Your selection', 'The rest', 'Difference']);
  await expect(table.getByRole('row', { name: 'Trades', exact: false }).first()).toContainText(
    '6 trades2 trades',
  );
  await expect(page.getByText(/^Average difference per trade: /)).toBeVisible();
  await expectAccessible('a comparison');
  await page.getByLabel('Compare with').selectOption('View: Micros');
  await expect(table.getByRole('link', { name: '1 trade' })).toBeVisible();
  await expect(table.getByRole('columnheader')).toHaveText(['Your selection', 'Micros', 'Difference']);

  // Reports add up a root's contracts.
  await page.goto('/reports/distribution');
  const symbols = page.getByRole('region', { name: 'Symbol, as a table' });
  await expect(symbols.getByRole('rowheader')).toHaveText(['MNQ', 'NQ'], { useInnerText: true });
  await symbols.getByRole('button', { name: 'Contracts of NQ' }).click();
  await expect(symbols.getByRole('rowheader')).toHaveText(['MNQ', 'NQ', 'NQH7', 'NQZ6'], {
    useInnerText: true,
  });
  await symbols.getByRole('link', { name: '7 trades of NQ' }).click();
  await expect(page.getByRole('dialog').getByText('7 trades', { exact: true })).toBeVisible();
});

test('views are saved, changed, pinned, reordered and deleted', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await createTrades(api);
  await api('POST', '/views', { name: 'Micros', filter: { root: 'MNQ', range: '1y' }, pinned: true });
  await signIn('/trades?outcome=loss&sort=-net_pnl');
  await expect(page.getByText('7 trades')).toBeVisible();
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Losers');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  const sidebar = page.getByRole('navigation', { name: 'Main' });
  await expect(sidebar.getByRole('link', { name: 'Losers' })).toBeVisible();

  // Opening another view replaces the filter; coming back restores order and columns.
  await sidebar.getByRole('link', { name: 'Micros' }).click();
  await expect(page).toHaveURL(/root=MNQ/);
  await expect(page).toHaveURL(/range=1y/);
  await sidebar.getByRole('link', { name: 'Losers' }).click();
  await expect(page).toHaveURL(/sort=-net_pnl/);
  await expect(page.getByRole('button', { name: 'View Losers' })).not.toContainText('changed');
  // Another screen keeps the view, and Trades opens it with its order and columns.
  await sidebar.getByRole('link', { name: 'Reports' }).click();
  await expect(page).not.toHaveURL(/sort=/);
  await sidebar.getByRole('link', { name: 'Trades' }).click();
  await expect(page).toHaveURL(/sort=-net_pnl/);
  await expect(page).toHaveURL(/columns=/);
  await expect(page.getByRole('button', { name: 'View Losers' })).not.toContainText('changed');

  await page.keyboard.press('f');
  await page.getByRole('combobox', { name: 'Add filter' }).fill('nq fri');
  await expect(page.getByText('NQ · Friday').first()).toBeVisible(); // the symbols have arrived
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'View Losers' })).toContainText('changed');
  await expectAccessible('a changed view');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('button', { name: 'View Losers' })).not.toContainText('changed');
  expect(await api('GET', '/views')).toMatchObject([
    { name: 'Micros' },
    {
      name: 'Losers',
      filter: { outcome: 'loss', root: 'NQ', weekday: '5' },
      sort: 'net_pnl',
      order: 'desc',
    },
  ]);

  await sidebar.getByRole('button', { name: 'All views' }).click();
  const dialog = page.getByRole('dialog', { name: 'Views' });
  await dialog.getByRole('button', { name: 'Move Losers up' }).click();
  await expect(dialog.getByRole('listitem').first()).toContainText('Losers');
  await dialog.getByRole('button', { name: 'Pin Micros to the sidebar' }).click();
  await expectAccessible('all views');
  await dialog.getByRole('button', { name: 'Rename Losers' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Friday losers');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete Friday losers' }).click();
  await expect(dialog.getByRole('listitem')).toHaveCount(1);
  await dialog.locator('.toaster').getByRole('button', { name: 'Undo' }).click();
  await expect(dialog.getByRole('listitem')).toHaveText(['Friday losers', 'Micros']);
  await page.keyboard.press('Escape');
  await expect(sidebar.getByRole('link', { name: 'Friday losers' })).toBeVisible();
  await expect(sidebar.getByRole('link', { name: 'Micros' })).toHaveCount(0);
});

test('the palette finds notes, trades, symbols, setups and views', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await createTrades(api);
  await api('POST', '/views', { name: 'Fridays', filter: { weekday: '5' } });
  await api('POST', '/notes', { title: 'Opening notes', body: 'Faded the overnight gap.' });
  await api('POST', '/notes', { title: '计划', body: '突破后等待回调' });
  const [first] = await api<{ id: string }[]>('GET', '/trades?root=MNQ');
  await api('PATCH', `/trades/${first!.id}`, { notes: 'Chased after the gap filled.' });
  await signIn('/');
  const act = countActions(page);
  await act.press('/');
  const input = page.getByRole('combobox', { name: 'Search and commands' });
  const results = page.getByRole('listbox', { name: 'Results' });
  await act.type(input, 'gap');
  await expect(results.getByRole('group', { name: 'Notes' })).toContainText('Opening notes');
  await expect(results.getByRole('group', { name: 'Trades' })).toContainText('MNQZ6 Chased after the gap');
  await expectAccessible('the palette');
  await act.press('Enter');
  await expect(page.getByText('Faded the overnight gap.').last()).toBeVisible();
  expect(act.count).toBe(3);

  for (const [typed, group, address] of [
    ['mnq', 'Symbols', /\/symbols\/MNQ$/],
    ['drive', 'Setups', /\/setups\//],
    ['frid', 'Views', /weekday=5/],
    ['mae', 'Pages and actions', /\/reports\/excursions/],
    ['two-factor', 'Pages and actions', /\/settings\/profile/],
    ['2026-03-06', 'Dates', /\/calendar\/2026-03-06/],
    ['march 2026', 'Dates', /\/calendar\?month=2026-03/],
    ['chased', 'Trades', /\/trades/],
    ['待', 'Notes', /\/notes\//], // a script without spaces
  ] as const) {
    await page.keyboard.press('Control+k');
    await input.fill(typed);
    await results.getByRole('group', { name: group }).getByRole('option').first().click();
    await expect(page).toHaveURL(address);
    await page.keyboard.press('Escape');
  }
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('the filter is a sheet', async ({ page, api, signIn, expectAccessible }) => {
    await createTrades(api);
    await signIn('/trades');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Filter' });
    await sheet.getByRole('combobox', { name: 'Add filter' }).fill('losing shorts in nq');
    await page.keyboard.press('Enter');
    await expect(sheet.getByRole('list', { name: 'Conditions' }).getByRole('listitem')).toHaveCount(3);
    await expectAccessible('the filter on a phone');
    await sheet.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('button', { name: 'Losing shorts in NQ' })).toBeVisible();
    await expect(page.getByText('5 trades')).toBeVisible();
  });
});

test('trades that broke a rule are found, and figures open exactly their trades', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await createTrades(api);
  await api('PUT', '/settings/journal', { breakeven_tolerance: 5 });
  const trades = await api<{ id: string; setup_ids: string[] }[]>('GET', '/trades?root=NQ&weekday=5');
  for (const t of trades.filter((x) => x.setup_ids.length > 0).slice(0, 2))
    await api('PATCH', `/trades/${t.id}`, {
      rules: [{ setup_id: t.setup_ids[0], rule: 'Wait for the retest', state: 'broken' }],
    });
  await signIn('/trades');
  const act = countActions(page);
  await act.press('f');
  const input = page.getByRole('combobox', { name: 'Add filter' });
  await act.type(input, 'broke wait for the retest');
  await act.press('Enter');
  await expect(page.getByText('2 trades')).toBeVisible();
  expect(act.count).toBeLessThanOrEqual(3);
  await page.getByRole('button', { name: 'That broke “Wait for the retest”', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Rules' });
  await expect(dialog.getByRole('combobox', { name: 'Rule' })).toHaveValue('Wait for the retest');
  await expectAccessible('a condition on rules');
  await page.keyboard.press('Escape');

  // The report links to a rule's trades.
  await page.goto('/reports/rules');
  await page.getByRole('link', { name: '2 trades: Wait for the retest, broken' }).click();
  await expect(page).toHaveURL(/rule_state=broken/);
  await expect(page.getByText('2 trades')).toBeVisible();

  // Three losers are beyond the tolerance of 5; the largest is one trade.
  await page.goto('/reports');
  await page.getByRole('link', { name: /^Losses: 4\. View trades/ }).click();
  await expect(page.getByRole('dialog').getByText('4 trades', { exact: true })).toBeVisible();
  await page.goto('/reports?behind=figure:largest_loss');
  await expect(page.getByRole('dialog').getByText('1 trade', { exact: true })).toBeVisible();

  await page.goto('/');
  await page.getByRole('link', { name: 'View trades in Max drawdown' }).click();
  await expect(page.getByRole('dialog', { name: 'Max drawdown' }).getByRole('row').nth(1)).toBeVisible();
});
