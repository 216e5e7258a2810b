// What browser tests are written with:
//
//   test('…', async ({ page, api, signIn }) => { await signIn('/trades'); … });
//
// A worker starts one server, and every test gets a user of its own there, so
// that no test sees what another did. A test of the owner's screens, or of
// other settings, asks for a server with `test.use({ alone: true })` or `env`.
//
// `page` fails the test when the console of any of its pages shows an error or
// a policy is violated. `signIn` opens the page as that user; `api` calls the
// API as the same. `expectAccessible` runs axe on what is to be seen just now.

import { test as base, expect } from '@playwright/test';
import { expectAccessible } from './axe';
import { listen } from './complaints';
import { connect, owner, startServer, type Api, type Server, type User } from './server';

interface Fixtures {
  /** Settings of a server of this test's own. */
  env: Record<string, string>;
  /** A server of this test's own, that nobody has set up yet. */
  alone: boolean;
  server: Server;
  user: User;
  api: Api;
  signIn: (path?: string) => Promise<void>;
  expectAccessible: (what: string) => Promise<void>;
  /** What the page complained of and must be empty in the end. */
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
      const complaints = listen(context);
      await use(complaints);
      expect(complaints, 'the console is clean').toEqual([]);
    },
    { auto: true },
  ],

  api: async ({ server, user }, use) => use(connect(server, user)),

  signIn: async ({ page, api, server, user }, use) => {
    await use(async (path = '/') => {
      await api('GET', '/me');
      await page.goto('/healthz'); // the origin, without the page
      await page.evaluate(
        (token) => localStorage.setItem('fillbook.refresh', token),
        await login(server, user),
      );
      await page.goto(path);
      await expect(page.locator('#content')).toBeVisible();
    });
  },

  expectAccessible: async ({ page }, use) => {
    await use((what) => expectAccessible(page, what));
  },
});

async function login(server: Server, user: User): Promise<string> {
  const answer = await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(user),
  });
  return ((await answer.json()) as { refresh_token: string }).refresh_token;
}

export { expect, owner };
export type { Api, Server, User };
export { canary, expectInert, mainAccount, trade } from './journal';
