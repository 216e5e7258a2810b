import { expect, test } from 'vitest';
import { SharedReads } from '../../src/lib/api/sharedReads';

const address = 'http://localhost/api/v1/accounts';

/** A server that responds when it is told to. */
function slowServer() {
  const sent: { request: Request; respond: (text: string) => void; fail: (fault: Error) => void }[] = [];
  const fetch = (request: Request) =>
    new Promise<Response>((resolve, reject) => {
      sent.push({ request, respond: (text) => resolve(new Response(text)), fail: reject });
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
  return { sent, fetch };
}

const text = async (response: Promise<Response>) => (await response).text();

test('equal reads share one request, and each gets the whole body', async () => {
  const { sent, fetch } = slowServer();
  const reads = new SharedReads();
  const all = [1, 2, 3].map(() => text(reads.send(new Request(address), fetch)));
  expect(sent).toHaveLength(1);
  sent[0]!.respond('list');
  expect(await Promise.all(all)).toEqual(['list', 'list', 'list']);
});

test('another address, another header and a later read are requests of their own', async () => {
  const { sent, fetch } = slowServer();
  const reads = new SharedReads();
  const first = text(reads.send(new Request(address), fetch));
  void reads.send(new Request(`${address}?limit=1`), fetch);
  void reads.send(new Request(address, { headers: { Accept: 'text/csv' } }), fetch);
  expect(sent).toHaveLength(3);
  sent[0]!.respond('first');
  expect(await first).toBe('first');
  const later = text(reads.send(new Request(address), fetch));
  sent[3]!.respond('later');
  expect(await later).toBe('later');
});

test('a read after a write does not join one from before its end', async () => {
  const { sent, fetch } = slowServer();
  const reads = new SharedReads();
  const old = text(reads.send(new Request(address), fetch));
  const write = text(reads.send(new Request(address, { method: 'POST', body: 'new' }), fetch));
  sent[1]!.respond('written');
  await write;
  const fresh = text(reads.send(new Request(address), fetch));
  expect(sent).toHaveLength(3);
  sent[2]!.respond('with the write');
  sent[0]!.respond('without it');
  expect(await Promise.all([old, fresh])).toEqual(['without it', 'with the write']);
});

test('a failed write ends the joining too: it may have been executed', async () => {
  const { sent, fetch } = slowServer();
  const reads = new SharedReads();
  void reads.send(new Request(address), fetch);
  const write = reads.send(new Request(address, { method: 'DELETE' }), fetch);
  sent[1]!.fail(new TypeError('Failed to fetch'));
  await expect(write).rejects.toThrow('Failed to fetch');
  void reads.send(new Request(address), fetch);
  expect(sent).toHaveLength(3);
});

test('writes are never shared', () => {
  const { sent, fetch } = slowServer();
  const reads = new SharedReads();
  for (let i = 0; i < 2; i++) void reads.send(new Request(address, { method: 'POST', body: 'x' }), fetch);
  expect(sent).toHaveLength(2);
});

test('one reader that aborts leaves the request to the other', async () => {
  const { sent, fetch } = slowServer();
  const reads = new SharedReads();
  const leave = new AbortController();
  const left = reads.send(new Request(address, { signal: leave.signal }), fetch);
  const stayed = text(reads.send(new Request(address), fetch));
  leave.abort();
  await expect(left).rejects.toThrow(/abort/i);
  expect(sent[0]!.request.signal.aborted).toBe(false);
  sent[0]!.respond('list');
  expect(await stayed).toBe('list');
});

test('a request without readers is aborted, and a new read does not join it', async () => {
  const { sent, fetch } = slowServer();
  const reads = new SharedReads();
  const leave = new AbortController();
  const left = reads.send(new Request(address, { signal: leave.signal }), fetch);
  leave.abort();
  await expect(left).rejects.toThrow(/abort/i);
  expect(sent[0]!.request.signal.aborted).toBe(true);
  void reads.send(new Request(address), fetch);
  expect(sent).toHaveLength(2);
});

test('a failure reaches every reader', async () => {
  const { sent, fetch } = slowServer();
  const reads = new SharedReads();
  const both = [1, 2].map(() => reads.send(new Request(address), fetch));
  sent[0]!.fail(new TypeError('Failed to fetch'));
  for (const read of both) await expect(read).rejects.toThrow('Failed to fetch');
});
