// Routing over the History API. Links are plain <a href>: one listener takes
// the clicks that stay inside the page, so opening in a new tab, copying an
// address and reading the status bar all work as everywhere else.

import { match, type Match } from './routes';

class Here {
  path = $state(location.pathname);
  search = $state(location.search);
  readonly match: Match = $derived(match(this.path));
  readonly params: URLSearchParams = $derived(new URLSearchParams(this.search));
}

/** Where the reader is. */
export const here = new Here();

export interface NavigateOptions {
  replace?: boolean;
  keepScroll?: boolean;
}

export function navigate(to: string, options: NavigateOptions = {}): void {
  const url = new URL(to, location.origin);
  const same = url.pathname === location.pathname && url.search === location.search;
  if (options.replace || same) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  follow();
  if (!options.keepScroll) scrollTo(0, 0);
}

/** Changes one parameter of the address that is not the filter's, such as ?trade=…; null removes it. */
export function setParam(name: string, value: string | null, options: NavigateOptions = {}): void {
  const params = new URLSearchParams(location.search);
  if (value === null) params.delete(name);
  else params.set(name, value);
  const search = params.toString().replaceAll('%2C', ',');
  navigate(location.pathname + (search ? `?${search}` : ''), { keepScroll: true, ...options });
}

function follow(): void {
  here.path = location.pathname;
  here.search = location.search;
}

function take(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  // Links of charts are SVG, whose properties are objects: attributes are alike.
  const link = (event.target as Element | null)?.closest('a');
  const href = link?.getAttribute('href');
  if (!link || !href || link.getAttribute('target') || link.hasAttribute('download')) return;
  const url = new URL(href, location.href);
  if (url.origin !== location.origin || !match(url.pathname).route) return;
  if (url.hash && url.pathname === location.pathname) return;
  event.preventDefault();
  navigate(url.pathname + url.search);
}

export function startRouter(): void {
  addEventListener('popstate', follow);
  document.addEventListener('click', take);
}
