import type { Page } from '@playwright/test';
import { countActions } from './actions';
import { canary, expect, expectInert, mainAccount, test } from './fixtures';

// A MetaTrader 4 statement with a deposit, three closed tickets and totals.
const ticket = (cells: string[]) =>
  `<tr align=right>${cells.map((c) => `<td class=mspt>${c}</td>`).join('')}</tr>`;
const statement = `<html><head><title>Statement: 730021 - R. Example</title></head><body><div align=center>
<div><b>Example Markets Ltd</b></div><table cellspacing=1>
<tr align=left><td colspan=2><b>Account: 730021</b></td><td colspan=5><b>Name: R. Example</b></td><td colspan=2><b>Currency: USD</b></td><td colspan=2><b>Leverage: 1:30</b></td><td colspan=3><b>2026 March 31, 21:00</b></td></tr>
<tr align=left><td colspan=13><b>Closed Transactions:</b></td></tr>
<tr align=center><td>Ticket</td><td>Open Time</td><td>Type</td><td>Size</td><td>Item</td><td>Price</td><td>S / L</td><td>T / P</td><td>Close Time</td><td>Price</td><td>Commission</td><td>Taxes</td><td>Swap</td><td>Profit</td></tr>
<tr align=right><td>8101</td><td>2026.03.02 08:00:00</td><td>balance</td><td colspan=10 align=left>Deposit</td><td>2 000.00</td></tr>
${ticket('8102|2026.03.03 09:00:00|buy|0.10|eurusd|1.08000|1.07500|1.09000|2026.03.03 15:00:00|1.08600|-0.70|0.00|0.00|60.00'.split('|'))}
${ticket('8103|2026.03.05 10:00:00|sell|0.20|gbpusd|1.27000|1.27500|0.00000|2026.03.06 11:30:00|1.27200|-1.40|0.00|-0.60|-40.00'.split('|'))}
${ticket('8104|2026.03.10 13:00:00|buy|0.10|eurusd|1.09000|0.00000|0.00000|2026.03.10 16:45:00|1.09150|-0.70|0.00|0.00|15.00'.split('|'))}
<tr align=right><td colspan=12><b>Closed P/L:</b></td><td colspan=2><b>31.60</b></td></tr>
<tr align=left><td colspan=2><b>Deposit/Withdrawal:</b></td><td colspan=2><b>2 000.00</b></td><td colspan=4><b>Credit Facility:</b></td><td><b>0.00</b></td></tr>
<tr align=left><td colspan=2><b>Closed Trade P/L:</b></td><td colspan=2><b>31.60</b></td><td colspan=4><b>Floating P/L:</b></td><td><b>0.00</b></td></tr>
<tr align=left><td colspan=2><b>Balance:</b></td><td colspan=2><b>2 031.60</b></td><td colspan=4><b>Equity:</b></td><td><b>2 031.60</b></td></tr>
</table></div></body></html>`;

// Unknown columns, ambiguous dates and one invalid row.
const odd = `When,What,Way,How much,At,Cost,Remark
05/03/2026 09:31,AAPL,buy,100,212.40,1.00,${canary.replaceAll('"', '')}
05/03/2026 10:12,AAPL,sell,100,214.10,1.00,
06/03/2026 09:45,MSFT,buy,50,401.25,1.00,
06/03/2026 11:02,MSFT,sell,50,399.80,1.00,
06/03/2026 11:30,NVDA,sell,many,120.00,1.00,
`;

// The price column has an unknown name.
const half = `Symbol,Side,Quantity,At,Executed At
AAPL,buy,10,212.40,2026-03-05T14:31:00Z
AAPL,sell,10,214.10,2026-03-05T15:12:00Z
`;

async function chooseFile(page: Page, name: string, text: string) {
  await page
    .getByLabel(/Drop a statement/)
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
  await expect(page.getByRole('list', { name: 'Import steps' }).locator('[aria-current=step]')).toHaveText(
    /Preview/,
  );
}

const skippedOf = (page: Page) => page.getByRole('region', { name: 'Skipped rows' });

const figure = (page: Page, label: string) =>
  page
    .locator('dl')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) })
    .locator('dd.value');

test('a MetaTrader statement: checked, previewed, imported, found again, undone', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/import');
  await expect(page.getByText('Nothing imported yet')).toBeVisible();
  await expectAccessible('import, empty');
  await chooseFile(page, 'Statement.htm', statement);
  await expect(page.getByText('MetaTrader 4', { exact: true })).toBeVisible();
  await page.getByText('Details', { exact: true }).click();
  await expect(page.getByText(/rows are tickets/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Check columns' })).toBeHidden();
  await expect(page.getByLabel('Time zone of the file')).toHaveValue('Europe/Athens');
  await expect(figure(page, 'New fills')).toHaveText('6');
  await expect(skippedOf(page)).toBeHidden();
  await expect(figure(page, 'Cash rows')).toHaveText('1');
  await expect(page.getByRole('row', { name: /Closed P&L.*31\.60.*31\.60.*matches/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /GBPUSD.*Short.*−.*42\.00/ })).toBeVisible();
  expect(await api<unknown[]>('GET', '/trades'), 'nothing is written before the commit').toEqual([]);

  await page.getByRole('button', { name: 'Import 6 fills' }).click();
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Import steps' })).toBeVisible();
  await expect(page).toHaveURL(/\/import\/[0-9a-f-]{36}$/);
  await expect(figure(page, 'Net P&L')).toHaveText('+$31.60');
  await expect(figure(page, 'Symbols')).toHaveText('2');
  await expect(figure(page, 'Trading days')).toHaveText('3');
  await expect(figure(page, 'Fills added')).toHaveText('6');
  await expect(figure(page, 'Trades created or changed')).toHaveText('3');
  await page.getByRole('link', { name: 'Review 3 trades' }).click();
  await expect(page.getByText('1 of 3')).toBeVisible();
  await page.goBack();
  expect(await api<unknown[]>('GET', '/trades')).toHaveLength(3);
  await expectAccessible('summary');

  await page.getByRole('link', { name: 'Import another' }).click();
  await expect(page.getByRole('link', { name: 'Statement.htm' })).toBeVisible();
  await page
    .getByLabel(/Drop a statement/)
    .setInputFiles({ name: 'Statement again.htm', mimeType: 'text/html', buffer: Buffer.from(statement) });
  await expect(figure(page, 'New fills')).toHaveText('0');
  await expect(figure(page, 'Duplicates')).toHaveText('6');
  await expect(skippedOf(page)).toContainText('4 rows skipped: already imported');
  await skippedOf(page).getByText('Show skipped rows').click();
  await expect(skippedOf(page)).toContainText('4 rows in the file: 0 fill rows, 0 cash rows');
  await page.getByRole('button', { name: 'File', exact: true }).click();

  await page.getByRole('link', { name: 'Statement.htm' }).click();
  await page.getByRole('button', { name: 'Undo import' }).click();
  await expect(page.getByRole('dialog')).toContainText('Removes 6 fills and 1 cash row from this import.');
  await expect(page.getByRole('dialog')).toContainText('Fills that another import also contains are kept.');
  await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
  await expect(page.getByText('Undone', { exact: true })).toBeVisible();
  expect(await api<unknown[]>('GET', '/trades')).toEqual([]);
  expect(await api<unknown[]>('GET', '/cash-transactions')).toEqual([]);
});

// Times without a zone, as Tradovate writes them, and a column of its own between those that are read.
const fills = `orderId,Account,Order ID,B/S,Contract,Product,Product Description,avgPrice,filledQty,Fill Time,lastCommandId,Status,_priceFormat,_priceFormatType,_tickSize,spreadDefinitionId,Version ID,Timestamp,Date,Quantity,Text,Type,Limit Price,Stop Price,decimalLimit,decimalStop,Filled Qty,Avg Fill Price,decimalFillAvg
1,DEMO1,1, Buy,MNQM6,MNQ,Micro E-mini NASDAQ-100,21000,1,03/05/2026 09:31:00,1, Filled,-2,0,0.25,,1,03/05/2026 09:31:00,3/5/26,1,, Market,,,,,1,21000,21000
2,DEMO1,2, Sell,MNQM6,MNQ,Micro E-mini NASDAQ-100,21010,1,03/05/2026 09:45:00,2, Filled,-2,0,0.25,,2,03/05/2026 09:45:00,3/5/26,1,, Market,,,,,1,21010,21010
`;

test('a Tradovate file is imported in four actions', async ({ page, signIn, expectAccessible }) => {
  await signIn('/');
  const actions = countActions(page);
  await actions.press('i');
  await actions.choose(page.getByLabel(/Drop a statement/), { 'Orders.csv': fills });
  await expect(page.getByText('Tradovate', { exact: false }).first()).toBeVisible();
  await expect(page.getByText(/have no time zone\. Read them as .* time\?/)).toBeVisible();
  await expectAccessible('preview with a question');
  await actions.click(page.getByRole('button', { name: 'Yes' }));
  await actions.click(page.getByRole('button', { name: 'Import 2 fills' }));
  await expect(page.getByRole('link', { name: 'Review 1 trade' })).toBeVisible();
  expect(actions.count).toBe(4);
});

test('an unknown table asks for columns and the date format', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/import');
  await chooseFile(page, `odd ${canary}.csv`, odd);
  await expect(page.getByText('Unknown table')).toBeVisible();
  const next = page.getByRole('button', { name: 'Preview import' });
  await expect(next).toBeDisabled();
  const columns = {
    Symbol: 'What',
    Side: 'Way',
    Quantity: 'How much',
    Price: 'At',
    'Date and time': 'When',
    Fees: 'Cost',
  };
  for (const [target, column] of Object.entries(columns)) {
    const read = page.waitForResponse((r) => r.url().endsWith('/api/v1/imports') && r.ok());
    await page.getByLabel(target, { exact: true }).selectOption(column);
    await read;
  }
  await expect(page.getByText('Is 05/03 March 5 or May 3?')).toBeVisible();
  await expect(next).toBeDisabled();
  await page.getByRole('radio', { name: 'DD/MM' }).check();
  await expect(next).toBeEnabled();
  await next.click();

  await expect(figure(page, 'New fills')).toHaveText('4');
  await expect(figure(page, 'Errors')).toHaveText('1');
  await expect(page.getByText(/"many" is not a number/)).toBeVisible();
  const go = page.getByRole('button', { name: 'Import 4 fills' });
  await expect(go, 'the zone was assumed, so it is asked').toBeDisabled();
  await page.getByRole('button', { name: 'Change' }).click();
  await expect(page.getByLabel('Time zone of the file')).toBeFocused();
  await page.getByLabel('Time zone of the file').fill('New York');
  await page.getByRole('option', { name: 'America/New York' }).click();
  await expect(go).toBeEnabled();
  await go.click();
  await expect(figure(page, 'Fills added')).toHaveText('4');
  await expect(page.getByText('Rows with errors')).toBeVisible();
  await expect(page.getByText('America/New_York')).toBeVisible();
  const fills = await api<{ executed_at: string }[]>('GET', '/executions');
  expect(fills.map((f) => f.executed_at)).toContain('2026-03-05T14:31:00Z');
  await expectInert(page);
  await expectAccessible('summary of an unknown table');
});

test('an unfinished import can only be finished with the same file', async ({ page, api, signIn }) => {
  await signIn('/import');
  const account = await mainAccount(api);
  const form = new FormData();
  form.set('account_id', account);
  form.set('file', new File([half], 'half.csv'));
  await expect(api('POST', '/imports/commit', form), 'the price is missing').rejects.toThrow(/ 400 /);

  await page.reload();
  await page.getByRole('link', { name: 'half.csv' }).click();
  await expect(page.getByText('Not finished')).toBeVisible();
  await page.getByRole('link', { name: 'Finish import' }).click();
  await expect(page.getByRole('heading', { name: 'Finish an import' })).toBeVisible();
  await chooseFile(page, 'Statement.htm', statement);
  await page.getByRole('button', { name: 'Import 6 fills' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  expect(await api<unknown[]>('GET', '/executions'), 'another file is refused').toEqual([]);

  await page.getByRole('button', { name: 'File', exact: true }).click();
  await chooseFile(page, 'half.csv', half);
  await page.getByLabel('Price', { exact: true }).selectOption('At');
  await page.getByRole('button', { name: 'Preview import' }).click();
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(figure(page, 'Fills added')).toHaveText('2');
  expect(await api<unknown[]>('GET', '/imports'), 'it is the batch that waited').toHaveLength(1);
});

const head = 'Symbol,Side,Quantity,Price,Executed At';
const plain = `${head}
AAPL,buy,10,212.40,2026-03-05T14:31:00Z
AAPL,sell,10,214.10,2026-03-05T15:12:00Z
`;
const euros = `${head},Currency
SAP,buy,10,180.00,2026-03-05T09:31:00Z,EUR
SAP,sell,10,182.50,2026-03-05T10:12:00Z,EUR
`;
const orders = `${head},Status
AAPL,buy,10,212.40,2026-03-05T14:31:00Z,Filled
AAPL,sell,10,214.10,2026-03-05T15:12:00Z,Filled
MSFT,buy,5,401.00,2026-03-05T15:20:00Z,Cancelled
MSFT,buy,5,401.10,2026-03-05T15:21:00Z,Cancelled
NVDA,buy,many,120.00,2026-03-05T15:30:00Z,Filled
`;

interface Account {
  id: string;
  name: string;
  base_currency: string;
}

test('every row of the file is counted, and skipped rows have a reason', async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await signIn('/import');
  await chooseFile(page, 'orders.csv', orders);
  await page.getByRole('button', { name: 'Preview import' }).click();
  const sum = '5 rows in the file: 2 fill rows, 0 cash rows, 0 annotation rows, 2 skipped, 1 error';
  await expect(skippedOf(page)).toContainText('2 rows skipped: cancelled order');
  await skippedOf(page).getByText('Show skipped rows').click();
  await expect(skippedOf(page)).toContainText(sum);
  await expect(skippedOf(page)).toContainText('Row 3Cancelled order');
  await expectAccessible('preview with skipped rows');
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();
  await expect(skippedOf(page)).toContainText('2 rows skipped: cancelled order');
});

test('a second export completes the fills of the first', async ({ page, api, signIn }) => {
  const withId = plain
    .replace(head, `${head},Exec ID`)
    .replace('31:00Z', '31:00Z,E1')
    .replace('12:00Z', '12:00Z,E2');
  const form = new FormData();
  form.set('account_id', await mainAccount(api));
  form.set('file', new File([withId], 'fills.csv'));
  await api('POST', '/imports/commit', form);
  await signIn('/import');
  const costs = withId
    .replace('Exec ID', 'Exec ID,Commission')
    .replace(',E1', ',E1,1.25')
    .replace(',E2', ',E2,1.25');
  await chooseFile(page, 'costs.csv', costs);
  await page.getByRole('button', { name: 'Preview import' }).click();
  await expect(page.getByText('Completes 2 fills: adds costs, exact times or IDs.')).toBeVisible();
  await page.getByRole('button', { name: 'Complete 2 fills' }).click();
  await expect(figure(page, 'Fills completed')).toHaveText('2');
  expect(await api<unknown[]>('GET', '/executions')).toHaveLength(2);
});

test('a file in another currency is imported into a matching account', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const depot = await api<Account>('POST', '/accounts', { name: 'Depot', base_currency: 'EUR' });
  await signIn(`/import?to=${await mainAccount(api)}`);
  await chooseFile(page, 'euros.csv', euros);
  await page.getByRole('button', { name: 'Preview import' }).click();
  const go = page.getByRole('button', { name: 'Import 2 fills' });
  const question = page.getByText('The file is in EUR, the account in USD.');
  await expect(question).toBeVisible();
  await expect(go).toBeDisabled();
  await expect(page.getByRole('row', { name: /SAP.*€25\.00/ })).toBeVisible();
  await expectAccessible('preview in another currency');

  await page.getByLabel('Import the amounts as they are').check();
  await expect(go).toBeEnabled();
  await page.getByLabel('Import the amounts as they are').uncheck();
  await expect(go).toBeDisabled();

  await page.getByRole('button', { name: 'Import into Depot' }).click();
  await expect(question).toBeHidden();
  await expect(go).toBeEnabled();
  await go.click();
  await expect(figure(page, 'Fills added')).toHaveText('2');
  const fills = await api<{ account_id: string }[]>('GET', '/executions');
  expect(fills.map((f) => f.account_id)).toEqual([depot.id, depot.id]);
});

test('an account in the file’s currency is created in the preview', async ({ page, api, signIn }) => {
  await signIn('/import');
  await chooseFile(page, 'euros.csv', euros);
  await page.getByRole('button', { name: 'Preview import' }).click();
  await page.getByRole('button', { name: 'Create an account in EUR' }).click();
  await expect(page.getByLabel('Account name')).toHaveValue('euros EUR');
  await page.getByLabel('Account name').fill('Depot');
  await page.goto('/import'); // the name is kept
  await chooseFile(page, 'euros.csv', euros);
  await page.getByRole('button', { name: 'Preview import' }).click();
  await expect(page.getByLabel('Account name')).toHaveValue('Depot');
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await expect(page.getByLabel('Account name')).toHaveValue('euros EUR');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('The file is in EUR, the account in USD.')).toBeHidden();
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(figure(page, 'Fills added')).toHaveText('2');
  const made = (await api<Account[]>('GET', '/accounts')).find((a) => a.name === 'euros EUR');
  expect(made?.base_currency).toBe('EUR');
  const fills = await api<{ account_id: string }[]>('GET', '/executions');
  expect(fills.map((f) => f.account_id)).toEqual([made?.id, made?.id]);
});

test('an import rejected for its currency is finished in the preview', async ({ page, api, signIn }) => {
  const id = (await api<Account>('POST', '/accounts', { name: 'Depot', base_currency: 'EUR' })).id;
  await signIn(`/import?to=${id}`);
  await chooseFile(page, 'euros.csv', euros);
  await page.getByRole('button', { name: 'Preview import' }).click();
  await expect(page.getByRole('button', { name: 'Import 2 fills' })).toBeEnabled();
  await api('PUT', `/accounts/${id}`, { name: 'Depot', base_currency: 'CHF' });
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(page.getByText('The file is in EUR, the account in CHF.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Import 2 fills' })).toBeDisabled();
  await page.getByLabel('Import the amounts as they are').check();
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(figure(page, 'Fills added')).toHaveText('2');
  expect(await api<unknown[]>('GET', '/imports'), 'it is the batch that was pending').toHaveLength(1);
});

test('times without a day ask for the day', async ({ page, api, signIn, expectAccessible }) => {
  await signIn('/import');
  await chooseFile(
    page,
    'today.csv',
    plain.replaceAll(/2026-03-05T|Z$/gm, '').replace('Executed At', 'Time'),
  );
  const preview = page.getByRole('button', { name: 'Preview import' });
  await expect(page.getByText('The times in this file have no day. Which day is it?')).toBeVisible();
  await expect(preview).toBeDisabled();
  await expectAccessible('the question for the day');
  await page.getByLabel('Day of the file').fill('2026-03-05');
  await expect(preview).toBeEnabled();
  await page.getByLabel('Time zone of the file').fill('New York');
  await page.getByRole('option', { name: 'America/New York' }).click();
  await expect(preview).toBeEnabled();
  await preview.click();
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(figure(page, 'Fills added')).toHaveText('2');
  const fills = await api<{ executed_at: string }[]>('GET', '/executions');
  expect(fills.map((f) => f.executed_at)).toContain('2026-03-05T19:31:00Z');
});

test('a file without a side is read as buys or sells', async ({ page, api, signIn }) => {
  await signIn('/import');
  await chooseFile(page, 'buys.csv', plain.replace('Side,', '').replaceAll(/buy,|sell,/g, ''));
  await expect(page.getByText(/doesn’t show which rows are buys/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Preview import' })).toBeDisabled();
  await page.getByLabel('Side', { exact: true }).selectOption('Every row is a buy');
  await page.getByRole('button', { name: 'Preview import' }).click();
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(figure(page, 'Fills added')).toHaveText('2');
  const fills = await api<{ side: string }[]>('GET', '/executions');
  expect(fills.map((f) => f.side)).toEqual(['buy', 'buy']);
});

test('every server target can be mapped', async ({ page, api, signIn }) => {
  await signIn('/import');
  await chooseFile(
    page,
    'notes.csv',
    plain.replace(head, `${head},Thoughts`).replace('31:00Z', '31:00Z,patient'),
  );
  await page.getByRole('button', { name: 'More fields' }).click();
  const form = new FormData();
  form.set('account_id', await mainAccount(api));
  form.set('file', new File([plain], 'plain.csv'));
  const { mapping_targets: targets } = await api<{ mapping_targets: { label: string }[] }>(
    'POST',
    '/imports',
    form,
  );
  expect(targets.length).toBeGreaterThan(21);
  const fields = page.getByRole('region', { name: /^Columns: / });
  for (const { label } of targets) await expect(fields.getByLabel(label, { exact: true })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Columns: Annotations' }).getByLabel('Notes')).toBeVisible();
});

test('an import is retried when the server is busy', async ({ page, signIn }) => {
  await signIn('/import');
  let busy = true;
  const answer = (path: string) =>
    page.route(path, (route) =>
      busy
        ? route.fulfill({
            status: 503,
            headers: { 'Retry-After': '1' },
            json: {
              error: { code: 'unavailable', message: 'Other files are being read. Try again in a moment.' },
            },
          })
        : route.fallback(),
    );
  await answer('**/api/v1/imports');
  await page
    .getByLabel(/Drop a statement/)
    .setInputFiles({ name: 'plain.csv', mimeType: 'text/csv', buffer: Buffer.from(plain) });
  await expect(page.getByRole('alert')).toHaveText('Other files are being read. Try again in a moment.');
  busy = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Preview import' }).click();
  busy = true;
  await answer('**/api/v1/imports/commit');
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(page.getByRole('alert')).toHaveText('Other files are being read. Try again in a moment.');
  busy = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(figure(page, 'Fills added')).toHaveText('2');
});

// A broker's export with two words for kinds of rows that are not known.
const unknownWords = `Activity Date,Process Date,Settle Date,Instrument,Description,Trans Code,Quantity,Price,Amount
1/5/2026,1/5/2026,1/6/2026,AAPL,Apple,Buy,10,$100.00,"($1,000.00)"
1/6/2026,1/6/2026,1/7/2026,AAPL,Apple,Sell,10,$110.00,"$1,100.00"
1/7/2026,1/7/2026,1/7/2026,,First,ZORP,,,$5.00
1/8/2026,1/8/2026,1/8/2026,,Second,Zorp,,,$6.00
1/9/2026,1/9/2026,1/9/2026,,Third,BLIP,,,($1.00)
`;

test('unknown row kinds are asked for, remembered and forgotten', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/import');
  await chooseFile(page, 'activity.csv', unknownWords);
  const unknown = page.getByRole('region', { name: 'Unknown rows' });
  await expect(unknown.getByLabel('“ZORP” (2 rows)')).toHaveValue('');
  await expect(figure(page, 'Cash rows')).toBeHidden();
  await unknown.getByLabel('“ZORP” (2 rows)').selectOption('Interest');
  await expect(figure(page, 'Cash rows')).toHaveText('2');
  await expectAccessible('unknown kinds of rows');
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();
  const cash = await api<{ type: string }[]>('GET', '/cash-transactions');
  expect(cash.map((c) => c.type)).toEqual(['interest', 'interest']);

  await page.getByRole('link', { name: 'Import another' }).click();
  await expect(page.getByRole('row', { name: /zorp Interest/ })).toBeVisible();
  await expectAccessible('remembered words');
  await page.getByRole('button', { name: 'Forget zorp' }).click();
  await expect(page.getByText('Remembered words')).toBeHidden();
  expect(await api<unknown[]>('GET', '/imports/kinds')).toEqual([]);
});

// A broker that says how many shares a split added, and a sale without a purchase.
const withSplit = `"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"
"06/13/2024","Sell","ELMS","ELMS CO","40","$12.00","","$480.00"
"06/12/2024","Sell","FIRS","FIRS CO","30","$11.00","","$330.00"
"06/10/2024","Stock Split","FIRS","FIRS CO","36","","",""
"06/03/2024","Buy","FIRS","FIRS CO","4","$100.00","","-$400.00"
`;

test('a file with a split: what will be recorded, and the choice to leave it out', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/import');
  await chooseFile(page, 'schwab.csv', withSplit);
  const actions = page.getByRole('region', { name: 'Corporate actions in the file' });
  await expect(actions.getByRole('listitem')).toHaveText(/FIRS.*10-for-1 split.*row 3.*Will be recorded/);
  const sales = page.getByRole('region', { name: 'Sales without a purchase' });
  await expect(sales.getByRole('listitem')).toHaveText(/ELMS.*40 at 12\.00.*row 1/);
  await expectAccessible('a preview with a split and a sale without a purchase');
  await actions.getByLabel('Record it with the import').uncheck();
  await expect(actions.getByRole('listitem')).toHaveText(/Left out/);
  await page.getByRole('button', { name: 'Import 3 fills' }).click();
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();
  expect(await api<unknown[]>('GET', '/corporate-actions')).toEqual([]);

  await page.getByRole('button', { name: 'Undo import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
  await expect(page.getByText('Import undone.')).toBeVisible();
  await page.goto('/import');
  await chooseFile(page, 'schwab.csv', withSplit);
  await expect(actions.getByLabel('Record it with the import')).toBeChecked();
  await page.getByRole('button', { name: 'Import 3 fills' }).click();
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();
  expect(await api<{ ratio_new: number }[]>('GET', '/corporate-actions')).toMatchObject([{ ratio_new: 10 }]);

  await sales.getByRole('link', { name: 'Positions' }).click();
  const list = page.getByRole('list', { name: 'Positions to check' });
  await expect(list.getByRole('listitem')).toHaveText(/ELMS.*Sold 40 more than you held/);
  await list.getByRole('button', { name: 'ELMS: Add opening position' }).click();
  await expect(list).toBeHidden();
  await expect
    .poll(() => api<{ symbol: string }[]>('GET', '/trades?status=open'))
    .toMatchObject([{ symbol: 'FIRS' }]);
});
