import { expect, test } from 'vitest';
import { KeyRing } from '../../src/lib/api/keyring';

const post = (body: string) => new Request('http://localhost/api/v1/tags', { method: 'POST', body });
const keyOf = (request: Request) => request.headers.get('Idempotency-Key');

test('a repeated request has the key of the one whose response was lost', async () => {
  const ring = new KeyRing();
  const keys: (string | null)[] = [];
  const lose = (request: Request) => {
    keys.push(keyOf(request));
    return Promise.reject(new TypeError('Failed to fetch'));
  };
  const respond = (status: number) => (request: Request) => {
    keys.push(keyOf(request));
    return Promise.resolve(new Response(null, { status }));
  };
  await ring.send(post('a'), lose).catch(() => undefined);
  await ring.send(post('a'), respond(503));
  await ring.send(post('a'), respond(201));
  await ring.send(post('a'), respond(201)); // a second tag, not a repetition
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]]);
  expect(keys[3]).not.toBe(keys[0]);
});

test('another body has another key, and a key that is set stays', async () => {
  const ring = new KeyRing();
  const keys: (string | null)[] = [];
  const lose = (request: Request) => {
    keys.push(keyOf(request));
    return Promise.reject(new TypeError('Failed to fetch'));
  };
  await ring.send(post('a'), lose).catch(() => undefined);
  await ring.send(post('b'), lose).catch(() => undefined);
  const own = new Request(post('a'), { headers: { 'Idempotency-Key': 'mine' } });
  await ring.send(own, lose).catch(() => undefined);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe('mine');
});

test('only POST gets a key', async () => {
  const request = new Request('http://localhost/api/v1/tags/1', { method: 'DELETE' });
  await new KeyRing().send(request, () => Promise.resolve(new Response()));
  expect(keyOf(request)).toBeNull();
});
