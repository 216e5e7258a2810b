// A server of its own for a test: fresh data, a free port, ended by its process
// and nothing else.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Server {
  url: string;
  stop: () => Promise<void>;
}

export const owner = { email: 'owner@example.com', password: 'a quiet green harbour 7' };

export async function startServer(env: Record<string, string> = {}): Promise<Server> {
  const data = mkdtempSync(join(tmpdir(), 'fillbook-data-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.env.FILLBOOK_BINARY!, ['serve'], {
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

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resume) => setTimeout(resume, 50));
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
