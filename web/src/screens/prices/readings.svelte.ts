// What the Prices screen reads. Its cards are shown together, because each moves those below it while it loads.

import { answer, api } from '../../lib/api/client';
import { query } from '../../lib/api/queries.svelte';

export const readProviders = () =>
  query(() => ({
    key: ['bars', 'providers'],
    load: (signal) => answer(api.GET('/api/v1/bars/providers', { signal })),
  }));

/** Reads the sources again and again while one of them fetches prices. */
export const readSources = (isRunning: () => boolean = () => false) =>
  query(() => ({
    key: ['bars', 'sources'],
    load: (signal) => answer(api.GET('/api/v1/bars/sources', { signal })),
    ...(isRunning() ? { refetchEvery: 1500 } : {}),
  }));

/** Reads the stored series with the share of the quota they use. */
export const readSeries = () =>
  query(() => ({
    key: ['bars', 'series'],
    load: async (signal) => {
      const fetched = api.GET('/api/v1/bars/series', { signal });
      const list = await answer(fetched);
      const { headers } = (await fetched).response;
      return {
        list,
        used: Number(headers.get('X-Quota-Used')),
        limit: Number(headers.get('X-Quota-Limit')),
      };
    },
  }));

export const readImports = () =>
  query(() => ({
    key: ['bars', 'imports'],
    load: (signal) => answer(api.GET('/api/v1/bars/imports', { signal })),
  }));
