// The totals of open positions, which Today and Positions show.

import { filter } from '../filter/filter.svelte';
import { preferences } from '../preferences.svelte';
import { answer, api } from './client';
import { query } from './queries.svelte';

/** The preference of the currency of all totals; '' for each currency by itself. */
export const totalCurrency = 'today.total_currency';

/** Reads the totals of open positions. */
export const readPositionTotals = (enabled: () => boolean = () => true) =>
  query(() => {
    const currency = String(preferences.get(totalCurrency, ''));
    const of = filter.scopeWith({ range: 'all' });
    return {
      key: ['trades', 'totals', of, currency],
      enabled: enabled(),
      load: (signal) =>
        answer(
          api.GET('/api/v1/positions/totals', {
            params: { query: { ...of, ...(currency ? { currency } : {}) } },
            signal,
          }),
        ),
    };
  });
