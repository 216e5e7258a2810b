// The typed client of the API. Types come from api/openapi.yaml: npm run api writes schema.d.ts,
// also before types are checked. A request the API does not have is a compile error.
//
//   const trades = await answer(api.GET('/api/v1/trades', { params: { query: filter.scope } }));

import createClient from 'openapi-fetch';
import { changes } from '../changes.svelte';
import { connection } from '../connection.svelte';
import type { WithDecimals } from '../format/decimal';
import { asApiError, errorOf } from './errors';
import { KeyRing } from './keyring';
import { bestLock } from './lock';
import type { components, paths } from './schema';
import { SharedReads } from './sharedReads';
import { Tokens } from './tokens';

export type Schemas = components['schemas'];

/** What a trader adds to a trade, as it is sent. */
export type Annotations = WithDecimals<Schemas['AnnotationFields']>;

/** An operation whose body takes a Decimal wherever the API takes a number. */
type Sendable<Operation> = {
  [K in keyof Operation]: K extends 'requestBody' ? WithDecimals<Operation[K]> : Operation[K];
};

type SendablePaths = {
  [Path in keyof paths]: { [Method in keyof paths[Path]]: Sendable<paths[Path][Method]> };
};

export const tokens = new Tokens({
  storage: localStorage,
  lock: bestLock(localStorage),
  channel: new BroadcastChannel('fillbook.session'),
  fetch: (...request) => connection.watch(() => fetch(...request)),
  now: () => Date.now(),
});

const withoutSession = /^\/api\/v1\/(setup|public)(\/|$)|^\/api\/v1\/auth\/(login|register|refresh)$/;

// Undo notes its changes itself, Ctrl-Z is not for how the page looks, and imports are undone in their own list.
const isUnlisted =
  /\/history\/|\/me\/preferences$|\/(imports|bars|import-layouts|instruments|auth|admin)(\/|$|\?)/;

const keyRing = new KeyRing();

export const sharedReads = new SharedReads();

/** Fetches with the session: renews tokens silently and tries again after a 401. Equal reads share a request. */
export const sessionFetch = (request: Request): Promise<Response> => sharedReads.send(request, fetchAlone);

async function fetchAlone(request: Request): Promise<Response> {
  if (withoutSession.test(new URL(request.url).pathname)) return connection.watch(() => fetch(request));
  const response = await keyRing.send(request, fetchSigned);
  const change = response.headers.get('X-Change-Id');
  if (change && !isUnlisted.test(request.url)) changes.record(change);
  return response;
}

async function fetchSigned(request: Request): Promise<Response> {
  const again = request.clone();
  const first = await tokens.bearer();
  const response = await connection.watch(() => fetch(withToken(request, first)));
  if (response.status !== 401 || first === null) return response;
  const second = await tokens.renew(first);
  return second === null ? response : connection.watch(() => fetch(withToken(again, second)));
}

function withToken(request: Request, token: string | null): Request {
  if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
  return request;
}

export const api = createClient<SendablePaths>({
  baseUrl: location.origin,
  fetch: sessionFetch,
  querySerializer: { array: { style: 'form', explode: false } },
});

type Fetched<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** Returns the body of a 2xx response. Throws an ApiError for anything else. */
export async function answer<T>(fetched: Fetched<T>): Promise<T> {
  let result;
  try {
    result = await fetched;
  } catch (fault) {
    throw asApiError(fault);
  }
  if (!result.response.ok) throw errorOf(result.response, result.error);
  return result.data as T;
}

/** A record with the entity tag of its stored state, for If-Match. */
export interface Tagged<R> {
  record: R;
  tag: string;
}

/** Returns a record that was read, with its entity tag. */
export async function tagged<T>(fetched: Fetched<T>): Promise<Tagged<T>> {
  const record = await answer(fetched);
  return { record, tag: (await fetched).response.headers.get('ETag') ?? '' };
}

/** Downloads a file with the session, such as an attachment or an export. */
export async function download(path: string, name: string): Promise<void> {
  saveFile(await fetchBlob(path), name);
}

/** Saves a file that the page has. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function fetchBlob(path: string): Promise<Blob> {
  try {
    const response = await sessionFetch(new Request(path));
    if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined));
    return await response.blob();
  } catch (fault) {
    throw asApiError(fault);
  }
}
