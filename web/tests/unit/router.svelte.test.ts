// @vitest-environment jsdom

import { beforeEach, expect, test, vi } from 'vitest';
import { here, interceptNavigation, navigate, setParam, startRouter } from '../../src/app/router.svelte';

const scroll = vi.fn();
vi.stubGlobal('scrollTo', scroll);
startRouter();

beforeEach(() => {
  document.body.replaceChildren();
  navigate('/');
  scroll.mockClear();
});

function click(markup: string, init: MouseEventInit = {}): boolean {
  document.body.innerHTML = markup;
  const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...init });
  document.body.querySelector('a')!.dispatchEvent(event);
  return event.defaultPrevented;
}

test('navigate changes the address, the route and the scroll position', () => {
  const before = history.length;
  navigate('/trades/7?symbol=ES');
  expect([here.path, here.params.get('symbol'), here.match.params.id]).toEqual(['/trades/7', 'ES', '7']);
  expect(history.length).toBe(before + 1);
  expect(scroll).toHaveBeenCalledWith(0, 0);
  navigate('/trades/7?symbol=ES'); // the same address again is no step back
  expect(history.length).toBe(before + 1);
});

test('setParam sets and removes one parameter, and keeps the position', () => {
  navigate('/trades?symbol=ES,NQ');
  scroll.mockClear();
  setParam('trade', '7');
  expect(location.search).toBe('?symbol=ES,NQ&trade=7');
  setParam('trade', null);
  expect(location.search).toBe('?symbol=ES,NQ');
  expect(scroll).not.toHaveBeenCalled();
});

test('a click on a link of the page stays on the page', () => {
  expect(click('<a href="/trades?symbol=ES">Trades</a>')).toBe(true);
  expect([here.path, here.search]).toEqual(['/trades', '?symbol=ES']);
  expect(click('<svg><a href="/notes"><rect /></a></svg>')).toBe(true);
  expect(here.path).toBe('/notes');
});

test.each([
  ['a new tab', '<a href="/trades" target="_blank">x</a>', {}],
  ['a download', '<a href="/trades" download>x</a>', {}],
  ['another site', '<a href="https://example.com/trades">x</a>', {}],
  ['an address that is no screen', '<a href="/docs">x</a>', {}],
  ['a place on the same screen', '<a href="/#content">x</a>', {}],
  ['Ctrl', '<a href="/trades">x</a>', { ctrlKey: true }],
  ['the middle button', '<a href="/trades">x</a>', { button: 1 }],
])('the browser handles %s', (_, markup, init) => {
  // jsdom cannot load another page and would log that it did not try.
  document.addEventListener('click', (event) => event.preventDefault(), { once: true });
  click(markup, init);
  expect(here.path).toBe('/');
});

test('another screen may be opened by someone else, the same one with other parameters may not', () => {
  const opened: string[] = [];
  interceptNavigation((to) => opened.push(to.pathname + to.search) > 0);
  navigate('/notes?kind=note');
  setParam('symbol', 'ES');
  interceptNavigation(() => false);
  expect(opened).toEqual(['/notes?kind=note']);
  expect([here.path, here.search]).toEqual(['/', '?symbol=ES']);
});

test('Back restores the address', async () => {
  navigate('/trades');
  const returned = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
  history.back();
  await returned;
  expect(here.path).toBe('/');
});
