// @vitest-environment jsdom

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// The modules read these when they are loaded, which jsdom lacks.
vi.stubGlobal(
  'BroadcastChannel',
  class {
    postMessage() {}
  },
);
const { session } = await import('../../src/lib/session.svelte');
const { outbox } = await import('../../src/lib/outbox.svelte');
const { tokens } = await import('../../src/lib/api/client');

type Sent = { path: string; body: unknown };
let sent: Sent[] = [];
let respond: () => Response;

beforeEach(() => {
  localStorage.clear();
  sent = [];
  respond = () => Response.json({});
  session.user = { id: 'ann' } as never;
  vi.spyOn(tokens, 'bearer').mockResolvedValue('token');
  vi.stubGlobal('fetch', async (request: Request) => {
    const answer = respond();
    sent.push({ path: new URL(request.url).pathname, body: await request.json() });
    return answer;
  });
  outbox.start();
});

afterEach(() => vi.restoreAllMocks());

test('an entry has the last value of each field, and survives the page', () => {
  outbox.put('t1', { notes: 'first' });
  outbox.put('t1', { notes: 'second', grade: 'A' } as never);
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'second', grade: 'A' });
  outbox.entries = []; // another page
  respond = () => {
    throw new TypeError('Failed to fetch');
  };
  outbox.start();
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'second', grade: 'A' });
});

test('entries are sent and then forgotten', async () => {
  outbox.put('t1', { notes: 'one' });
  outbox.put('t2', { notes: 'two' });
  await outbox.send();
  expect(sent).toEqual([
    { path: '/api/v1/trades/t1', body: { notes: 'one' } },
    { path: '/api/v1/trades/t2', body: { notes: 'two' } },
  ]);
  expect(outbox.entries).toEqual([]);
  expect(localStorage).toHaveLength(0);
});

test('nothing is lost while the server is unreachable', async () => {
  outbox.put('t1', { notes: 'one' });
  respond = () => {
    throw new TypeError('Failed to fetch');
  };
  await outbox.send();
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'one' });
  expect(outbox.entries[0]!.refused).toBeUndefined();
});

test('a refused entry stays with the message, and does not stop the next one', async () => {
  outbox.put('t1', { notes: 'one' });
  outbox.put('t2', { notes: 'two' });
  let first = true;
  respond = () => {
    if (!first) return Response.json({});
    first = false;
    return Response.json({ error: { code: 'not_found', message: 'Trade not found.' } }, { status: 404 });
  };
  await outbox.send();
  expect(outbox.entries).toEqual([
    { trade: 't1', annotations: { notes: 'one' }, refused: 'Trade not found.' },
  ]);
});

test('an entry that changes while it is sent stays', async () => {
  outbox.put('t1', { notes: 'one' });
  respond = () => {
    outbox.put('t1', { notes: 'two' });
    return Response.json({});
  };
  await outbox.send();
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'two' });
});

test('signing out clears the storage, and the same user finds the entries again', () => {
  outbox.put('t1', { notes: 'one' });
  outbox.park();
  expect(localStorage).toHaveLength(0);
  session.user = { id: 'bob' } as never;
  outbox.start();
  expect(outbox.entries).toEqual([]);
  session.user = { id: 'ann' } as never;
  respond = () => {
    throw new TypeError('Failed to fetch');
  };
  outbox.start();
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'one' });
});
