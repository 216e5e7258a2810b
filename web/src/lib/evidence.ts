// The words for evidence, the same everywhere: an interval, and whether chance explains
// a difference.

/** The probability below which chance is an unlikely explanation. */
const unlikely = 0.05;

/** Reports whether chance is unlikely to explain a difference; null is the p-value of too few trades. */
export const isClear = (pValue: number | null) => pValue !== null && pValue < unlikely;

/** Says whether chance explains a difference. */
export const chanceText = (clear: boolean) => (clear ? 'unlikely to be chance' : 'could be chance');

/**
 * Says what to make of a row's difference. Its p-value is corrected for the number of rows and its interval is not, so
 * with many rows an interval without zero can be chance.
 */
export function evidenceText(
  pValue: number | null,
  interval: { low: number | null; high: number | null } | null,
): string {
  const clear = isClear(pValue);
  const hasZero = !interval || ((interval.low ?? 0) <= 0 && (interval.high ?? 0) >= 0);
  if (clear || hasZero) return chanceText(clear);
  return pValue === null ? 'too few trades to tell' : 'could be chance, as one of several';
}

/** Says why a comparison with the other trades is biased, '' if it is not. */
export function biasText(of: { selects_winners: boolean; selects_losers: boolean }): string {
  const kind = of.selects_winners ? 'winners' : of.selects_losers ? 'losers' : '';
  return kind ? `Only ${kind} can have this tag, so the comparison is biased` : '';
}
