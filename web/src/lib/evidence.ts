// The words for evidence, the same everywhere: an interval, and whether chance explains
// a difference.

/** The probability below which chance is an unlikely explanation. */
const unlikely = 0.05;

/** Reports whether chance is unlikely to explain a difference; null is the p-value of too few trades. */
export const isClear = (pValue: number | null) => pValue !== null && pValue < unlikely;

/** Says whether chance explains a difference. */
export const chanceText = (clear: boolean) => (clear ? 'unlikely to be chance' : 'could be chance');

/** Says why a comparison with the other trades is biased, '' if it is not. */
export function biasText(of: { selects_winners: boolean; selects_losers: boolean }): string {
  const kind = of.selects_winners ? 'winners' : of.selects_losers ? 'losers' : '';
  return kind ? `Only ${kind} can have this tag, so the comparison is biased` : '';
}
