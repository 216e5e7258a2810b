import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/lib/api/errors';
import { bestLock } from '../../src/lib/api/lock';
import { Tokens } from '../../src/lib/api/tokens';

class MemoryStorage implements Storage {
  private map = new Map<string, string>();
  get length() {
    return this.map.size;
  }
  clear = () => this.map.clear();
  getItem = (key: string) => this.map.get(key) ?? null;
  key = () => null;
  removeItem = (key: string) => void this.map.delete(key);
  setItem = (key: string, value: string) => void this.map.set(key, value);
}

// A browser with several tabs, and a server that rotates refresh tokens and ends the
// session if a token is used twice.
function browser() {
  const storage = new MemoryStorage();
  const channels: { onmessage: ((event: MessageEvent) => void) | null }[] = [];
  const server = { valid: 'r0', exchanges: 0, answers: 0, down: false, spent: [] as string[] };
  let now = 0;
  const fetch = (async (_: unknown, init: { body: string }) => {
    server.exchanges++;
    await new Promise((resume) => setTimeout(resume, 2));
    if (server.down) throw new TypeError('failed to fetch');
    const { refresh_token } = JSON.parse(init.body) as { refresh_token: string };
    if (refresh_token !== server.valid) {
      server.spent.push(refresh_token);
      return new Response('{}', { status: 401 });
    }
    const i = ++server.answers;
    server.valid = `r${i}`;
    return Response.json({ access_token: `a${i}`, refresh_token: `r${i}`, is_admin: false, expires_in: 900 });
  }) as unknown as typeof globalThis.fetch;
  const tab = () => {
    const channel = {
      onmessage: null as ((event: MessageEvent) => void) | null,
      postMessage: (data: unknown) => {
        for (const other of channels) if (other !== channel) other.onmessage?.({ data } as MessageEvent);
      },
    };
    channels.push(channel);
    return new Tokens({ storage, channel, fetch, now: () => now, lock: bestLock(storage, undefined) });
  };
  storage.setItem('fillbook.refresh', 'r0');
  return { tab, server, storage, pass: (ms: number) => (now += ms) };
}

describe('tokens', () => {
  it('many calls in many tabs cause one renewal and use no token twice', async () => {
    const b = browser();
    const tabs = [b.tab(), b.tab(), b.tab()];
    const got = await Promise.all(tabs.flatMap((t) => [t.bearer(), t.bearer()]));
    expect(new Set(got)).toEqual(new Set(['a1']));
    expect(b.server).toMatchObject({ exchanges: 1, spent: [] });
  });

  it('renews before the token expires, once for all tabs', async () => {
    const b = browser();
    const [one, two] = [b.tab(), b.tab()];
    await one.bearer();
    b.pass(880_000);
    expect(await Promise.all([one.bearer(), two.bearer()])).toEqual(['a2', 'a2']);
    expect(b.server.spent).toEqual([]);
  });

  it('two tabs with a rejected token renew once', async () => {
    const b = browser();
    const [one, two] = [b.tab(), b.tab()];
    await one.bearer();
    expect(await Promise.all([one.renew('a1'), two.renew('a1')])).toEqual(['a2', 'a2']);
    expect(b.server.exchanges).toBe(2);
  });

  it('an ended session ends in every tab', async () => {
    const b = browser();
    const [one, two] = [b.tab(), b.tab()];
    const ended: string[] = [];
    one.onSignedOut = () => ended.push('one');
    two.onSignedOut = () => ended.push('two');
    b.server.valid = 'another';
    expect(await one.bearer()).toBeNull();
    expect(ended.sort()).toEqual(['one', 'two']);
    expect(two.signedIn).toBe(false);
    expect(await two.bearer()).toBeNull();
  });

  it('an unreachable server does not end the session', async () => {
    const b = browser();
    const one = b.tab();
    b.server.down = true;
    await expect(one.bearer()).rejects.toThrow(ApiError);
    expect(one.signedIn).toBe(true);
    b.server.down = false;
    expect(await one.bearer()).toBe('a1');
  });

  it('keeps the access token out of storage', async () => {
    const b = browser();
    await b.tab().bearer();
    expect(b.storage.getItem('fillbook.refresh')).toBe('r1');
    expect(b.storage.length).toBe(1);
  });
});
