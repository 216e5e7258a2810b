// Stores the token pair and renews it. The access token is in memory only and is
// passed between tabs by message. The refresh token is in localStorage, where every
// tab reads the newest one. Renewal runs under a lock all tabs share; a tab
// that waited for the lock uses the token of the tab that renewed, so a refresh
// token is never used twice.

import { ApiError, asApiError, errorOf } from './errors';
import type { Lock } from './lock';

export interface TokenPair {
  access_token: string;
  refresh_token: string;
  is_admin: boolean;
  expires_in: number;
}

interface Access {
  token: string;
  expiresAt: number; // milliseconds
}

type Message = { kind: 'renewed'; access: Access } | { kind: 'signed-out' };

export interface TokenEnvironment {
  storage: Storage;
  lock: Lock;
  channel: Pick<BroadcastChannel, 'postMessage'> & { onmessage: ((event: MessageEvent) => void) | null };
  fetch: typeof fetch;
  now: () => number;
}

const refreshKey = 'fillbook.refresh';
const earlyMillis = 30_000; // renew before the server rejects it

export class Tokens {
  private access: Access | null = null;
  /** Called when the session has ended, in this tab or in another. */
  onSignedOut: () => void = () => {};

  constructor(private readonly env: TokenEnvironment) {
    env.channel.onmessage = (event) => this.receive(event.data as Message);
  }

  get signedIn(): boolean {
    return this.refreshToken !== null;
  }

  get refreshToken(): string | null {
    return this.env.storage.getItem(refreshKey);
  }

  /** Stores a new pair, after sign-in, setup, a new password or renewal. */
  store(pair: TokenPair): void {
    this.env.storage.setItem(refreshKey, pair.refresh_token);
    this.access = { token: pair.access_token, expiresAt: this.env.now() + pair.expires_in * 1000 };
    this.env.channel.postMessage({ kind: 'renewed', access: this.access } satisfies Message);
  }

  /** Returns a valid access token, or null without a session. */
  async bearer(): Promise<string | null> {
    const current = this.access;
    if (current !== null && this.isValid(current)) return current.token;
    return this.renew(current === null ? null : current.token);
  }

  /** Renews the token, unless another tab has replaced `stale` already. Returns null without a session. */
  async renew(stale: string | null): Promise<string | null> {
    if (!this.signedIn) return null;
    return this.env.lock('fillbook.renew', async () => {
      const current = this.access; // another tab may have renewed it while this one waited
      if (current !== null && this.isValid(current) && current.token !== stale) return current.token;
      const refresh = this.refreshToken;
      if (refresh === null) return null;
      const pair = await this.exchange(refresh);
      if (pair === null) {
        this.clear();
        return null;
      }
      this.store(pair);
      return pair.access_token;
    });
  }

  /** Ends the session in all tabs of this browser. */
  clear(): void {
    this.env.storage.removeItem(refreshKey);
    this.env.channel.postMessage({ kind: 'signed-out' } satisfies Message);
    this.drop();
  }

  private async exchange(refresh: string): Promise<TokenPair | null> {
    let response: Response;
    try {
      response = await this.env.fetch('/api/v1/auth/refresh', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ refresh_token: refresh }),
      });
    } catch (fault) {
      throw asApiError(fault); // the session may still be valid, so the token is kept
    }
    if (response.status === 401) return null;
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw errorOf(response, body);
    if (!body)
      throw new ApiError(response.status, 'internal', 'The server sent an unreadable response. Try again.');
    return body as TokenPair;
  }

  private receive(message: Message): void {
    if (message.kind === 'renewed') this.access = message.access;
    else this.drop();
  }

  private drop(): void {
    this.access = null;
    this.onSignedOut();
  }

  private isValid(access: Access): boolean {
    return access.expiresAt - earlyMillis > this.env.now();
  }
}
