// What browser tests are written with:
//
//   test('…', async ({ page, server, signIn }) => { await signIn(); … });
//
// `page` fails the test when the console shows an error or a policy is
// violated. `signIn` sets the server up over the API and opens the page with
// that session; `api` calls the API as that user. `expectAccessible` runs axe.

import { test as base, expect, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { owner, startServer, type Server } from './server';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Api = <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;

interface Fixtures {
  server: Server;
  env: Record<string, string>;
  api: Api;
  signIn: (path?: string) => Promise<void>;
  expectAccessible: (what: string) => Promise<void>;
}

export const test = base.extend<Fixtures & { quiet: void }>({
  env: [{}, { option: true }],

  server: async ({ env }, use) => {
    const server = await startServer(env);
    await use(server);
    await server.stop();
  },

  baseURL: async ({ server }, use) => use(server.url),

  quiet: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.stack ?? String(error)));
      page.on('console', (message) => {
        // A refused request is logged by the browser itself; tests of refusals make those on purpose.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          complaints.push(message.text());
      });
      await use();
      expect(complaints, 'the console is clean').toEqual([]);
    },
    { auto: true },
  ],

  api: async ({ server }, use) => {
    let token = '';
    const send = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: {
          'Content-Type': 'application/json',
          ...(token ? { Authorization: `Bearer ${token}` } : {}),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text ? JSON.parse(text) : undefined;
    };
    await use(async (method, path, body) => {
      if (!token) {
        const { needs_setup } = await send('GET', '/setup/status');
        const account = { name: 'Main', base_currency: 'USD', starting_balance: 10000 };
        const pair = needs_setup
          ? await send('POST', '/setup', { ...owner, account })
          : await send('POST', '/auth/login', owner);
        token = pair.access_token;
      }
      return send(method, path, body);
    });
  },

  signIn: async ({ page, api, server }, use) => {
    await use(async (path = '/') => {
      await api('GET', '/me');
      const answer = await fetch(`${server.url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(owner),
      });
      const { refresh_token } = (await answer.json()) as { refresh_token: string };
      await page.goto('/sign-in');
      await page.evaluate((token) => localStorage.setItem('fillbook.refresh', token), refresh_token);
      await page.goto(path);
      await expect(page.locator('#content')).toBeVisible();
    });
  },

  expectAccessible: async ({ page, browser, server }, use) => {
    await use((what) => accessible(page, browser, server, what));
  },
});

// axe must be put into the page, which its policy forbids: a second context
// without the policy opens the same address with the same session.
async function accessible(
  page: Page,
  browser: import('@playwright/test').Browser,
  server: Server,
  what: string,
): Promise<void> {
  const context = await browser.newContext({
    bypassCSP: true,
    storageState: await page.context().storageState(),
    viewport: page.viewportSize(),
    baseURL: server.url,
  });
  const twin = await context.newPage();
  await twin.goto(page.url());
  await twin.waitForLoadState('networkidle');
  await twin.evaluate(axeSource);
  const violations = await twin.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run: (options: unknown) => Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations
      .filter((v) => v.impact === 'serious' || v.impact === 'critical')
      .map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary}`).join(' | ')}`);
  });
  await context.close();
  expect(violations, `axe on ${what}`).toEqual([]);
}

export { expect, owner };

/** A closed trade over the API: two fills. */
export async function trade(
  api: Api,
  account: string,
  symbol: string,
  day: string,
  entry: number,
  exit: number,
  quantity = 100,
): Promise<void> {
  await api('POST', '/executions', {
    account_id: account,
    symbol,
    side: 'buy',
    quantity,
    price: entry,
    executed_at: `${day}T14:30:00Z`,
  });
  await api('POST', '/executions', {
    account_id: account,
    symbol,
    side: 'sell',
    quantity,
    price: exit,
    executed_at: `${day}T15:10:00Z`,
  });
}
