import { countActions } from './actions';
import { importBars, minuteBars } from './bars';
import { expect, mainAccount, test, trade } from './fixtures';

const day = '2026-03-02';

test('a trade chart is read, zoomed and panned with the keyboard', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await trade(api, await mainAccount(api), 'AAPL', day, 200, 202);
  const [t] = await api<{ id: string }[]>('GET', '/trades');
  await api('PATCH', '/me/preferences', { 'chart.indicators': [] });
  await signIn(`/trades/${t!.id}`);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('No price data for AAPL at this time.')).toBeVisible();

  // A file that does not fit is not imported; one that fits is, in place.
  const choose = (csv: string) =>
    drawer
      .getByLabel('File with prices of AAPL')
      .setInputFiles({ name: 'BATS_AAPL, 1.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await choose(minuteBars(day, 150, 152));
  await expect(drawer.getByText('Many of your fills lie outside the bars of this file.')).toBeVisible();
  await choose(minuteBars(day, 200, 202));
  await expect(drawer.getByRole('slider', { name: /^Price of AAPL/ })).toBeVisible();

  await importBars(api, 'AAPL', minuteBars('2026-02-26', 190, 191));
  await api('PATCH', `/trades/${t!.id}`, { stop_price: 199, target_price: 203 });
  await page.reload();
  const chart = drawer.getByRole('slider', { name: /^Price of AAPL/ });
  await expect(chart).toBeVisible();
  for (const name of ['Entry', 'Exit', 'Stop', 'Target', 'MAE', 'MFE'])
    await expect(chart.getByText(name, { exact: true })).toBeVisible();
  await expect(drawer.getByText('Profit given back')).toBeVisible();
  await expectAccessible('the chart of a trade');

  await chart.focus();
  await page.keyboard.press('Home');
  const valueNow = () => chart.getAttribute('aria-valuetext');
  const first = await valueNow();
  expect(first).toMatch(/: open 200\.00, high 200\.20, low 199\.68, close 199\.88, volume 1,000$/);
  await page.keyboard.press('ArrowRight');
  expect(await valueNow()).not.toBe(first);
  const [values, plot] = [
    (await chart.getByText('Vol').boundingBox())!,
    (await chart.locator('canvas').boundingBox())!,
  ];
  expect(values.y + values.height).toBeLessThanOrEqual(plot.y);

  // The bar of the entry names its fill, wherever the chart was before.
  for (let i = 0; i < 59; i++) await page.keyboard.press('ArrowRight');
  expect(await valueNow()).toMatch(/bought 100 at 200\.00$/);
  const labels = () => chart.locator('svg').first().textContent();
  const before = await labels();
  for (const key of ['+', '+', 'Shift+ArrowRight']) await page.keyboard.press(key);
  expect(await labels()).not.toBe(before);
  // Bars of the days before are loaded when the first one comes into view.
  await expect
    .poll(async () => {
      await page.keyboard.press('Home');
      return valueNow();
    })
    .toMatch(/26 Feb/);
  await page.keyboard.press('0');

  // Indicators are remembered, and the chart fills the window without leaving the drawer.
  await drawer.getByRole('button', { name: 'Indicators' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'VWAP' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'EMA 20', exact: true }).click();
  await page.keyboard.press('Escape');
  await chart.focus();
  await page.keyboard.press('End');
  await expect.poll(valueNow).toMatch(/, VWAP \d+\.\d\d, EMA 20 \d+\.\d\d$/);
  const narrow = (await chart.boundingBox())!.width;
  await page.keyboard.press('e');
  await expect.poll(async () => (await chart.boundingBox())!.width).toBeGreaterThan(narrow + 300);
  await expectAccessible('the chart in full width');
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await chart.boundingBox())!.width).toBe(narrow);
  await expect(drawer).toBeVisible();

  await drawer.getByRole('radio', { name: '5m', exact: true }).check();
  await expect(drawer.getByRole('slider', { name: 'Price of AAPL, bars of 5m' })).toBeVisible();
  await drawer.getByRole('button', { name: 'Show Price of AAPL as a table' }).click();
  const row = drawer.getByRole('row').filter({ hasText: 'bought 100 at 200.00' });
  await expect(row.getByRole('cell')).toHaveCount(7);
  await expectAccessible('the bars as a table');
  await page.reload();
  await expect(drawer.getByRole('slider', { name: 'Price of AAPL, bars of 5m' })).toContainText('EMA 20');
});

test('fills that do not fit the bars are reported', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', day, 200, 202);
  await importBars(api, 'AAPL', minuteBars(day, 150, 152));
  const [t] = await api<{ id: string }[]>('GET', '/trades');
  await signIn(`/trades/${t!.id}`);
  await expect(page.getByText('2 of 2 fills lie outside their bars.')).toBeVisible();
});

test('a trade is replayed with the keyboard, and the future is hidden', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await trade(api, await mainAccount(api), 'AAPL', day, 200, 202);
  await importBars(api, 'AAPL', minuteBars(day, 200, 202));
  const [t] = await api<{ id: string }[]>('GET', '/trades');
  await api('PATCH', `/trades/${t!.id}`, { initial_risk: 100, target_price: 202.4 });
  await signIn(`/trades/${t!.id}`);
  const actions = countActions(page);
  await actions.click(page.getByRole('button', { name: 'Replay', exact: true }));
  const chart = page.getByRole('slider', { name: 'Replay of Price of AAPL' });
  await expect(chart).toBeFocused();
  const now = page.getByRole('status').filter({ hasText: /Flat|Long/ });
  await expect(now).toContainText('Flat');
  await expect(chart.getByText('Entry', { exact: true })).toBeHidden();
  // Nothing in the drawer tells how it ended.
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  for (const text of ['+$200.00', '+2.00 R', 'MAE so far', 'sold 100', 'Profit given back'])
    await expect(drawer.getByText(text).locator('visible=true')).toHaveCount(0);
  await expect(drawer.getByLabel('Notes').locator('visible=true')).toHaveCount(0);

  // From the start to the entry, the exit and the end: three more actions.
  await actions.press('Shift+ArrowRight');
  await expect(now).toContainText('Long 100');
  await expect(now).toContainText('bought 100 at 200.00');
  await expect(chart.getByText('Entry', { exact: true })).toBeVisible();
  await actions.press('Shift+ArrowRight');
  await expect(now).toContainText('sold 100 at 202.00');
  await expect(now).toContainText('Result hidden');
  expect(actions.count).toBe(3);
  await page.keyboard.press('v');
  await expect(now).toContainText('+$200.00, +2.00 R before costs');
  await expect(now).toContainText('MAE so far $');
  await expect(drawer.getByLabel('Notes').locator('visible=true')).not.toHaveCount(0);

  await page.keyboard.press('ArrowLeft');
  await expect(now).toContainText('Long 100');
  // A note about this bar: one key, the text, one click.
  const noting = countActions(page);
  await noting.press('n');
  await noting.type(page.getByLabel('Note at'), 'Wanted to get out here');
  await noting.click(page.getByRole('button', { name: 'Save note' }));
  expect(noting.count).toBe(3);
  await expect(chart).toBeFocused();
  await expect(chart.locator('circle')).toHaveCount(1);
  await expectAccessible('a replay');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByLabel('Speed')).toHaveValue('5');
  await page.keyboard.press('Space');
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect(now).toContainText('Flat'); // it plays
  await page.keyboard.press('Space');
  await page.keyboard.press('End');
  await expect(page.getByRole('button', { name: 'Play again' })).toBeVisible();
  const others = page.getByRole('region', { name: 'Other exits' });
  await expect(others.getByRole('row', { name: /^Target at 202.40, / })).toContainText('+$240.00+$40.00');
  await expect(others.getByRole('row', { name: '15 minutes later' })).toBeVisible();
  await page.getByRole('button', { name: 'End replay' }).click();
  await expect(page.getByRole('slider', { name: /^Price of AAPL/ })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Notes on the chart' })).toContainText(
    'Wanted to get out here',
  );
});

test('a day shows the fills of all its trades in a symbol', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', day, 200, 202);
  await trade(api, account, 'MSFT', day, 300, 301);
  await importBars(api, 'AAPL', minuteBars(day, 200, 202));
  await signIn(`/calendar/${day}`);
  await page.getByLabel('Symbol').selectOption({ label: 'MSFT, 2 fills' });
  await expect(page.getByText('No price data for MSFT on this day.')).toBeVisible();
  await page.getByLabel('Symbol').selectOption({ label: 'AAPL, 2 fills' });
  await expect(page.getByRole('slider', { name: 'Price of AAPL, bars of 1m' })).toBeVisible();
  await page.getByRole('button', { name: 'Show Price of AAPL as a table' }).click();
  await expect(page.getByText('bought 100 at 200.00')).toBeVisible();
  await expectAccessible('the chart of a day');
  await page.getByRole('button', { name: 'Show Price of AAPL as a chart' }).click();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const now = page.getByRole('status').filter({ hasText: /Flat|Long/ });
  for (const text of ['Flat', 'Long 100', 'sold 100 at 202.00']) {
    await expect(now).toContainText(text);
    await page.keyboard.press('Shift+ArrowRight');
  }
  await expect(now).toContainText('+$200.00 before costs');
});

test('a day shows its symbols on one time axis', async ({ page, api, signIn, expectAccessible }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', day, 200, 202);
  await trade(api, account, 'MSFT', day, 300, 301);
  await trade(api, account, 'NVDA', day, 20, 25);
  await importBars(api, 'AAPL', minuteBars(day, 200, 202));
  const [head, ...lines] = minuteBars(day, 300, 301).split('\n');
  await importBars(api, 'MSFT', [head, ...lines.slice(45)].join('\n')); // it begins three quarters of an hour later
  await signIn(`/calendar/${day}`);

  const charts = page.getByRole('slider', { name: /^Price of/ });
  await expect(charts).toHaveCount(2);
  await expect(page.getByText('No intraday price data for NVDA on this day.')).toBeVisible();
  const crosshairs = page.locator('.plot svg:last-child line[y1="8"]');
  const places = () => crosshairs.evaluateAll((lines) => lines.map((line) => line.getAttribute('x1')));
  const expectSamePlace = async () => {
    await expect(crosshairs).toHaveCount(2);
    const [first, second] = await places();
    expect(first).toBe(second);
    return Number(first);
  };
  await charts.last().hover();
  const before = await expectSamePlace();
  await page.mouse.move(0, 0);
  await expect(crosshairs).toHaveCount(0);

  // The first bar: MSFT has none there.
  await charts.first().focus();
  await page.keyboard.press('Home');
  await expect(charts.first()).toHaveAttribute('aria-valuetext', /: open /);
  await expect(charts.last()).toHaveAttribute('aria-valuetext', /: no price$/);
  await page.keyboard.press('0');
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  expect(await expectSamePlace()).not.toBe(before);
  await page.keyboard.press('0');
  await expectAccessible('several charts of a day');

  await page.getByRole('button', { name: 'Show Prices of the day as a table' }).click();
  await expect(
    page.getByRole('row', { name: /AAPL bought 100 at 200.00, MSFT bought 100 at 300.00/ }),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Show Prices of the day as charts' }).click();
  await page.getByText('5m', { exact: true }).click();
  await expect(page.getByRole('slider', { name: 'Price of MSFT, bars of 5m' })).toBeVisible();
  await page.getByLabel('Symbol').selectOption({ label: 'MSFT, 2 fills' });
  await expect(charts).toHaveCount(1);
});

test('a bar file is checked against the fills, imported, undone and deleted', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  for (const at of ['02', '03', '04', '05', '06', '09'])
    await trade(api, account, 'AAPL', `2026-03-${at}`, 200, 202);
  // Times of New York without a zone, which only the fills tell.
  const days = ['02', '03', '04', '05', '06', '09'].map((at) => minuteBars(`2026-03-${at}`, 200, 202));
  const rows = days
    .flatMap((csv) => csv.split('\n').slice(1))
    .map((line) => {
      const [second, ...cells] = line.split(',');
      const utc = Number(second);
      const summer = utc >= Date.parse('2026-03-08T07:00:00Z') / 1000;
      const wall = new Date((utc - (summer ? 4 : 5) * 3600) * 1000).toISOString();
      return [wall.slice(0, 19).replace('T', ' '), ...cells].join(',');
    });
  const file = {
    name: 'AAPL.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['timestamp,open,high,low,close,volume', ...rows].join('\n')),
  };
  await signIn('/prices');
  const actions = countActions(page);
  await page.locator('input[type=file]').setInputFiles(file);
  await expect(page.getByText('12 of 12 inside')).toBeVisible();
  await expect(page.getByLabel('Time zone of the file')).toHaveValue('America/New York');
  await expectAccessible('the preview of bars');
  await page.getByLabel('Multiply prices by').fill('100');
  await page.keyboard.press('Tab');
  await expect(page.getByText('0 of 12 inside')).toBeVisible();
  await page.getByRole('button', { name: 'Use these settings' }).click();
  await expect(page.getByText('12 of 12 inside')).toBeVisible();
  await actions.click(page.getByRole('button', { name: 'Import prices' }));
  expect(actions.count).toBe(1);
  await expect(page.getByText('2,340 bars imported.')).toBeVisible();
  const series = page.getByRole('row', { name: /AAPL 1m/ });
  await expect(series).toContainText('2,340');

  await page.locator('input[type=file]').setInputFiles({ ...file, buffer: Buffer.from('nothing to see') });
  await expect(page.getByRole('alert')).toBeVisible();

  await page.getByRole('button', { name: 'Undo the import of AAPL.csv' }).click();
  await page.getByRole('button', { name: 'Undo import', exact: true }).click();
  await expect(page.getByText('No prices yet')).toBeVisible();
  await expect(page.getByText('Undone', { exact: true })).toBeVisible();

  await importBars(api, 'MSFT', minuteBars(day, 300, 301));
  await page.reload();
  await page.getByRole('button', { name: 'Delete MSFT 1m' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('No prices yet')).toBeVisible();
});
