// A result where a phone leaves room for five characters: no currency, no cents.

import { formats } from '../../lib/formats.svelte';

export function narrow(result: number): string {
  const short = Math.abs(result) >= 1000 ? 'compact' : 'whole';
  return formats.money(result, '', { signed: true, short });
}
