import { importBars } from './bars';
import { expect, mainAccount, test, type Api } from './fixtures';
import { expectFitsPhone } from './phone';

async function trade(api: Api, symbol: string) {
  const account_id = await mainAccount(api);
  const fill = (side: string, quantity: number, price: number, executed_at: string) =>
    api<{ trade_id: string }>('POST', '/executions', {
      account_id,
      symbol,
      side,
      quantity,
      price,
      executed_at,
    });
  const { trade_id } = await fill('buy', 10, 1200, '2024-06-03T15:00:00Z');
  await fill('sell', 40, 130, '2024-06-18T15:00:00Z');
  return trade_id;
}

test('a split: what it would change, the trade after it, and undo', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const id = await trade(api, 'SPLT');
  await signIn('/accounts');
  await page.getByRole('link', { name: 'Corporate actions' }).click();
  await page.getByRole('button', { name: 'Record an action' }).first().click();
  const form = page.getByRole('dialog', { name: 'Record a corporate action' });
  await form.getByLabel('Symbol', { exact: true }).fill('splt');
  await form.getByLabel('New shares').fill('10');
  await form.getByLabel('Effective on').fill('2024-06-10');
  const effects = form.getByRole('table', { name: 'Trades that change' });
  await expect(effects.getByRole('row', { name: /10 at 1,200\.00/ })).toContainText('100 at 120.00');
  await expect(effects.getByRole('row', { name: /10 at 1,200\.00/ })).toContainText('60 open');
  await expectAccessible('the effects of a split');
  await expectFitsPhone(page, 'the effects of a split');
  await form.getByRole('button', { name: 'Record' }).click();

  const list = page.getByRole('table', { name: 'Corporate actions' });
  await expect(list.getByRole('row', { name: /SPLT/ })).toContainText('10-for-1 split');
  await expect(page.getByText('SPLT: 10-for-1 split recorded.')).toBeVisible();
  await expectAccessible('corporate actions');
  await expectFitsPhone(page, 'corporate actions');

  const fills = async () =>
    (await api<{ fills: { adjusted_quantity: number | null }[] }>('GET', `/trades/${id}`)).fills;
  expect((await fills())[0]?.adjusted_quantity).toBe(100);
  await list.getByRole('link', { name: 'SPLT' }).click();
  await page.getByRole('row', { name: /SPLT/ }).first().click();
  await expect(page.getByText('100 at 120.00')).toBeVisible();

  await page.goBack();
  await page.goBack();
  await list.getByRole('button', { name: /^Actions for SPLT/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByText('No corporate actions yet')).toBeVisible();
  expect((await fills())[0]?.adjusted_quantity).toBeNull();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(list.getByRole('row', { name: /SPLT/ })).toContainText('10-for-1 split');
});

test('a position that lacks a split is repaired in one click', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const account_id = await mainAccount(api);
  const fill = { account_id, symbol: 'SPLT' };
  const buy = { side: 'buy', quantity: 10, price: 120, executed_at: '2026-01-02T15:00:00Z' };
  const sell = { side: 'sell', quantity: 30, price: 45, executed_at: '2026-01-06T15:00:00Z' };
  await api('POST', '/executions', { ...fill, ...buy });
  await api('POST', '/executions', { ...fill, ...sell });
  await signIn('/positions');
  const list = page.getByRole('list', { name: 'Positions to check' });
  await expect(list).toContainText('Traded 20 more than you held');
  await expectAccessible('positions to check');
  await expectFitsPhone(page, 'positions to check');
  await list.getByRole('button', { name: 'SPLT: Record 3-for-1 split' }).click();
  await expect(list).toHaveCount(0);
  const [trade] = await api<{ qty_opened: number; status: string }[]>('GET', '/trades?symbol=SPLT');
  expect(trade).toMatchObject({ qty_opened: 30, status: 'closed' });
});

test('the chart of a trade shows a split on its time axis and fills at adjusted prices', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const id = await trade(api, 'SPLT');
  const split = { kind: 'split', symbol: 'SPLT', ratio_new: 10, effective_on: '2024-06-10' };
  await api('POST', '/corporate-actions', split);
  const days = ['time,open,high,low,close'];
  for (let at = Date.parse('2024-05-30T13:30:00Z') / 1000; days.length < 30; at += 86_400)
    if (![0, 6].includes(new Date(at * 1000).getUTCDay())) days.push(`${at},122,132,118,125`);
  await importBars(api, 'SPLT', days.join('\n'));

  await signIn(`/trades?trade=${id}`);
  const events = page.getByRole('list', { name: 'Notes and corporate actions' });
  await expect(events.getByRole('listitem')).toContainText('10-for-1 split');
  await expect(events.getByRole('link')).toHaveAttribute('href', '/corporate-actions');
  await expect(page.getByText('Fills before a split are drawn at prices adjusted for it')).toBeVisible();
  await expect(page.getByText(/outside (its|their) bar/)).toHaveCount(0);
  await expectAccessible('the chart of a trade with a split');
});
