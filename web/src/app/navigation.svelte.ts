// The navigation: the screens that the user may open, their addresses with the
// current filter, and the current screen.

import { filter } from '../lib/filter/filter.svelte';
import { session } from '../lib/session.svelte';
import { here } from './router.svelte';
import { routes, sectionNames, type Route, type Section } from './routes';

export interface Place {
  route: Route;
  href: string;
  current: boolean;
}

export function places(section: Section): Place[] {
  return routes
    .filter((r) => r.section === section && (!r.admin || session.user?.is_admin))
    .map((route) => ({
      route,
      href: route.filtered ? filter.link(route.path) : route.path,
      current:
        route.path === '/'
          ? here.path === '/'
          : here.path === route.path || here.path.startsWith(`${route.path}/`),
    }));
}

export const sections = Object.keys(sectionNames) as Section[];
