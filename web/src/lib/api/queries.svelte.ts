// What screens read and write through. Reading is cached by key, so two
// components that ask the same thing cost one request; writing says which kinds
// of thing it touched, and all screens that show those read anew.
//
//   const trades = query(() => ({ key: ['trades', filter.scope], load: () => answer(api.GET(…)) }));
//   {#if trades.data} …
//
//   await act({ run: () => answer(api.DELETE(…)), touches: ['trades', 'analytics'], done: 'Trade deleted.' });

import { createQuery, keepPreviousData, QueryClient } from '@tanstack/svelte-query';
import { filter } from '../filter/filter.svelte';
import type { ResultScope } from '../filter/filter';
import { toast } from '../toasts.svelte';
import { answer, api } from './client';
import { ApiError, asApiError } from './errors';

/** The first word of every key. */
export type Kind =
  | 'accounts'
  | 'admin'
  | 'analytics'
  | 'attachments'
  | 'cash'
  | 'executions'
  | 'imports'
  | 'me'
  | 'missed'
  | 'notes'
  | 'preferences'
  | 'routines'
  | 'sessions'
  | 'settings'
  | 'setups'
  | 'share'
  | 'tags'
  | 'tokens'
  | 'trades';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: true,
      retry: (failures, fault) => failures < 2 && [0, 502, 503, 504].includes(asApiError(fault).status),
    },
  },
});

export interface Reading<T> {
  key: [Kind, ...unknown[]];
  load: (signal: AbortSignal) => Promise<T>;
  enabled?: boolean;
  /** Show the last answer while the next one comes: for filters, so that nothing jumps. */
  keep?: boolean;
  refetchEvery?: number;
}

/** Reads while a component lives. Call it once, at the top of the script of a component. */
export function query<T>(reading: () => Reading<T>) {
  return createQuery<T, ApiError>(
    () => {
      const { key, load, enabled = true, keep = true, refetchEvery } = reading();
      return {
        queryKey: key,
        queryFn: ({ signal }: { signal: AbortSignal }) => load(signal),
        enabled,
        // Also for what a component reads late, such as the second half of a condition.
        notifyOnChangeProps: 'all',
        ...(keep ? { placeholderData: keepPreviousData } : {}),
        ...(refetchEvery ? { refetchInterval: refetchEvery } : {}),
      };
    },
    () => queryClient,
  );
}

export interface Action<T> {
  run: () => Promise<T>;
  touches: Kind[];
  done?: string; // told when it worked
  undo?: (result: T) => Promise<unknown>; // offered with it
  quiet?: boolean; // the caller shows the error itself, at its field
}

/** Writes, tells about it and has everything it touched read anew. */
export async function act<T>(action: Action<T>): Promise<T> {
  try {
    const result = await action.run();
    refresh(action.touches);
    if (action.done) toast.done(action.done, undoOf(action, result));
    return result;
  } catch (fault) {
    const error = asApiError(fault);
    if (!action.quiet) toast.failed(error.message);
    throw error;
  }
}

/** For writes whose outcome the page shows before the answer, and that may follow each other fast: they
    go out one after the other, and only the last has things read anew, so that no answer from in
    between takes back what is shown. That is also the way back when one was refused. */
export function inTurn(touches: Kind[]): (run: () => Promise<unknown>) => Promise<void> {
  let last = Promise.resolve();
  let waiting = 0;
  return (run) => {
    waiting++;
    last = last.then(async () => {
      await act({ run, touches: [] }).catch(() => undefined); // it has told of it
      if (--waiting === 0) refresh(touches);
    });
    return last;
  };
}

function undoOf<T>(action: Action<T>, result: T): (() => Promise<void>) | undefined {
  if (!action.undo) return undefined;
  return async () => {
    await act({ run: () => action.undo!(result), touches: action.touches, done: 'Undone.' });
  };
}

export function refresh(kinds: Kind[] | 'all'): void {
  if (kinds === 'all') {
    void queryClient.invalidateQueries();
    return;
  }
  for (const kind of kinds) void queryClient.invalidateQueries({ queryKey: [kind] });
}

// The readings that many screens share.

export const readAccounts = () =>
  query(() => ({ key: ['accounts'], load: (signal) => answer(api.GET('/api/v1/accounts', { signal })) }));

export const readTags = () =>
  query(() => ({ key: ['tags'], load: (signal) => answer(api.GET('/api/v1/tags', { signal })) }));

export const readSetups = () =>
  query(() => ({ key: ['setups'], load: (signal) => answer(api.GET('/api/v1/setups', { signal })) }));

export const readSummary = (scope: () => ResultScope = () => filter.results) =>
  query(() => ({
    key: ['analytics', 'summary', scope()],
    load: (signal) => answer(api.GET('/api/v1/analytics/summary', { params: { query: scope() }, signal })),
  }));

export const readEquity = (scope: () => ResultScope = () => filter.results) =>
  query(() => ({
    key: ['analytics', 'equity', scope()],
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/equity-curve', {
          params: { query: { ...scope(), max_points: 600 } },
          signal,
        }),
      ),
  }));
