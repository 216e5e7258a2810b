import { countActions } from './actions';
import { expect, mainAccount, test } from './fixtures';
import { expectFitsPhone } from './phone';

const fill = (symbol: string, side: string, minute: string) => ({
  symbol,
  side,
  quantity: 10,
  price: 100,
  executed_at: `2026-03-02T15:${minute}:00Z`,
});

/** Sends a body to a webhook's address, as TradingView does. */
async function send(url: string, body: string): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body });
  expect(response.status).toBe(202);
  return response.json();
}

test('a program sends fills to a webhook', async ({ page, api, signIn, expectAccessible }) => {
  await mainAccount(api);
  await signIn('/connections');
  await expect(page.getByText('No webhooks yet')).toBeVisible();
  const actions = countActions(page);
  await actions.click(page.getByRole('button', { name: 'Add webhook' }));
  await actions.type(page.getByLabel('Name'), 'Alerts');
  await actions.click(page.getByRole('button', { name: 'Create webhook' }));
  expect(actions.count).toBe(3);
  const dialog = page.getByRole('dialog', { name: 'Webhook Alerts' });
  await expect(dialog.getByText(/^svc_hook_/)).toBeVisible();
  await dialog.getByText('Set up a TradingView alert').click();
  await expect(dialog.getByText(/"symbol":"{{ticker}}"/)).toBeVisible();
  await expectAccessible('a new webhook');
  await expectFitsPhone(page, 'a new webhook');
  const url = await dialog.getByRole('textbox', { name: 'Webhook URL' }).inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();

  const fills = JSON.stringify([fill('AAPL', 'buy', '00'), fill('AAPL', 'sell', '10')]);
  expect(await send(url, fills)).toEqual({ accepted: 2, skipped: 0, quarantined: 0 });
  expect(await send(url, '{{ticker}} bought')).toEqual({ accepted: 0, skipped: 0, quarantined: 1 });
  expect(await send(url, '[1, 2]')).toEqual({ accepted: 0, skipped: 0, quarantined: 2 });
  await page.reload();
  await expect(page.getByText('2 not stored', { exact: true })).toBeVisible(); // of the last delivery
  await page.getByRole('button', { name: '3 not stored by Alerts' }).click();
  const bad = page.getByRole('listitem').filter({ hasText: '{{ticker}} bought' }).last();
  await expect(bad.getByText('The body is not valid JSON.')).toBeVisible();
  await expectAccessible('a quarantine');
  await expectFitsPhone(page, 'a quarantine');
  await bad.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('It still can’t be stored.')).toBeVisible();
  await bad.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('{{ticker}} bought')).toBeHidden();
  await expect(page.getByRole('button', { name: '2 not stored by Alerts' })).toBeVisible();
  expect(await api<unknown[]>('GET', '/trades')).toHaveLength(1);
});

test('a webhook gets a new secret, and is deleted', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const hook = await api<{ url: string; secret: string }>('POST', '/hooks', {
    account_id: account,
    name: 'Advisor',
  });
  await signIn('/connections');
  await page.getByRole('button', { name: 'Menu of Advisor' }).click();
  await page.getByRole('menuitem', { name: 'New secret…' }).click();
  await page.getByRole('button', { name: 'Create new secret' }).click();
  const secret = page.getByRole('dialog', { name: 'Webhook Advisor' }).getByText(/^svc_hook_/);
  await expect(secret).toBeVisible();
  expect(await secret.textContent()).not.toBe(hook.secret);
  await page.getByRole('button', { name: 'Done' }).click();
  const refused = await fetch(`${hook.url}?secret=${hook.secret}`, { method: 'POST', body: '{}' });
  expect(refused.status).toBe(404);

  await page.getByRole('button', { name: 'Menu of Advisor' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('No webhooks yet')).toBeVisible();
});
