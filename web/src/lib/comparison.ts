// A comparison's outcome in words.

import type { Schemas } from './api/client';
import { formatFigure } from './figures';
import { signOf } from './format/format';
import { formats } from './formats.svelte';

export interface Verdict {
  chip: string; // '' if there are too few trades
  tone: 'plain' | 'gain' | 'loss';
  sentences: string[];
}

/** Describes the difference per trade, its interval and how likely chance is. */
export function describeComparison(d: Schemas['Difference'], currency: string): Verdict {
  const write = (value: number) => formatFigure(value, 'result', currency);
  const { low, high } = d.interval;
  const difference = `Average difference per trade: ${write(d.expectancy)}.`;
  if (d.p_value === null)
    return {
      chip: '',
      tone: 'plain',
      sentences: [difference, 'There are too few trades to rule out chance.'],
    };
  const range =
    low === null || high === null
      ? []
      : [`It is between ${write(low)} and ${write(high)} with 95% confidence.`];
  const chance = `A difference this big would occur by chance ${formats.share(d.p_value)} of the time.`;
  if (!d.significant)
    return { chip: 'Could be chance', tone: 'plain', sentences: [difference, ...range, chance] };
  const tone = signOf(d.expectancy) < 0 ? 'loss' : 'gain';
  return { chip: 'Unlikely to be chance', tone, sentences: [difference, ...range, chance] };
}
