// Writes a summary's figures. Their names and kinds are in lib/labels.ts.

import { currencyDecimals, signOf, type Amount } from './format/format';
import { formats } from './formats.svelte';
import { figureLabel, type FigureKind } from './labels';

/** Formats a value by its kind. */
export function formatFigure(value: Amount | null | undefined, kind: FigureKind, currency: string): string {
  switch (kind) {
    case 'result':
      return formats.money(value, currency, { signed: true });
    case 'money':
      return formats.money(value, currency);
    case 'compact':
      return formats.money(value, currency, { short: 'compact' });
    case 'share':
      return formats.share(value as number | null);
    case 'percent':
      return formats.percent(value);
    case 'ratio':
      return formats.ratio(value);
    case 'count':
      return formats.count(value as number | null);
    case 'duration':
      return formats.duration(value as number | null);
    case 'r':
      return formats.r(value);
    case 'text':
      return String(value);
  }
}

/** Returns the sign of a result as formatFigure writes it, 0 for a figure that is no result. */
export const figureSign = (value: Amount | null | undefined, kind: FigureKind, currency: string) =>
  kind === 'result' || kind === 'r' ? signOf(value, figureDecimals(kind, currency)) : 0;

/** Returns the number of decimals that formatFigure writes. */
export function figureDecimals(kind: FigureKind, currency: string): number {
  switch (kind) {
    case 'result':
    case 'money':
    case 'compact':
      return currencyDecimals(currency);
    case 'share':
      return 3; // of one: 12.3 %
    case 'count':
    case 'duration':
      return 0;
    default:
      return 2;
  }
}

/** Subtracts two figures after rounding them as they are displayed, so the displayed numbers add up. */
export function roundedDifference(
  a: Amount | null | undefined,
  b: Amount | null | undefined,
  decimals: number,
): number | null {
  if (a === null || a === undefined || b === null || b === undefined) return null;
  const rounded = (value: Amount) =>
    Math.round(
      Number(
        new Intl.NumberFormat('en-US', { maximumFractionDigits: decimals, useGrouping: false }).format(
          value as number,
        ),
      ) *
        10 ** decimals,
    );
  return (rounded(a) - rounded(b)) / 10 ** decimals + 0; // no minus zero
}

/** Formats a difference by its kind, with a sign. */
export function formatDifference(value: number, kind: FigureKind, currency: string): string {
  if (value < 0 && kind === 'duration') return `\u2212${formats.duration(value)}`; // durations have no sign
  const plus = value > 0 && kind !== 'result' && kind !== 'r' ? '+' : '';
  return plus + formatFigure(value, kind, currency);
}

/** Replaces the API names and operators in a formula with the labels and signs of the page. */
export function formatFormula(formula: string): string {
  const operators = formula.replace(/ \/ /g, ' ÷ ').replace(/ \* /g, ' × ').replace(/ - /g, ' − ');
  return operators.replace(/[a-z]+(_[a-z]+)+|\bwins\b|\blosses\b/g, (name) => {
    const label = figureLabel(name).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
    return label.includes(' / ') ? `(${label})` : label;
  });
}

/** Returns the formatter for an axis of money, which is empty while amounts are hidden. */
export function moneyAxis(currency: string): (value: number) => string {
  return (value) =>
    formats.notation.hideAmounts ? '' : formats.money(value, currency, { short: 'compact' });
}
