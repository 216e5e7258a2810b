// The words for evidence, the same everywhere: an interval, and whether chance explains
// a difference.

/** Says whether chance explains a difference. */
export const chanceText = (clear: boolean) => (clear ? 'unlikely to be chance' : 'could be chance');
