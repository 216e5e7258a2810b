// The saved views: reading and writing them, their addresses, and whether the
// filter differs from the view that is open.

import { here } from '../app/router.svelte';
import { answer, api, type Schemas } from './api/client';
import { act, query } from './api/queries.svelte';
import { daysOf, type Filter } from './filter/filter';
import { filter } from './filter/filter.svelte';
import { isSameFilter, loadFilter, orderOf, sortOf, storeFilter, type View } from './filter/views';
import { preferences } from './preferences.svelte';

export type { View };

export const readViews = () =>
  query(() => ({
    key: ['views'],
    load: (signal) => answer(api.GET('/api/v1/views', { params: { query: { limit: 200 } }, signal })),
  }));

/** Returns a view's filter. The unit and when results count stay. */
export function filterOf(view: View): Filter {
  const { unit, pnl } = filter.now;
  return { ...loadFilter(view.filter, preferences.timeZone), unit, pnl, view: view.id };
}

/** Returns the order and columns of a view, as parameters of the list of trades. */
function listParams(view: View): Record<string, string> {
  const sort = sortOf(view);
  return {
    ...(sort ? { sort } : {}),
    ...(view.columns.length > 0 ? { columns: view.columns.join(',') } : {}),
  };
}

/** Returns a view's address in the list of trades. */
export const viewHref = (view: View) => filter.link('/trades', filterOf(view), listParams(view));

/** Returns the address of the list of trades with the current filter, and with the order and columns of the open view. */
export function listHref(views: View[] | undefined): string {
  const open = views?.find((v) => v.id === filter.now.view);
  return filter.link('/trades', {}, open ? listParams(open) : {});
}

/** Returns the days of a view's period. */
export function daysOfView(view: View): { from: string; to: string } {
  return daysOf(filterOf(view), filter.timeZone, preferences.weekStart, filter.today);
}

/** The columns the list of trades shows. */
export const tradeColumns = $state({ shown: [] as string[] });

const isInList = () => here.match.route?.path === '/trades';

/** Returns the filter in the address, and the order and columns if it has them, as a view's values. */
function currentValues(): Pick<Schemas['ViewFields'], 'filter' | 'columns' | 'sort' | 'order'> {
  const columns = isInList() ? here.params.get('columns') : null;
  const sort = isInList() ? here.params.get('sort') : null;
  return {
    filter: storeFilter(filter.now, preferences.timeZone),
    ...(columns ? { columns: columns.split(',') } : {}),
    ...(sort ? orderOf(sort) : {}),
  };
}

/** Reports whether the filter, the order or the columns differ from those of the view. */
export function isChanged(view: View): boolean {
  const now = currentValues();
  return (
    !isSameFilter(now.filter ?? {}, view.filter) ||
    (now.sort != null && sortOf({ sort: now.sort, order: now.order ?? null }) !== sortOf(view)) ||
    (now.columns != null && now.columns.join() !== view.columns.join())
  );
}

/** Saves the current filter as a new view. */
export const createView = (name: string, pinned: boolean) =>
  act({
    run: () =>
      answer(
        api.POST('/api/v1/views', {
          body: { ...(isInList() ? { columns: tradeColumns.shown } : {}), ...currentValues(), name, pinned },
        }),
      ),
    touches: ['views'],
    done: 'View saved.',
    quiet: true,
  });

/** Changes a view. Without a message the caller shows errors itself. */
export const changeView = (view: View, change: Schemas['ViewChange'], done?: string) =>
  act({
    run: () => answer(api.PATCH('/api/v1/views/{id}', { params: { path: { id: view.id } }, body: change })),
    touches: ['views'],
    done,
  });

export const saveChanges = (view: View) => changeView(view, currentValues(), 'View saved.');

export const deleteView = (view: View) =>
  act({
    run: () => answer(api.DELETE('/api/v1/views/{id}', { params: { path: { id: view.id } } })),
    touches: ['views'],
    done: `View “${view.name}” deleted.`,
  });
