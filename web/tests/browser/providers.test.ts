import type { Page } from '@playwright/test';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { countActions } from './actions';
import { expect, mainAccount, test, trade } from './fixtures';
import { expectFitsPhone } from './phone';

const day = '2026-03-02';

/** The requests that reached the provider, without their queries. */
const requests: string[] = [];

/** Answers as Alpaca and Databento do. The key "wrong" is refused. */
function answer(request: IncomingMessage): [status: number, body: string] {
  const url = new URL(request.url!, 'http://provider.example');
  requests.push(url.pathname);
  if (url.pathname === '/v0/metadata.get_cost') return [200, '0.1234'];
  if (url.pathname !== '/v2/stocks/bars') return [503, '{}'];
  if (request.headers['apca-api-secret-key'] === 'wrong') return [403, '{"message":"forbidden."}'];
  const symbol = url.searchParams.get('symbols')!;
  const [from, to] = [Date.parse(url.searchParams.get('start')!), Date.parse(url.searchParams.get('end')!)];
  const bars = [];
  for (let i = 0; i < 390; i++) {
    const at = Date.parse(`${day}T14:30:00Z`) + i * 60_000;
    if (at >= from && at < to)
      bars.push({ t: new Date(at).toISOString(), o: 200, h: 203.5, l: 199.5, c: 201, v: 10, n: 1, vw: 200 });
  }
  return [200, JSON.stringify({ bars: { [symbol]: bars }, next_page_token: null })];
}

function startProvider(): Promise<Server> {
  const server = createServer((request, response) => {
    const [status, body] = answer(request);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const cardOf = (page: Page) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Price providers' }) });

test.describe('with outbound requests', () => {
  test.use({
    env: async ({}, use) => {
      const provider = await startProvider();
      const to = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
      await use({ SVC_OUTBOUND: 'true', SVC_OUTBOUND_ENDPOINTS: `alpaca=${to},databento=${to}` });
      provider.close();
    },
  });

  test('trade prices come from a provider', async ({ page, api, signIn, expectAccessible }) => {
    await trade(api, await mainAccount(api), 'AAPL', day, 200, 202);
    await signIn('/prices');
    const card = cardOf(page);
    const actions = countActions(page);
    await actions.click(card.getByRole('button', { name: 'Add provider' }));
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText(/Sizes, prices and results stay on this server/)).toBeVisible();
    await expectAccessible('a new price provider');
    await dialog.getByLabel('Provider').selectOption('alpaca');
    await expect(dialog.getByText(/data\.alpaca\.markets/)).toBeVisible();
    await expect(dialog.getByLabel('Feed')).toContainText('All US exchanges (SIP)');
    await actions.type(dialog.getByLabel('API key ID'), 'PK1');
    await actions.type(dialog.getByLabel('Secret key'), 'wrong');
    await actions.click(dialog.getByRole('button', { name: 'Add provider' }));
    expect(actions.count).toBe(4); // and the choice of another provider
    await expect(card.getByText('Needs attention')).toBeVisible();
    await expect(card.getByText(/Alpaca doesn't accept the key/)).toBeVisible();

    await card.getByRole('button', { name: 'Menu of Alpaca' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await expect(dialog.getByLabel('Secret key')).toHaveValue('');
    await expect(dialog.getByLabel('Feed')).toHaveCount(0); // the stored one is unknown to the page
    await dialog.getByLabel('API key ID').fill('PK1');
    await expect(dialog.getByLabel('Feed')).toBeVisible();
    await dialog.getByLabel('Secret key').fill('right');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(card.getByText('Up to date')).toBeVisible();
    await expect(page.getByRole('row', { name: /AAPL 1m/ })).toContainText('390');
    await expect(page.getByRole('button', { name: 'Undo the import of Alpaca' })).toBeVisible();
    await expectAccessible('price providers');
    await expectFitsPhone(page, 'price providers');

    await card.getByRole('button', { name: 'Menu of Alpaca' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(card.getByText('You choose the provider')).toBeVisible();
    await expect(page.getByRole('row', { name: /AAPL 1m/ })).toBeVisible();
  });

  test('nothing is bought before its price is accepted', async ({ page, api, signIn, expectAccessible }) => {
    const account = await mainAccount(api);
    const fill = { account_id: account, symbol: 'ESH6', instrument_type: 'future', quantity: 1 };
    await api('POST', '/executions', { ...fill, side: 'buy', price: 6000, executed_at: `${day}T15:00:00Z` });
    await api('POST', '/executions', { ...fill, side: 'sell', price: 6001, executed_at: `${day}T15:10:00Z` });
    await api('POST', '/bars/sources', { provider: 'databento', credentials: { api_key: 'db-1' } });
    requests.length = 0;
    await signIn('/prices');
    await page.getByRole('button', { name: 'Buy prices…' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText(/3 days of 1 symbol: 0\.1234 USD/)).toBeVisible();
    await expectAccessible('the price of prices');
    expect(new Set(requests)).toEqual(new Set(['/v0/metadata.get_cost']));
    await dialog.getByRole('button', { name: 'Buy for 0.1234 USD' }).click();
    await expect(page.getByText(/Databento doesn't answer/)).toBeVisible();
    expect(requests).toContain('/v0/timeseries.get_range');
  });
});

test('without outbound requests a user adds files or asks the operator', async ({ page, signIn }) => {
  await signIn('/prices');
  const card = cardOf(page);
  await expect(card.getByText(/the person who\s+runs this server sets\s+SVC_OUTBOUND=true/)).toBeVisible();
  await expect(card.getByRole('button')).toHaveCount(0);
});

test.describe('for the owner', () => {
  test.use({ alone: true });

  test('without outbound requests the card says how to allow them', async ({
    page,
    signIn,
    expectAccessible,
  }) => {
    await signIn('/prices');
    const card = cardOf(page);
    await expect(card.getByText(/set SVC_OUTBOUND=true and restart the server/)).toBeVisible();
    await expect(card.getByRole('button')).toHaveCount(0);
    await expectAccessible('price providers that are off');
    await expectFitsPhone(page, 'price providers that are off');
    await card.getByRole('link', { name: 'Read more' }).click();
    await expect(page.getByRole('heading', { name: 'Get prices from a provider' })).toBeInViewport();
  });
});
