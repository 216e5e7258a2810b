// @vitest-environment jsdom

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { here, navigate } from '../../src/app/router.svelte';
import { queryClient } from '../../src/lib/api/queries.svelte';

vi.stubGlobal('scrollTo', () => undefined);

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  queryClient.clear();
});

/** Returns a function that reads the accounts as a part of a screen does, and how often the server was asked. */
function reader() {
  const asked = vi.fn(() => Promise.resolve([]));
  return { asked, read: () => queryClient.fetchQuery({ queryKey: ['accounts'], queryFn: asked }) };
}

test('a part that a slow screen shows late uses what the screen has loaded', async () => {
  const { asked, read } = reader();
  navigate('/trades');
  await read();
  vi.advanceTimersByTime(40_000);
  await read();
  expect(asked).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(25_000); // an open screen does not keep it forever
  await read();
  expect(asked).toHaveBeenCalledTimes(2);
});

test('the next screen loads again what is older than 15 seconds', async () => {
  const { asked, read } = reader();
  navigate('/trades');
  await read();
  vi.advanceTimersByTime(10_000);
  navigate('/calendar');
  await read();
  expect(asked).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  await read();
  expect(asked).toHaveBeenCalledTimes(2);
});

test('another filter is the same screen', () => {
  navigate('/trades');
  const opened = here.openedAt;
  vi.advanceTimersByTime(1000);
  navigate('/trades?side=long');
  expect(here.openedAt).toBe(opened);
  navigate('/calendar');
  expect(here.openedAt).toBe(opened + 1000);
});
