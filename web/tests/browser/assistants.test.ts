// Assistants: an app signs in with OAuth, and the Inspector of the protocol, which is independent of
// the server's library, calls every tool.

import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, mainAccount, test, trade, type Server } from './fixtures';
import { expectFitsPhone } from './phone';

const publicUrl = 'https://journal.example.org';

test.use({ env: { SVC_MCP: 'true', SVC_MCP_OAUTH: 'true', SVC_PUBLIC_URL: publicUrl } });

interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
}

/** A program on this computer that connects: a public client whose browser comes back to a port of its own. */
async function startClient(server: Server) {
  const back = createServer((_, answer) => answer.end('You can close this window.'));
  await new Promise<void>((done) => back.listen(0, '127.0.0.1', done));
  const redirect = `http://127.0.0.1:${(back.address() as AddressInfo).port}/callback`;
  const registered = await fetch(`${server.url}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    // The port is not registered: a program takes a free one.
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: ['http://127.0.0.1/callback'] }),
  });
  const client = ((await registered.json()) as { client_id: string }).client_id;
  const verifier = randomBytes(32).toString('base64url');
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'analytics read write',
    state: 'canary',
    resource: `${publicUrl}/mcp`,
  });
  return {
    redirect,
    start: `/oauth/authorize?${request}`,
    exchange: async (code: string) => {
      const answer = await fetch(`${server.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          client_id: client,
          redirect_uri: redirect,
          code_verifier: verifier,
        }),
      });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Tokens;
    },
    stop: () => back.close(),
  };
}

function listTools(server: Server, token: string): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
}

test('an app asks for access, gets less, and loses it', async ({
  page,
  api,
  user,
  server,
  expectAccessible,
}) => {
  const main = await mainAccount(api);
  await api('POST', '/accounts', { name: 'Prop', base_currency: 'USD' });
  const client = await startClient(server);
  await page.goto(client.start);
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Connect an app' })).toBeVisible();
  await expect(page.getByText('Test client')).toBeVisible();
  await expect(page.getByText(new URL(client.redirect).host, { exact: true })).toBeVisible();
  await expect(page.getByText('This is a program on your computer.')).toBeVisible();
  await expect(page.getByText('Change anything.', { exact: true })).toBeVisible(); // reading is preselected
  await expectAccessible('the consent page');
  await expectFitsPhone(page, 'the consent page');

  await page.getByRole('button', { name: 'Don’t allow' }).click();
  await page.waitForURL(`${client.redirect}?error=access_denied*`);

  await page.goto(client.start);
  await page.getByLabel('Permissions').selectOption({ label: 'Read everything' });
  await page.getByLabel('Accounts').fill('Main');
  await page.getByRole('option', { name: 'Main' }).click();
  await expect(page.getByRole('button', { name: 'Remove Main' })).toBeVisible();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL(`${client.redirect}?code=*`);
  const answer = new URL(page.url()).searchParams;
  expect(answer.get('state')).toBe('canary');
  expect(answer.get('iss')).toBe(publicUrl);
  const tokens = await client.exchange(answer.get('code')!);
  expect(tokens.scope).toBe('read');
  const listed = (await (await listTools(server, tokens.access_token)).json()) as {
    result: { tools: { name: string }[] };
  };
  expect(listed.result.tools.map((tool) => tool.name)).toHaveLength(10);

  // It sees only the account that was chosen.
  const [stored] = await api<{ account_ids: string[] | null }[]>('GET', '/access-tokens');
  expect(stored!.account_ids).toEqual([main]);

  await page.goto('/settings/tokens');
  await expect(page.getByText('connected app at 127.0.0.1')).toBeVisible();
  await expect(page.getByText('only Main')).toBeVisible();
  await page.getByRole('button', { name: 'Revoke Test client' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('Token revoked.')).toBeVisible();
  expect((await listTools(server, tokens.access_token)).status).toBe(401);
  client.stop();
});

test('the Inspector calls every tool and prompt', async ({ api, server }) => {
  test.setTimeout(400_000); // some sixty programs are started
  await trade(api, await mainAccount(api), 'AAPL', '2026-01-05', 10, 11);
  const [traded] = (await api<{ id: string }[]>('GET', '/trades')).map((t) => t.id);
  const { token } = await api<{ token: string }>('POST', '/access-tokens', {
    name: 'Inspector',
    scope: 'write',
  });
  const dir = mkdtempSync(join(tmpdir(), 'fillbook-inspector-'));
  const config = join(dir, 'mcp.json');
  writeFileSync(
    config,
    JSON.stringify({
      mcpServers: {
        http: {
          type: 'streamable-http',
          url: `${server.url}/mcp`,
          headers: { Authorization: `Bearer ${token}` },
        },
        stdio: {
          command: process.env.FILLBOOK_BINARY,
          args: ['mcp', '--server', server.url],
          env: { SVC_TOKEN: token },
        },
      },
    }),
  );
  const program = resolve(import.meta.dirname, '../../node_modules/.bin/mcp-inspector');
  const inspect = async (transport: string, era: string, ...args: string[]) => {
    const { stdout } = await promisify(execFile)(
      program,
      ['--cli', '--config', config, '--server', transport, '--protocol-era', era, ...args],
      { env: { PATH: process.env.PATH, HOME: dir, MCP_INSPECTOR_SECRET_STORE: 'memory' } },
    );
    return JSON.parse(stdout);
  };
  const call = (transport: string, era: string, tool: string, args: object) =>
    inspect(
      transport,
      era,
      '--method',
      'tools/call',
      '--tool-name',
      tool,
      '--tool-args-json',
      JSON.stringify(args),
    );

  const runs = [
    ['http', 'legacy'],
    ['stdio', 'modern'],
  ] as const;
  await Promise.all(
    runs.map(async ([transport, era]) => {
      for (const other of ['legacy', 'modern']) {
        const { tools } = await inspect(transport, other, '--method', 'tools/list', '--strict');
        expect(tools).toHaveLength(14);
        const { prompts } = await inspect(transport, other, '--method', 'prompts/list');
        expect(prompts).toHaveLength(4);
        for (const { name } of other === era ? prompts : []) {
          const prompt = await inspect(transport, era, '--method', 'prompts/get', '--prompt-name', name);
          expect(prompt.messages).toHaveLength(1);
        }
      }
      const calls: Record<string, object> = {
        get_context: {},
        get_summary: {},
        get_breakdown: { by: 'symbol', min_trades: 1 },
        get_series: { kind: 'daily' },
        get_behavior: {},
        explain_figure: { figure: 'net_pnl' },
        list_trades: {},
        get_trade: { trade_id: traded },
        search_journal: { query: 'patience' },
        get_day: {},
        add_note: { body: `patience over ${transport}` },
        log_entry: {
          kind: 'trade',
          symbol: 'AAPL',
          side: 'long',
          quantity: 1,
          entry_price: 2,
          entry_time: '2026-01-05T15:00:00Z',
        },
      };
      // The Inspector fails for an answer that is an error.
      for (const [tool, args] of Object.entries(calls)) await call(transport, era, tool, args);
      const tagged = await call(transport, era, 'tag_trades', {
        trade_ids: [traded],
        add_tags: [transport],
        create_missing: true,
      });
      await call(transport, era, 'undo_change', { undo: tagged.structuredContent.undo });
    }),
  );
  rmSync(dir, { recursive: true });
});
