import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/lib/api/errors';
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

test('a write without a response is sent again when the server is back', async () => {
  const connection = new Connection(respond(200));
  const send = vi.fn<() => Promise<Response>>().mockImplementationOnce(unreachable);
  send.mockImplementation(respond(200));
  const sent = connection.resend(() => connection.watch(send));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(connection.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await sent).status).toBe(200);
  expect(send).toHaveBeenCalledTimes(2);
  expect(connection.waiting).toBe(0);
});

test('a refused write is not sent again', async () => {
  const connection = new Connection(unreachable);
  await connection.watch(unreachable).catch(() => undefined);
  const refuse = () => Promise.reject(new ApiError(409, 'conflict', 'There is one with this name.'));
  await expect(connection.resend(refuse)).rejects.toThrow('There is one');
  expect(connection.waiting).toBe(0);
});

test('a canceled write is never sent', async () => {
  const connection = new Connection(respond(200));
  const send = vi.fn<() => Promise<Response>>().mockImplementation(unreachable);
  const outcome = expect(connection.resend(() => connection.watch(send))).rejects.toThrow('Failed to fetch');
  await vi.advanceTimersByTimeAsync(1_000);
  connection.cancelWaiting();
  await outcome;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(send).toHaveBeenCalledTimes(1);
  expect(connection.waiting).toBe(0);
});
