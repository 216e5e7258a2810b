// The queries of alerts and channels.

import { answer, api } from './client';
import { query } from './queries.svelte';

const pollMillis = 60_000;

async function readList(filter: { unread?: boolean; limit: number }, signal: AbortSignal) {
  const request = api.GET('/api/v1/alerts', { params: { query: filter }, signal });
  const list = await answer(request);
  return { list, total: Number((await request).response.headers.get('X-Total-Count')) };
}

/** Reads how many alerts are unread, every minute. */
export const readUnreadAlerts = () =>
  query(() => ({
    key: ['alerts', 'unread'],
    load: async (signal) => (await readList({ unread: true, limit: 1 }, signal)).total,
    refetchEvery: pollMillis,
  }));

/** Reads the newest alerts. */
export const readAlerts = (limit: () => number) =>
  query(() => ({
    key: ['alerts', 'list', limit()],
    load: (signal) => readList({ limit: limit() }, signal),
  }));

export const readAlertSettings = () =>
  query(() => ({
    key: ['alerts', 'settings'],
    load: (signal) => answer(api.GET('/api/v1/alert-settings', { signal })),
  }));

export const readChannels = () =>
  query(() => ({
    key: ['channels', 'list'],
    load: (signal) => answer(api.GET('/api/v1/channels', { signal })),
  }));

export const readChannelKinds = () =>
  query(() => ({
    key: ['channels', 'kinds'],
    load: (signal) => answer(api.GET('/api/v1/channels/kinds', { signal })),
  }));
