import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Connection } from '../../src/lib/connection.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const unreachable = () => Promise.reject(new TypeError('Failed to fetch'));
const respond = (status: number) => () => Promise.resolve(new Response(null, { status }));

test('a request without a response means that the server is unreachable', async () => {
  const connection = new Connection(unreachable);
  await expect(connection.watch(unreachable)).rejects.toThrow('Failed to fetch');
  expect(connection.lost).toBe(true);
});

test('an aborted request does not', async () => {
  const connection = new Connection(unreachable);
  const aborted = () => Promise.reject(new DOMException('aborted', 'AbortError'));
  await expect(connection.watch(aborted)).rejects.toThrow('aborted');
  expect(connection.lost).toBe(false);
});

test.each([
  [200, false],
  [500, false],
  [503, false],
  [502, true],
  [504, true],
])('status %i: lost is %s', async (status, lost) => {
  const connection = new Connection(unreachable);
  await connection.watch(respond(status));
  expect(connection.lost).toBe(lost);
});

test('the server is polled until it is back, then listeners are called once', async () => {
  const ping = vi.fn<() => Promise<Response>>().mockImplementation(unreachable);
  const returned = vi.fn();
  const connection = new Connection(ping);
  connection.onReturn(returned);
  await connection.watch(unreachable).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ping).toHaveBeenCalledTimes(1);
  ping.mockImplementation(respond(200));
  await vi.advanceTimersByTimeAsync(4_000);
  expect(ping).toHaveBeenCalledTimes(2);
  expect(connection.lost).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ping).toHaveBeenCalledTimes(2);
  expect(returned).toHaveBeenCalledTimes(1);
});
