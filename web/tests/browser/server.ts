// Starts a server with new data on a free port, stops it by its process id, and
// calls its API.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Server {
  url: string;
  stop: () => Promise<void>;
}

export interface User {
  email: string;
  password: string;
}

export type Api = <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;

export const owner: User = { email: 'owner@example.com', password: 'a quiet green harbour 7' };

export const demoUser: User = { email: 'demo@example.org', password: 'fillbook-demo' };

export function startServer(env: Record<string, string> = {}): Promise<Server> {
  return start(() => ['serve'], env);
}

/** The demo journal of two years. */
export function startDemo(): Promise<Server> {
  return start((data) => ['demo', '--dir', data], {});
}

async function start(command: (data: string) => string[], env: Record<string, string>): Promise<Server> {
  const data = mkdtempSync(join(tmpdir(), 'fillbook-data-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.env.FILLBOOK_BINARY!, command(data), {
    env: {
      PATH: process.env.PATH,
      SVC_HTTP_ADDR: `127.0.0.1:${port}`,
      SVC_DATA_DIR: data,
      SVC_SHARE_LINKS_ENABLED: 'true',
      SVC_RATE_LIMIT_AUTH: 'off',
      SVC_RATE_LIMIT_IMPORT: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stdout!.on('data', (text) => (log += text));
  child.stderr!.on('data', (text) => (log += text));
  const stop = async () => {
    await end(child);
    rmSync(data, { recursive: true, force: true });
  };
  try {
    await ready(url, child);
  } catch (fault) {
    await stop();
    throw new Error(`${String(fault)}\n${log}`);
  }
  return { url, stop };
}

const tokenLife = 15 * 60_000; // of an access token

/** Returns a function that calls the API as a user; the first call creates the account "Main". */
export function connect(server: Server, user: User, userAgent = 'tests'): Api {
  let token = '';
  let begunAt = 0;
  const send = async (method: string, path: string, body?: unknown) => {
    const form = body instanceof FormData;
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        'User-Agent': userAgent,
        ...(form ? {} : { 'Content-Type': 'application/json' }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
      },
      body: form || body === undefined ? (body as FormData | undefined) : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
  const begin = async () => {
    begunAt = Date.now();
    token = '';
    const account = { name: 'Main', base_currency: 'USD', starting_balance: 10000 };
    const { needs_setup } = await send('GET', '/setup/status');
    if (needs_setup) {
      token = (await send('POST', '/setup', { ...user, account })).access_token;
      return;
    }
    token = (await send('POST', '/auth/login', user)).access_token;
    if ((await send('GET', '/accounts')).length === 0) await send('POST', '/accounts', account);
  };
  let begun: Promise<void> | undefined;
  return async (method, path, body) => {
    if (Date.now() - begunAt > tokenLife / 2) begun = undefined;
    await (begun ??= begin());
    return send(method, path, body);
  };
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 1500; i++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resume) => setTimeout(resume, 20));
  }
  throw new Error('the server did not get ready');
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
