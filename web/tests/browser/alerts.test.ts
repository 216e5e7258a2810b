// Alerts: the bell, the settings, and channels that send to a receiver in the test.

import { createServer, type IncomingHttpHeaders, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHmac } from 'node:crypto';
import { expect, mainAccount, test as base } from './fixtures';
import { expectFitsPhone, phone } from './phone';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver of webhooks on this computer. */
class Receiver {
  readonly received: Received[] = [];
  status = 200;
  private constructor(private readonly server: HttpServer) {}

  static async start(): Promise<Receiver> {
    const receiver: Receiver = new Receiver(
      createServer((request, response) => {
        let body = '';
        request.on('data', (text) => (body += text));
        request.on('end', () => {
          receiver.received.push({ headers: request.headers, body });
          response.writeHead(receiver.status).end();
        });
      }),
    );
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
  }
}

/** The receiver, which the server may reach: it refuses other addresses of private networks. */
const test = base.extend<{ receiver: Receiver }>({
  receiver: async ({}, use) => {
    const receiver = await Receiver.start();
    await use(receiver);
    receiver.stop();
  },
  env: async ({ receiver }, use) =>
    use({ SVC_OUTBOUND: 'true', SVC_OUTBOUND_PRIVATE: receiver.address, SVC_PUBLIC_URL: 'http://127.0.0.1' }),
});

/** Reports whether a request is signed with a secret, as the guide describes it. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const want = `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(want);
}

test('a channel is added, tested, gets a broken rule, and its secret is replaced', async ({
  page,
  api,
  signIn,
  receiver,
  expectAccessible,
}) => {
  const account = await mainAccount(api);
  await api('POST', '/trading-rules', { kind: 'max_trades', params: { n: 1 }, valid_from: '2020-01-01' });
  await signIn('/settings/channels');
  await expect(page.getByText('No channels yet')).toBeVisible();

  await page.getByRole('button', { name: 'Add channel' }).click();
  const dialog = page.getByRole('dialog', { name: 'New channel' });
  await expect(dialog.getByText('Not set up on this server: Email.')).toBeVisible();
  await dialog.getByLabel('Kind').selectOption({ label: 'Telegram' });
  await expect(dialog.getByLabel('Chat ID')).toBeVisible();
  await dialog.getByLabel('Kind').selectOption({ label: 'Webhook' });
  await dialog.getByLabel('Name').fill('My script');
  await dialog.getByLabel('URL').fill(`http://${receiver.address}/fillbook`);
  await expectAccessible('a new channel');
  await expectFitsPhone(page, 'a new channel');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  const shown = page.getByRole('dialog', { name: 'Secret of My script' });
  const secret = (await shown.getByText(/^whsec_/).textContent())!;
  await expectAccessible('the secret of a channel');
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('127.0.0.1').first()).toBeVisible();
  await expect(page.getByText(secret)).toHaveCount(0);

  await page.getByRole('button', { name: 'Test My script' }).click();
  await expect(page.getByText('My script received the test.')).toBeVisible();
  expect(receiver.received).toHaveLength(1);
  expect(isSigned(receiver.received[0]!, secret)).toBe(true);
  receiver.status = 500;
  await page.getByRole('button', { name: 'Test My script' }).click();
  await expect(page.getByText(/My script did not receive the test: /)).toBeVisible();
  receiver.status = 200;
  await page.getByRole('button', { name: 'Deliveries of My script' }).click();
  const log = page.getByRole('table', { name: 'Deliveries of My script' });
  await expect(log.getByText('Delivered')).toBeVisible();
  await expect(log.getByText('HTTP 500')).toBeVisible();
  await expectAccessible('channels');
  await expectFitsPhone(page, 'channels');

  // Broken rules go there, and only these.
  await page.getByRole('link', { name: 'Alerts', exact: true }).first().click();
  const broken = page.getByLabel('Channels for Rule broken');
  await broken.fill('My');
  await page.getByRole('option', { name: 'My script' }).click();
  await expect(page.getByRole('button', { name: 'Remove My script' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('switch', { name: 'New device' }).click();
  await page.getByRole('switch', { name: 'Quiet hours' }).click();
  await expect(page.getByLabel('From')).toHaveValue('22:00');
  await page.getByRole('switch', { name: 'Quiet hours' }).click();
  await expect(page.getByLabel('From')).toBeHidden();
  await page.getByLabel('Messages in an hour').fill('30');
  await page.getByLabel('Messages in an hour').blur();
  const stored = () =>
    api<{ max_per_hour: number | null; kinds: Record<string, { enabled: boolean; channels: string[] }> }>(
      'GET',
      '/alert-settings',
    );
  await expect.poll(async () => (await stored()).max_per_hour).toBe(30);
  const { kinds } = await stored();
  expect(kinds.rule_broken!.channels).toHaveLength(1);
  expect(kinds.signed_in_new_device!.enabled).toBe(false);
  await expectAccessible('the settings of alerts');
  await expectFitsPhone(page, 'the settings of alerts');

  for (const symbol of ['AAPL', 'MSFT'])
    for (const side of ['buy', 'sell'])
      await api('POST', '/executions', {
        account_id: account,
        symbol,
        side,
        quantity: 1,
        price: 10,
        executed_at: new Date().toISOString(),
      });
  await expect.poll(() => receiver.received.at(-1)!.body).toContain('"alert.fired"');
  expect(isSigned(receiver.received.at(-1)!, secret)).toBe(true);

  // The bell has it too, and opens the trade. Today does not repeat it.
  await page.goto('/');
  const bell = page.getByRole('button', { name: 'Alerts, 1 unread' });
  await expect(bell).toBeVisible();
  await page.waitForLoadState('networkidle');
  await expect(page.getByText('Since your last visit')).toHaveCount(0);
  await bell.click();
  const panel = page.getByRole('dialog', { name: 'Alerts' });
  await expect(panel.getByRole('link', { name: /MSFT/ })).toBeVisible();
  await expectAccessible('alerts');
  const wide = page.viewportSize()!;
  await page.setViewportSize(phone);
  await expect(panel).toBeInViewport({ ratio: 0.98 }); // it covers the page, so not every control can be hit
  await page.setViewportSize(wide);
  await panel.getByRole('button', { name: /^Actions for: / }).click();
  await page.getByRole('menuitem', { name: 'Snooze for a day' }).click();
  await expect(page.getByRole('button', { name: 'Alerts', exact: true })).toBeVisible();
  await expect(panel.getByText(/snoozed until/)).toBeVisible();
  await panel.getByRole('button', { name: /^Actions for: / }).click();
  await page.getByRole('menuitem', { name: 'Mark as read' }).click();
  await panel.getByRole('link', { name: /MSFT/ }).click();
  await expect(page).toHaveURL(/\/trades\//);
  await expect(panel).toBeHidden();

  await page.goto('/settings/channels');
  await page.getByRole('button', { name: 'Menu of My script' }).click();
  await page.getByRole('menuitem', { name: 'New secret…' }).click();
  await page.getByRole('button', { name: 'Create new secret' }).click();
  const next = (await shown.getByText(/^whsec_/).textContent())!;
  expect(next).not.toBe(secret);
  await shown.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Test My script' }).click();
  await expect(page.getByText('My script received the test.').last()).toBeVisible();
  for (const key of [secret, next]) expect(isSigned(receiver.received.at(-1)!, key)).toBe(true);

  await page.getByRole('button', { name: 'Menu of My script' }).click();
  await page.getByRole('menuitem', { name: 'Switch off' }).click();
  await expect(page.getByText('Off', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Menu of My script' }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit My script' });
  await edit.getByLabel('URL').fill('http://127.0.0.1:1/'); // private, and not opened by the operator
  await edit.getByLabel('Send', { exact: true }).selectOption({ label: 'All events' });
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByRole('alert').or(edit.locator('[aria-invalid="true"]')).first()).toBeVisible();
  await edit.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Menu of My script' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('No channels yet')).toBeVisible();
});

base('a server that sends nothing says so', async ({ page, signIn, expectAccessible }) => {
  await signIn('/settings/channels');
  await expect(page.getByText('This server sends nothing to others.')).toBeVisible();
  await expect(page.getByText('No channels yet')).toHaveCount(0); // none can be added
  await expect(page.getByRole('button', { name: 'Add channel' })).toHaveCount(0);
  await expectAccessible('channels without a sender');
  await page.getByRole('button', { name: 'Alerts', exact: true }).click();
  await expect(page.getByText('No alerts.', { exact: false })).toBeVisible();
});
