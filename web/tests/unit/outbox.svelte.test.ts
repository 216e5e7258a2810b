// @vitest-environment jsdom

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// The modules read these when they are loaded, which jsdom lacks.
vi.stubGlobal(
  'BroadcastChannel',
  class {
    postMessage() {}
  },
);
const { currentUser } = await import('../../src/lib/currentUser.svelte');
const { outbox } = await import('../../src/lib/outbox.svelte');
const { tokens } = await import('../../src/lib/api/client');

const { questions } = await import('../../src/lib/conflicts.svelte');

type Sent = { path: string; tag: string | null; body: unknown };
let sent: Sent[] = [];
let stored: Record<string, unknown>; // the trade on the server
let tag: string;
let respond: () => Response; // to a write

beforeEach(() => {
  localStorage.clear();
  sent = [];
  stored = { notes: '' };
  tag = '"1"';
  respond = () => Response.json({});
  currentUser.profile = { id: 'ann' } as never;
  vi.spyOn(tokens, 'bearer').mockResolvedValue('token');
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.method === 'GET') return Response.json(stored, { headers: { ETag: tag } });
    const answer = respond();
    const path = new URL(request.url).pathname;
    sent.push({ path, tag: request.headers.get('If-Match'), body: await request.json() });
    return answer;
  });
  outbox.start();
});

afterEach(async () => {
  questions.cancel();
  await vi.waitFor(() => expect(outbox.isSending).toBe(false));
  vi.restoreAllMocks();
});

test('an entry has the last value of each field, and survives the page', () => {
  stored = { notes: 'old' };
  outbox.put('t1', { notes: 'first' }, { notes: 'old' });
  outbox.put('t1', { notes: 'second', grade: 'A' } as never, { notes: 'first' });
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'second', grade: 'A' });
  expect(outbox.entryOf('t1')!.base, 'what the user began with').toEqual({ notes: 'old', grade: null });
  outbox.entries = []; // another page
  respond = () => {
    throw new TypeError('Failed to fetch');
  };
  outbox.start();
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'second', grade: 'A' });
});

test('entries are sent and then forgotten', async () => {
  outbox.put('t1', { notes: 'one' }, { notes: '' });
  outbox.put('t2', { notes: 'two' }, { notes: '' });
  await outbox.send();
  expect(sent).toEqual([
    { path: '/api/v1/trades/t1', tag: '"1"', body: { notes: 'one' } },
    { path: '/api/v1/trades/t2', tag: '"1"', body: { notes: 'two' } },
  ]);
  expect(outbox.entries).toEqual([]);
  expect(localStorage).toHaveLength(0);
});

test('nothing is lost while the server is unreachable', async () => {
  outbox.put('t1', { notes: 'one' }, { notes: '' });
  respond = () => {
    throw new TypeError('Failed to fetch');
  };
  await outbox.send();
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'one' });
  expect(outbox.entries[0]!.refused).toBeUndefined();
});

test('a refused entry stays with the message, and does not stop the next one', async () => {
  outbox.put('t1', { notes: 'one' }, { notes: '' });
  outbox.put('t2', { notes: 'two' }, { notes: '' });
  let first = true;
  respond = () => {
    if (!first) return Response.json({});
    first = false;
    return Response.json({ error: { code: 'not_found', message: 'Trade not found.' } }, { status: 404 });
  };
  await outbox.send();
  expect(outbox.entries).toMatchObject([
    { trade: 't1', annotations: { notes: 'one' }, refused: 'Trade not found.', changedElsewhere: false },
  ]);
});

test('an entry that changes while it is sent stays', async () => {
  outbox.put('t1', { notes: 'one' }, { notes: '' });
  respond = () => {
    outbox.put('t1', { notes: 'two' }, { notes: '' });
    return Response.json({});
  };
  await outbox.send();
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'two' });
});

test('signing out clears the storage, and the same user finds the entries again', () => {
  outbox.put('t1', { notes: 'one' }, { notes: '' });
  outbox.park();
  expect(localStorage).toHaveLength(0);
  currentUser.profile = { id: 'bob' } as never;
  outbox.start();
  expect(outbox.entries).toEqual([]);
  currentUser.profile = { id: 'ann' } as never;
  respond = () => {
    throw new TypeError('Failed to fetch');
  };
  outbox.start();
  expect(outbox.pendingFor('t1')).toEqual({ notes: 'one' });
});

test('another device’s change of another field is kept', async () => {
  outbox.put('t1', { notes: 'one', trade_quality: 4 }, { notes: '', trade_quality: null });
  stored = { notes: 'one', trade_quality: null, confidence: 2 };
  await outbox.send();
  expect(sent.map((s) => s.body)).toEqual([{ trade_quality: 4 }]);
});

test('notes that another device has changed are merged by the user', async () => {
  outbox.put('t1', { notes: 'mine' }, { notes: 'old' });
  stored = { notes: 'theirs' };
  const sending = outbox.send();
  await vi.waitFor(() => expect(questions.first).toBeDefined());
  expect(sent, 'nothing is written before the answer').toEqual([]);
  questions.first!.answer({ notes: 'both' });
  await sending;
  expect(sent.map((s) => s.body)).toEqual([{ notes: 'both' }]);
  expect(outbox.entries).toEqual([]);
});

test('a conflict can be decided later', async () => {
  outbox.put('t1', { notes: 'mine' }, { notes: 'old' });
  stored = { notes: 'theirs' };
  const sending = outbox.send();
  await vi.waitFor(() => expect(questions.first).toBeDefined());
  questions.first!.answer(null);
  await sending;
  expect(sent).toEqual([]);
  expect(outbox.entries).toMatchObject([{ annotations: { notes: 'mine' }, changedElsewhere: true }]);
  stored = { notes: 'old' };
  await outbox.retry('t1');
  expect(sent.map((s) => s.body)).toEqual([{ notes: 'mine' }]);
  expect(outbox.entries).toEqual([]);
});
