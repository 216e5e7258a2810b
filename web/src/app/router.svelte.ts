// Routing with the History API. Links are plain <a href>; one listener handles clicks
// that stay on the page. Opening in a new tab and copying an address work as usual.

import { match, type Match } from './routes';

class Here {
  path = $state(location.pathname);
  search = $state(location.search);
  /** When the current path was opened, in milliseconds. */
  openedAt = Date.now();
  readonly match: Match = $derived(match(this.path));
  readonly params: URLSearchParams = $derived(new URLSearchParams(this.search));
}

/** The current address. */
export const here = new Here();

export interface NavigateOptions {
  replace?: boolean;
  keepScroll?: boolean;
}

let intercept: (to: URL) => boolean = () => false;

/** Registers a function that may open the next screen itself; it returns whether it did. */
export function interceptNavigation(handle: (to: URL) => boolean): void {
  intercept = handle;
}

export function navigate(to: string, options: NavigateOptions = {}): void {
  const url = new URL(to, location.origin);
  const same = url.pathname === location.pathname && url.search === location.search;
  if (url.pathname !== location.pathname && intercept(url)) return;
  if (options.replace || same) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  readLocation();
  if (!options.keepScroll) scrollTo(0, 0);
}

/** Sets a parameter of the address that does not belong to the filter, such as ?trade=…; null removes it. */
export function setParam(name: string, value: string | null, options: NavigateOptions = {}): void {
  const params = new URLSearchParams(location.search);
  if (value === null) params.delete(name);
  else params.set(name, value);
  const search = params.toString().replaceAll('%2C', ',');
  navigate(location.pathname + (search ? `?${search}` : ''), { keepScroll: true, ...options });
}

function readLocation(): void {
  if (here.path !== location.pathname) here.openedAt = Date.now();
  here.path = location.pathname;
  here.search = location.search;
}

function handleClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  // Links in charts are SVG elements, whose href property is an object: read the attribute.
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
  addEventListener('popstate', readLocation);
  document.addEventListener('click', handleClick);
}
