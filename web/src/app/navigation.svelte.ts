// The navigation: the screens the user may open, their addresses with the
// current filter, and the current screen.

import { filter } from '../lib/filter/filter.svelte';
import { session } from '../lib/session.svelte';
import { listHref, type View } from '../lib/views.svelte';
import { here } from './router.svelte';
import { routes, sectionNames, type Route, type Section } from './routes';

export interface Place {
  route: Route;
  href: string;
  current: boolean;
}

/** Returns the address of a screen with the current filter. The list of trades keeps the order and columns of the open view. */
export function routeHref(route: Route, views: View[] | undefined): string {
  if (route.path === '/trades') return listHref(views);
  return route.filtered ? filter.link(route.path) : route.path;
}

export function places(section: Section, views: View[] | undefined): Place[] {
  return routes
    .filter((r) => r.section === section && (!r.admin || session.user?.is_admin))
    .map((route) => ({
      route,
      href: routeHref(route, views),
      current:
        route.path === '/'
          ? here.path === '/'
          : here.path === route.path || here.path.startsWith(`${route.path}/`),
    }));
}

export const sections = Object.keys(sectionNames) as Section[];
