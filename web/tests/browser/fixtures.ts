// The fixtures of the browser tests:
//
//   test('…', async ({ page, api, signIn }) => { await signIn('/trades'); … });
//
// A worker starts one server, and every test gets its own user there, so tests
// are independent. Tests of the admin screen or of other server settings get their
// own server with `test.use({ alone: true })` or `env`.
//
// `page` fails the test if any of its pages logs an error or violates the content
// security policy. `signIn` opens the page as the user; `api` calls the API as the
// same user. `expectAccessible` runs axe on the current page.

import { test as base, expect } from '@playwright/test';
import { expectAccessible } from './axe';
import { listen } from './complaints';
import { connect, owner, startServer, type Api, type Server, type User } from './server';

interface Fixtures {
  /** Settings of the test's own server. */
  env: Record<string, string>;
  /** A server of the test's own that is not set up yet. */
  alone: boolean;
  server: Server;
  user: User;
  api: Api;
  signIn: (path?: string) => Promise<void>;
  expectAccessible: (what: string) => Promise<void>;
  /** The page's errors; must be empty at the end. */
  complaints: string[];
}

interface Shared {
  shared: { server: Server; newUser: () => Promise<User> };
}

export const test = base.extend<Fixtures, Shared>({
  env: [{}, { option: true }],
  alone: [false, { option: true }],

  shared: [
    async ({}, use, worker) => {
      const server = await startServer();
      const admin = connect(server, owner);
      let made = 0;
      await use({
        server,
        newUser: async () => {
          const user = { ...owner, email: `user${worker.workerIndex}-${made++}@example.com` };
          await admin('POST', '/admin/users', user);
          return user;
        },
      });
      await server.stop();
    },
    { scope: 'worker' },
  ],

  server: async ({ env, alone, shared }, use) => {
    if (!alone && Object.keys(env).length === 0) return use(shared.server);
    const server = await startServer(env);
    await use(server);
    await server.stop();
  },

  user: async ({ server, shared }, use) => {
    await use(server === shared.server ? await shared.newUser() : owner);
  },

  baseURL: async ({ server }, use) => use(server.url),

  complaints: [
    async ({ context }, use) => {
      await context.addInitScript(stopAnimations);
      const complaints = listen(context);
      await use(complaints);
      expect(complaints, 'the console is clean').toEqual([]);
    },
    { auto: true },
  ],

  api: async ({ server, user, userAgent }, use) => use(connect(server, user, userAgent)),

  signIn: async ({ page, api, server, user, userAgent }, use) => {
    await use(async (path = '/') => {
      await api('GET', '/me');
      const storeToken = await page.addInitScript(
        (token) => localStorage.setItem('fillbook.refresh', token),
        await login(server, user, userAgent),
      );
      await page.goto(path);
      await storeToken.dispose();
      await expect(page.locator('#content')).toBeVisible();
    });
  },

  expectAccessible: async ({ page }, use) => {
    await use((what) => expectAccessible(page, what));
  },
});

/** Turns off transitions and animations, whose frames cost more than the screens. Runs in the page. */
function stopAnimations(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }');
  document.adoptedStyleSheets = [sheet];
}

async function login(server: Server, user: User, userAgent = ''): Promise<string> {
  const answer = await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent },
    body: JSON.stringify(user),
  });
  return ((await answer.json()) as { refresh_token: string }).refresh_token;
}

export { expect, owner };
export type { Api, Server, User };
export { canary, expectInert, mainAccount, trade } from './journal';
