// Reads and writes of screens. Reads are cached by key, so two components with
// the same query cost one request. Writes name the kinds of data they changed,
// and every query of these kinds is loaded again.
//
//   const trades = query(() => ({ key: ['trades', filter.scope], load: () => answer(api.GET(…)) }));
//   {#if trades.data} …
//
//   await act({ run: () => answer(api.DELETE(…)), touches: ['trades', 'analytics'], done: 'Trade deleted.' });

import { createQuery, keepPreviousData, QueryClient } from '@tanstack/svelte-query';
import { here } from '../../app/router.svelte';
import { filter } from '../filter/filter.svelte';
import type { ResultScope } from '../filter/filter';
import { changes, type UndoConflict } from '../changes.svelte';
import { connection } from '../connection.svelte';
import { toast } from '../toasts.svelte';
import { answer, api, sharedReads } from './client';
import { ApiError, asApiError } from './errors';

/** The first part of every query key. */
export type Kind =
  | 'accounts'
  | 'actions'
  | 'admin'
  | 'alerts'
  | 'analytics'
  | 'attachments'
  | 'bars'
  | 'cash'
  | 'channels'
  | 'connections'
  | 'consents'
  | 'executions'
  | 'history'
  | 'hooks'
  | 'imports'
  | 'me'
  | 'missed'
  | 'notes'
  | 'notices'
  | 'preferences'
  | 'rates'
  | 'programs'
  | 'routines'
  | 'rules'
  | 'sessions'
  | 'settings'
  | 'setups'
  | 'share'
  | 'tags'
  | 'tokens'
  | 'trades'
  | 'views';

const freshFor = 15_000;

// A part that is shown late uses what the screen has loaded already, although the server is slow.
const freshWhileOpening = 60_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: (query) => (query.state.dataUpdatedAt >= here.openedAt ? freshWhileOpening : freshFor),
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: (query) => (query.isStaleByTime(freshFor) ? 'always' : false),
      // Ask the server, not the browser, whether there is a connection: it may run on this computer.
      networkMode: 'always',
      retry: (failures, fault) => failures < 2 && [0, 502, 503, 504].includes(asApiError(fault).status),
    },
  },
});

export interface Query<T> {
  key: [Kind, ...unknown[]];
  load: (signal: AbortSignal) => Promise<T>;
  enabled?: boolean;
  /** Keep the last result while the next one loads, so the page does not jump. */
  keep?: boolean;
  refetchEvery?: number;
}

/** Loads data while a component is mounted. Call it once, at the top of the component's script. */
export function query<T>(options: () => Query<T>) {
  return createQuery<T, ApiError>(
    () => {
      const { key, load, enabled = true, keep = true, refetchEvery } = options();
      return {
        queryKey: key,
        queryFn: ({ signal }: { signal: AbortSignal }) => load(signal),
        enabled,
        // Also notify about properties a component reads late, such as in the second half of a condition.
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
  done?: string; // shown after success
  onundone?: (result: T) => void; // called after the user has undone it from that message
  quiet?: boolean; // the caller shows the error itself
}

/** Writes, shows the outcome and reloads the kinds it touches. Throws an ApiError after showing it. */
export async function act<T>(action: Action<T>): Promise<T> {
  try {
    const { result, changes: made } = await changes.track(action.run);
    refresh(action.touches.length > 0 ? [...action.touches, 'history'] : []);
    if (action.done)
      toast.done(
        action.done,
        made.length > 0 ? () => undoAll(made, () => action.onundone?.(result)) : undefined,
      );
    return result;
  } catch (fault) {
    const error = asApiError(fault);
    if (!action.quiet) showFailure(action, error);
    throw error;
  }
}

/** Shows why a write failed. One that did not reach the server can be tried again. */
function showFailure<T>(action: Action<T>, error: ApiError): void {
  if (error.isAway)
    toast.failed('Can’t reach the server. Try again when it’s back.', async () => void (await act(action)));
  else toast.failed(error.message);
}

/**
 * Returns a function that runs writes one after the other and reloads after the last. For writes the page
 * shows before the response: a reload in between would show an old value for a moment. The reload also
 * corrects the page if a write is refused. A write that does not reach the server is sent again when it is back.
 */
export function queueWrites(touches: Kind[]): (run: () => Promise<unknown>) => Promise<void> {
  let last = Promise.resolve();
  let pending = 0;
  return (run) => {
    pending++;
    last = last.then(async () => {
      await act({ run: () => connection.resend(run), touches: [] }).catch(() => undefined); // act has shown the error
      if (--pending === 0) refresh(touches);
    });
    return last;
  };
}

/** Undoes changes, the newest first, and offers to do them again. */
async function undoAll(made: string[], onundone?: () => void): Promise<void> {
  const undos: string[] = [];
  try {
    for (const id of made.toReversed()) undos.push(await sendUndo(id));
  } catch (fault) {
    showRefusedUndo(asApiError(fault));
    return;
  } finally {
    if (undos.length > 0) refresh('all');
  }
  onundone?.();
  toast.done('Undone.', () => undoAll(undos), 'Redo');
}

/** Undoes one change and shows the outcome. Returns whether it was undone. */
export async function undoChange(id: string): Promise<boolean> {
  try {
    const by = await sendUndo(id);
    refresh('all');
    toast.done('Undone.', () => undoAll([by]), 'Redo');
    return true;
  } catch (fault) {
    showRefusedUndo(asApiError(fault));
    return false;
  }
}

/** Undoes or repeats the newest change of this tab. */
export async function undoNewest(what: 'change' | 'undo'): Promise<void> {
  const id = changes.newest(what);
  if (!id) {
    toast.done(what === 'change' ? 'Nothing to undo in this tab.' : 'Nothing to redo in this tab.');
    return;
  }
  await undoChange(id);
}

async function sendUndo(id: string): Promise<string> {
  try {
    const { id: by } = await answer(api.POST('/api/v1/history/{id}/undo', { params: { path: { id } } }));
    changes.recordUndo(id, by);
    return by;
  } catch (fault) {
    if (['already_undone', 'not_undoable', 'not_found'].includes(asApiError(fault).code)) changes.drop(id);
    throw fault;
  }
}

function showRefusedUndo(error: ApiError): void {
  if (error.code !== 'changed_since') {
    toast.failed(error.message);
    return;
  }
  const list = (error.details.conflicts ?? []) as UndoConflict[];
  changes.conflicts = { list, total: Number(error.details.conflicts_total ?? list.length) };
}

export function refresh(kinds: Kind[] | 'all'): void {
  sharedReads.forget();
  if (kinds === 'all') {
    void queryClient.invalidateQueries();
    return;
  }
  for (const kind of kinds) void queryClient.invalidateQueries({ queryKey: [kind] });
}

// Queries several screens share.

export const readAccounts = () =>
  query(() => ({ key: ['accounts'], load: (signal) => answer(api.GET('/api/v1/accounts', { signal })) }));

export const readTags = (enabled: () => boolean = () => true) =>
  query(() => ({
    key: ['tags'],
    enabled: enabled(),
    load: (signal) => answer(api.GET('/api/v1/tags', { signal })),
  }));

/** The difference that each tag makes. Chance is judged over all tags, wherever some of them are shown. */
export const readTagEffects = () =>
  query(() => ({
    key: ['analytics', 'tag effects', filter.scope],
    load: (signal) =>
      answer(api.GET('/api/v1/analytics/tag-effects', { params: { query: filter.scope }, signal })),
  }));

export const readSetups = (enabled: () => boolean = () => true) =>
  query(() => ({
    key: ['setups'],
    enabled: enabled(),
    load: (signal) => answer(api.GET('/api/v1/setups', { signal })),
  }));

/** The traded roots and symbols. */
export const readSymbols = () =>
  query(() => ({
    key: ['trades', 'symbols'],
    load: (signal) => answer(api.GET('/api/v1/symbols', { signal })),
  }));

/** Reads the connections again and again while one of them runs. */
export const readConnections = (isRunning: () => boolean = () => false) =>
  query(() => ({
    key: ['connections', 'list'],
    load: (signal) => answer(api.GET('/api/v1/connections', { signal })),
    ...(isRunning() ? { refetchEvery: 1500 } : {}),
  }));

export const readSummary = (scope: () => ResultScope = () => filter.results) =>
  query(() => ({
    key: ['analytics', 'summary', scope()],
    load: (signal) => answer(api.GET('/api/v1/analytics/summary', { params: { query: scope() }, signal })),
  }));

/** Reads the net P&L day by day, with its sum so far. */
export const readDaily = (of: () => ResultScope, enabled: () => boolean = () => true) =>
  query(() => ({
    key: ['analytics', 'daily', of()],
    enabled: enabled(),
    load: (signal) => answer(api.GET('/api/v1/analytics/daily', { params: { query: of() }, signal })),
  }));

export const readEquity = (
  scope: () => ResultScope = () => filter.results,
  enabled: () => boolean = () => true,
) =>
  query(() => ({
    key: ['analytics', 'equity', scope()],
    enabled: enabled(),
    load: (signal) =>
      answer(
        api.GET('/api/v1/analytics/equity-curve', {
          params: { query: { ...scope(), max_points: 600 } },
          signal,
        }),
      ),
  }));

export const readRules = (enabled: () => boolean = () => true) =>
  query(() => ({
    key: ['analytics', 'rules', filter.scope],
    enabled: enabled(),
    load: (signal) => answer(api.GET('/api/v1/analytics/rules', { params: { query: filter.scope }, signal })),
  }));
