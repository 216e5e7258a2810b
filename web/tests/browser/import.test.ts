import type { Page } from '@playwright/test';
import { canary, expect, expectInert, mainAccount, test } from './fixtures';

// A statement as MetaTrader 4 saves it: a deposit and three closed tickets, with its own totals.
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

// Columns that nobody knows, dates that can be read two ways, one row that is broken.
const odd = `When,What,Way,How much,At,Cost,Remark
05/03/2026 09:31,AAPL,buy,100,212.40,1.00,${canary.replaceAll('"', '')}
05/03/2026 10:12,AAPL,sell,100,214.10,1.00,
06/03/2026 09:45,MSFT,buy,50,401.25,1.00,
06/03/2026 11:02,MSFT,sell,50,399.80,1.00,
06/03/2026 11:30,NVDA,sell,many,120.00,1.00,
`;

// One column is missing a name that says what it is.
const half = `Symbol,Side,Quantity,At,Executed At
AAPL,buy,10,212.40,2026-03-05T14:31:00Z
AAPL,sell,10,214.10,2026-03-05T15:12:00Z
`;

async function give(page: Page, name: string, text: string) {
  await page
    .getByLabel(/Drop a statement/)
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
  await expect(page.getByRole('heading', { name: 'What was understood' })).toBeVisible();
}

const figure = (page: Page, label: string) =>
  page
    .locator('dl')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) })
    .locator('dd.value');

test('a MetaTrader statement: understood, planned, imported, found again, reversed', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/import');
  await expect(page.getByText('Nothing imported yet')).toBeVisible();
  await expectAccessible('import, empty');
  await give(page, 'Statement.htm', statement);
  await expect(page.getByText('MetaTrader 4', { exact: true })).toBeVisible();
  await expect(page.getByText(/Because rows are tickets/)).toBeVisible();
  await expect(page.getByLabel('Times in the file are of')).toHaveValue('Europe/Athens');
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await expect(figure(page, 'New fills')).toHaveText('6');
  await expect(figure(page, 'Duplicates')).toHaveText('0');
  await expect(figure(page, 'Cash rows')).toHaveText('1');
  await expect(page.getByRole('row', { name: /Closed P&L.*31\.60.*31\.60.*agrees/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /GBPUSD.*Short.*−.*42\.00/ })).toBeVisible();
  expect(await api<unknown[]>('GET', '/trades'), 'nothing is written before the commit').toEqual([]);

  await page.getByRole('button', { name: 'Import 6 fills' }).click();
  await expect(page.getByRole('heading', { name: 'Receipt' })).toBeVisible();
  await expect(page).toHaveURL(/\/import\/[0-9a-f-]{36}$/);
  await expect(figure(page, 'Fills added')).toHaveText('6');
  await expect(figure(page, 'Trades made or changed')).toHaveText('3');
  expect(await api<unknown[]>('GET', '/trades')).toHaveLength(3);
  await expectAccessible('receipt');

  await page.getByRole('link', { name: 'Import another' }).click();
  await expect(page.getByRole('link', { name: 'Statement.htm' })).toBeVisible();
  await give(page, 'Statement again.htm', statement);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await expect(figure(page, 'New fills')).toHaveText('0');
  await expect(figure(page, 'Duplicates')).toHaveText('6');
  await page.getByRole('button', { name: 'File', exact: true }).click();

  await page.getByRole('link', { name: 'Statement.htm' }).click();
  await page.getByRole('button', { name: 'Reverse' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reverse import' }).click();
  await expect(page.getByText('Reversed', { exact: true })).toBeVisible();
  expect(await api<unknown[]>('GET', '/trades')).toEqual([]);
  expect(await api<unknown[]>('GET', '/cash-transactions')).toEqual([]);
});

test('an unknown table: columns and the order of dates are asked', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/import');
  await give(page, `odd ${canary}.csv`, odd);
  await expect(page.getByText('An unknown table')).toBeVisible();
  const plan = page.getByRole('button', { name: 'Show the plan' });
  await expect(plan).toBeDisabled();
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
  await expect(page.getByText('Is 05/03 the fifth of March or the third of May?')).toBeVisible();
  await expect(plan).toBeDisabled();
  await page.getByRole('radio', { name: 'Day, 31/12' }).check();
  await expect(plan).toBeEnabled();
  await plan.click();

  await expect(figure(page, 'New fills')).toHaveText('4');
  await expect(figure(page, 'Problem rows')).toHaveText('1');
  await expect(page.getByText(/"many" is not a number/)).toBeVisible();
  const go = page.getByRole('button', { name: 'Import 4 fills' });
  await expect(go, 'the zone was assumed, so it is asked').toBeDisabled();
  await page.getByRole('button', { name: 'No, change it' }).click();
  await page.getByLabel('Times in the file are of').fill('New York');
  await page.getByRole('option', { name: 'America/New York' }).click();
  await expect(plan).toBeEnabled();
  await plan.click();
  await expect(go).toBeEnabled();
  await go.click();
  await expect(figure(page, 'Fills added')).toHaveText('4');
  await expect(page.getByText('Rows that stayed out')).toBeVisible();
  await expect(page.getByText('America/New_York')).toBeVisible();
  const fills = await api<{ executed_at: string }[]>('GET', '/executions');
  expect(fills.map((f) => f.executed_at)).toContain('2026-03-05T14:31:00Z');
  await expectInert(page);
  await expectAccessible('receipt of an unknown table');
});

test('an import that was left open is finished with the same file only', async ({ page, api, signIn }) => {
  await signIn('/import');
  const account = await mainAccount(api);
  const form = new FormData();
  form.set('account_id', account);
  form.set('file', new File([half], 'half.csv'));
  await expect(api('POST', '/imports/commit', form), 'the price is missing').rejects.toThrow(/ 400 /);

  await page.reload();
  await page.getByRole('link', { name: 'half.csv' }).click();
  await expect(page.getByText('Not finished')).toBeVisible();
  await page.getByRole('link', { name: 'Finish with the same file' }).click();
  await expect(page.getByRole('heading', { name: 'Finish an import' })).toBeVisible();
  await give(page, 'Statement.htm', statement);
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: 'Import 6 fills' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  expect(await api<unknown[]>('GET', '/executions'), 'another file is refused').toEqual([]);

  await page.getByRole('button', { name: 'File', exact: true }).click();
  await give(page, 'half.csv', half);
  await page.getByLabel('Price', { exact: true }).selectOption('At');
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(figure(page, 'Fills added')).toHaveText('2');
  expect(await api<unknown[]>('GET', '/imports'), 'it is the batch that waited').toHaveLength(1);
});
