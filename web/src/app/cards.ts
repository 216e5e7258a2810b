// What Today shows of other screens. It is loaded when it is needed.

export const loadPinnedCard = () => import('../screens/reports/ReportCard.svelte');

/** Loads the drawer with the trades of a figure, which pinned cards link to. */
export const loadSelectedTrades = () => import('../screens/reports/SelectedTrades.svelte');
