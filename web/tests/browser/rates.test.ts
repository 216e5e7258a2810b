import { expect, mainAccount, test, type Api } from './fixtures';
import { expectFitsPhone } from './phone';

const isoDay = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

async function openPosition(api: Api, account: string, symbol: string, mark: number) {
  const fill = {
    account_id: account,
    symbol,
    instrument_type: 'crypto',
    side: 'buy',
    quantity: 2,
    price: 100,
  };
  const executed_at = new Date(Date.now() - 60_000).toISOString();
  const { trade_id } = await api<{ trade_id: string }>('POST', '/executions', { ...fill, executed_at });
  await api('PUT', `/positions/${trade_id}/mark`, { price: mark });
}

async function importRates(api: Api) {
  const form = new FormData();
  const csv = `Date,USD,GBP,\n${isoDay(1)},1.25,0.8,\n`;
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'eurofxref-hist.csv');
  await api('POST', '/bars/imports/commit', form);
}

test('totals of positions in several currencies', async ({ page, api, signIn, expectAccessible }) => {
  await openPosition(api, await mainAccount(api), 'BTCUSD', 110);
  const euro = await api<{ id: string }>('POST', '/accounts', { name: 'Euro', base_currency: 'EUR' });
  await openPosition(api, euro.id, 'BTCEUR', 95);
  await signIn();
  const totals = page.getByRole('table', { name: 'Totals of open positions' });
  await expect(totals.getByRole('row', { name: /^USD/ })).toContainText('20.00');
  await expect(totals.getByRole('row', { name: /^EUR/ })).toContainText('10.00');

  const choice = page.getByLabel('Total in');
  await choice.selectOption('EUR');
  await expect(page.getByText(/No rate for USD in the last seven days/)).toBeVisible();
  await expect(totals.getByRole('row', { name: /^All in/ })).toHaveCount(0);
  await expectAccessible('totals without a rate');

  await importRates(api);
  await page.reload();
  // 20 USD are 16 EUR; 16 − 10 = 6.
  await expect(totals.getByRole('row', { name: /^All in EUR/ })).toContainText('6.00');
  await expect(page.getByText(/1 USD = 0\.8 EUR, .+\(European Central Bank\)/)).toBeVisible();
  await expectAccessible('totals in one currency');
  await expectFitsPhone(page, 'totals in one currency');
  await choice.selectOption('');
  await expect(totals.getByRole('row', { name: /^All in/ })).toHaveCount(0);
});

test('positions: result, risk and distance to the stop, by underlying, with a typed price', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  await openPosition(api, account, 'BTCUSD', 110);
  await openPosition(api, account, 'ETHUSD', 95);
  const [eth] = await api<{ trade_id: string }[]>('GET', '/positions?symbol=ETHUSD');
  await api('PATCH', `/trades/${eth!.trade_id}`, { stop_price: 90 });

  await signIn('/');
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  const table = page.getByRole('region', { name: 'Open positions' });
  await expect(table.getByRole('row', { name: /ETHUSD/ })).toContainText('5.00 (5.26%)');
  await expect(table.locator('tfoot')).toContainText('10.00');

  // Click, price, Enter: the result follows, and Undo brings the old price back.
  await page.getByRole('button', { name: /^Price of ETHUSD/ }).click();
  await page.getByLabel('Last price').fill('89');
  await page.keyboard.press('Enter');
  await expect(table.getByRole('row', { name: /ETHUSD/ })).toContainText('−1.00');
  await expect(table.locator('tfoot')).toContainText('−$2.00');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(table.locator('tfoot')).toContainText('+$10.00');

  await page.getByRole('button', { name: 'Unrealized' }).click();
  await expect(table.locator('tbody tr').first()).toContainText('BTCUSD');
  await page.getByRole('radio', { name: 'By underlying' }).check({ force: true });
  await expect(table.locator('tbody tr')).toHaveCount(4);
  await expectAccessible('positions by underlying');
  await expectFitsPhone(page, 'positions by underlying');

  await page.getByRole('heading', { name: 'Positions' }).click(); // Enter on the choice would not open a row
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: /BTCUSD/ })).toBeVisible();
});
