// Reads the history page by page.

import { createInfiniteQuery } from '@tanstack/svelte-query';
import { asApiError, errorOf, type ApiError } from './errors';
import { answer, api } from './client';
import { nextCursor } from './paging';
import { query, queryClient } from './queries.svelte';
import type { Change } from '../history';
import type { paths } from './schema';

export type HistoryQuery = NonNullable<paths['/api/v1/history']['get']['parameters']['query']>;

const pageSize = 50;

interface Page {
  changes: Change[];
  next: string | null; // the cursor of the next page
}

async function fetchPage(query: HistoryQuery, cursor: string | null, signal: AbortSignal): Promise<Page> {
  const page = { ...query, limit: pageSize, ...(cursor ? { cursor } : {}) };
  const fetched = await api
    .GET('/api/v1/history', { params: { query: page }, signal })
    .catch((fault: unknown) => {
      throw asApiError(fault);
    });
  if (!fetched.response.ok) throw errorOf(fetched.response, fetched.error);
  return { changes: fetched.data ?? [], next: nextCursor(fetched.response.headers.get('Link')) };
}

/** Reads the changes that a query selects, newest first; loadMore reads the next page. */
export function readHistory(select: () => HistoryQuery) {
  const pages = createInfiniteQuery<Page, ApiError, { pages: Page[] }, unknown[], string | null>(
    () => ({
      queryKey: ['history', 'list', select()],
      queryFn: ({ pageParam, signal }) => fetchPage(select(), pageParam, signal),
      initialPageParam: null,
      getNextPageParam: (page: Page) => page.next,
      notifyOnChangeProps: 'all' as const,
    }),
    () => queryClient,
  );
  const list = $derived((pages.data?.pages ?? []).flatMap((p) => p.changes));
  return {
    get data() {
      return pages.data;
    },
    get error() {
      return pages.error;
    },
    get list() {
      return list;
    },
    get hasMore() {
      return pages.hasNextPage;
    },
    refetch: () => pages.refetch(),
    loadMore: () => void pages.fetchNextPage(),
  };
}

/** Reads one change. */
export const readChange = (id: () => string) =>
  query(() => ({
    key: ['history', 'one', id()],
    enabled: id() !== '',
    load: (signal) => answer(api.GET('/api/v1/history/{id}', { params: { path: { id: id() } }, signal })),
  }));
