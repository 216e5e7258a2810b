import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toast } from '../../src/lib/toasts.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
});

const texts = () => toast.shown.map((t) => t.text);

test('a message disappears, one with Undo and an error stay longer', () => {
  toast.done('Saved.');
  toast.done('Deleted.', async () => undefined);
  toast.failed('Refused.');
  expect(texts()).toEqual(['Saved.', 'Deleted.', 'Refused.']);
  vi.advanceTimersByTime(4_000);
  expect(texts()).toEqual(['Deleted.', 'Refused.']);
  vi.advanceTimersByTime(6_000);
  expect(texts()).toEqual([]);
});

test('three messages at most, the newest ones', () => {
  for (const text of ['1', '2', '3', '4']) toast.done(text);
  expect(texts()).toEqual(['2', '3', '4']);
});

test('a closed message is gone, the others stay', () => {
  toast.done('first');
  toast.done('second');
  toast.close(toast.shown[0]!.id);
  expect(texts()).toEqual(['second']);
});

test('the topmost dialog shows the messages', () => {
  const closeFirst = toast.addDialog('first');
  const closeSecond = toast.addDialog('second');
  expect(toast.topDialog).toBe('second');
  closeFirst();
  expect(toast.topDialog).toBe('second');
  closeSecond();
  expect(toast.topDialog).toBe('');
});
