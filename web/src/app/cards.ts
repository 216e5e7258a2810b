// What Today shows of other screens. It is loaded when it is needed.

import { here } from './router.svelte';

export const loadPinnedCard = () => import('../screens/reports/ReportCard.svelte');

/** Loads the drawer with a figure's trades, which pinned cards link to. */
export const loadSelectedTrades = () => import('../screens/reports/SelectedTrades.svelte');

/** Returns the address that opens the trades of a selection over the current screen. */
export function tradesHref(kind: string, key: string): string {
  const params = new URLSearchParams(here.search);
  params.set('behind', `${kind}:${key}`);
  return `${here.path}?${params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}
