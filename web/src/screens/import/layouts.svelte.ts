// Reads and writes the remembered settings of imports.

import { answer, api } from '../../lib/api/client';
import { act, query, queryClient, type Query } from '../../lib/api/queries.svelte';
import { connection } from '../../lib/connection.svelte';
import type { Schemas } from '../../lib/api/client';
import { toLayout, type Remembered } from './memory';

const stored: Query<Schemas['ImportLayout'][]> = {
  key: ['imports', 'layouts'],
  load: (signal) => answer(api.GET('/api/v1/import-layouts', { signal })),
};

export const readStoredLayouts = () => query(() => stored);

/** Waits until the stored layouts are loaded, because a file is matched with them as soon as it is read. */
export async function loadLayouts(): Promise<void> {
  await queryClient
    .ensureQueryData({ queryKey: stored.key, queryFn: ({ signal }) => stored.load(signal) })
    .catch(() => undefined); // a file can be imported without them
}

/** Stores a layout's settings. */
export function storeLayout(entry: Remembered): Promise<unknown> {
  const path = { signature: entry.signature };
  const write = () =>
    answer(api.PUT('/api/v1/import-layouts/{signature}', { params: { path }, body: toLayout(entry) }));
  return act({ run: () => connection.resend(write), touches: ['imports'] }).catch(() => undefined); // the error was shown
}

/** Deletes a layout's settings. */
export function forgetLayout({ signature, name }: Remembered): Promise<unknown> {
  return act({
    run: () => answer(api.DELETE('/api/v1/import-layouts/{signature}', { params: { path: { signature } } })),
    touches: ['imports'],
    done: `Forgot the settings of ${name}. The next import asks again.`,
  }).catch(() => undefined); // the error was shown
}
