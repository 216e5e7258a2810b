import { expect, mainAccount, test } from './fixtures';
import { expectFitsPhone } from './phone';

test('Today shows what arrived since the last visit', async ({ page, api, signIn, expectAccessible }) => {
  const account = await mainAccount(api);
  const hook = await api<{ url: string; secret: string }>('POST', '/hooks', {
    account_id: account,
    name: 'Alerts',
  });
  const send = (body: unknown) =>
    fetch(`${hook.url}?secret=${hook.secret}`, { method: 'POST', body: JSON.stringify(body) });
  const fill = (symbol: string, side: string, price: number, minute: string) => ({
    symbol,
    side,
    quantity: 10,
    price,
    executed_at: `2026-03-02T15:${minute}:00Z`,
  });
  await signIn('/');
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  await expect(page.getByText('Since your last visit')).toBeHidden();

  await send([fill('AAPL', 'buy', 100, '00'), fill('AAPL', 'sell', 131.2, '10')]);
  await send([1]);
  await page.reload();
  const card = page
    .locator('section.card')
    .filter({ has: page.getByRole('heading', { name: 'Since your last visit' }) });
  const arrived = card.getByRole('listitem').filter({ hasText: '2 fills' });
  await expect(arrived).toContainText('2 fills, 1 trade closed, 1 to review');
  await expect(arrived).toContainText('+$312.00');
  await expect(card.getByRole('listitem').filter({ hasText: 'Needs attention' })).toContainText(
    '1 fill was not stored.',
  );
  await expectAccessible('what arrived');
  await expectFitsPhone(page, 'what arrived');
  await page.getByRole('button', { name: 'Hide amounts' }).click();
  await expect(arrived).not.toContainText('312');
  await page.getByRole('button', { name: 'Hide amounts' }).click();

  // The problem is an alert as well: dismissing it here marks it as read below the bell.
  interface Notice {
    kind: string;
    id: string | null;
  }
  const problem = async () => (await api<Notice[]>('GET', '/notices')).find((n) => n.kind === 'problem');
  await expect.poll(async () => (await problem())?.id).toBeTruthy();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Alerts, 1 unread' })).toBeVisible();
  await card.getByRole('button', { name: 'Dismiss' }).click();
  await expect(card).toBeHidden();
  await expect(page.getByRole('button', { name: 'Alerts', exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  await expect(card).toBeHidden();
  await send([fill('MSFT', 'buy', 100, '00')]);
  await page.reload();
  await expect(card.getByRole('listitem')).toHaveCount(1);
  await expect(card).toContainText('1 fill');
  await arrived.or(card.getByRole('listitem')).first().getByRole('link', { name: 'Alerts' }).click();
  await expect(page).toHaveURL(/\/import\//);
});
