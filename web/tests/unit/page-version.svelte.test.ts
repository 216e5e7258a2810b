// @vitest-environment jsdom

import { afterEach, expect, test, vi } from 'vitest';
import { createForm, type FormState } from '../../src/lib/form.svelte';
import { flushSync } from 'svelte';
import { PageVersion } from '../../src/lib/pageVersion.svelte';

const script = '/assets/index-old.js';
const start = (name: string) => `<script src="/assets/${name}.js"></script><div id="app"></div>`;
const outdatedPage = async () => {
  const version = new PageVersion({ script, load: async () => start('index-new') });
  await version.check();
  return version;
};

afterEach(() => document.body.replaceChildren());

test.each([
  ['the same page', () => Promise.resolve(start('index-old')), false],
  ['another page', () => Promise.resolve(start('index-new')), true],
  ['no response', () => Promise.reject(new TypeError('Failed to fetch')), false],
  ['the page of a proxy', () => Promise.resolve('<h1>Bad gateway</h1>'), false],
])('%s: outdated is right', async (_, load, outdated) => {
  const version = new PageVersion({ script, load });
  await version.check();
  expect(version.outdated).toBe(outdated);
  expect(version.shouldReload).toBe(outdated);
});

test('an open dialog, a changed form and held work keep the page', async () => {
  const version = await outdatedPage();
  const dialog = document.createElement('dialog');
  dialog.setAttribute('open', '');
  document.body.append(dialog);
  expect(version.shouldReload).toBe(false);
  dialog.remove();
  expect(version.shouldReload).toBe(true);

  const release = version.hold();
  expect(version.shouldReload).toBe(false);
  release();
  expect(version.shouldReload).toBe(true);

  let form!: FormState<{ name: string }, undefined>;
  const close = $effect.root(() => {
    form = createForm({ initial: () => ({ name: '' }), submit: async () => undefined });
  });
  flushSync();
  expect(version.shouldReload).toBe(true);
  form.values.name = 'typed';
  flushSync();
  expect(version.shouldReload).toBe(false);
  close();
  expect(version.shouldReload).toBe(true);
});

test('a part that failed without a server and fails with it needs a new page', () => {
  const version = new PageVersion({ script, load: async () => start('index-old') });
  version.noteFailure(false); // a file that is missing: a new page would not have it either
  expect(version.shouldReload).toBe(false);
  version.noteFailure(true);
  expect(version.shouldReload).toBe(false);
  version.noteFailure(false);
  expect(version.shouldReload).toBe(true);
});

test('the server is not asked too often', async () => {
  vi.useFakeTimers();
  const load = vi.fn(async () => start('index-old'));
  const version = new PageVersion({ script, load });
  await version.checkSometimes();
  expect(load).not.toHaveBeenCalled();
  vi.advanceTimersByTime(15 * 60_000);
  await version.checkSometimes();
  await version.checkSometimes();
  expect(load).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});
