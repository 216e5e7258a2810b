// The totals of open positions, which Today and Positions show.

import type { Scope } from '../filter/filter';
import { filter } from '../filter/filter.svelte';
import { preferences } from '../preferences.svelte';
import { answer, api } from './client';
import { asApiError } from './errors';
import { query } from './queries.svelte';

/** The preference of the currency of all totals; '' for each currency by itself. */
export const totalCurrency = 'today.total_currency';

/** Reads the totals of open positions. */
export const readPositionTotals = (enabled: () => boolean = () => true) =>
  query(() => {
    const currency = String(preferences.get(totalCurrency, '')) || preferences.currency;
    const of = { ...filter.scopeWith({ range: 'all' }), currency: undefined };
    return {
      key: ['trades', 'totals', of, currency],
      enabled: enabled(),
      load: async (signal) => {
        const read = (query: Scope) =>
          answer(api.GET('/api/v1/positions/totals', { params: { query }, signal }));
        if (!currency) return { ...(await read(of)), missing: [] };
        try {
          return { ...(await read({ ...of, currency })), missing: [] };
        } catch (fault) {
          const { code, details } = asApiError(fault);
          if (code !== 'rates_missing') throw fault;
          return { ...(await read(of)), missing: (details.missing as { base: string }[]).map((m) => m.base) };
        }
      },
    };
  });
