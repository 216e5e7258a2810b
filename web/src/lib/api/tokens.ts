// Keeps the token pair and renews it. The access token lives in memory only and
// is passed from tab to tab by message; the refresh token lives in localStorage,
// where every tab of this browser finds the newest one. Renewal happens under a
// lock that all tabs share, and whoever waited for it takes what the winner got,
// so a refresh token is never spent twice.

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

export interface Surroundings {
  storage: Storage;
  lock: Lock;
  channel: Pick<BroadcastChannel, 'postMessage'> & { onmessage: ((event: MessageEvent) => void) | null };
  fetch: typeof fetch;
  now: () => number;
}

const refreshKey = 'fillbook.refresh';
const earlyMillis = 30_000; // renew before the server would refuse

export class Tokens {
  private access: Access | null = null;
  /** Called when this browser has no session any more, whichever tab ended it. */
  onSignedOut: () => void = () => {};

  constructor(private readonly around: Surroundings) {
    around.channel.onmessage = (event) => this.hear(event.data as Message);
  }

  get signedIn(): boolean {
    return this.refreshToken !== null;
  }

  get refreshToken(): string | null {
    return this.around.storage.getItem(refreshKey);
  }

  /** Takes a fresh pair: after sign-in, setup, a new password, or renewal. */
  take(pair: TokenPair): void {
    this.around.storage.setItem(refreshKey, pair.refresh_token);
    this.access = { token: pair.access_token, expiresAt: this.around.now() + pair.expires_in * 1000 };
    this.around.channel.postMessage({ kind: 'renewed', access: this.access } satisfies Message);
  }

  /** An access token that is good now, or null without a session. */
  async bearer(): Promise<string | null> {
    const current = this.access;
    if (current !== null && this.good(current)) return current.token;
    return this.renew(current === null ? null : current.token);
  }

  /** Renews unless another tab has done it since `stale` was handed out. */
  async renew(stale: string | null): Promise<string | null> {
    if (!this.signedIn) return null;
    return this.around.lock('fillbook.renew', async () => {
      const current = this.access; // another tab may have renewed it while we waited
      if (current !== null && this.good(current) && current.token !== stale) return current.token;
      const refresh = this.refreshToken;
      if (refresh === null) return null;
      const pair = await this.exchange(refresh);
      if (pair === null) {
        this.forget();
        return null;
      }
      this.take(pair);
      return pair.access_token;
    });
  }

  /** Ends the session in this browser, in all its tabs. */
  forget(): void {
    this.around.storage.removeItem(refreshKey);
    this.around.channel.postMessage({ kind: 'signed-out' } satisfies Message);
    this.drop();
  }

  private async exchange(refresh: string): Promise<TokenPair | null> {
    let response: Response;
    try {
      response = await this.around.fetch('/api/v1/auth/refresh', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ refresh_token: refresh }),
      });
    } catch (fault) {
      throw asApiError(fault); // the session may well be good; nothing is forgotten
    }
    if (response.status === 401) return null;
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw errorOf(response, body);
    if (!body)
      throw new ApiError(response.status, 'internal', 'The server sent an answer that cannot be read.');
    return body as TokenPair;
  }

  private hear(message: Message): void {
    if (message.kind === 'renewed') this.access = message.access;
    else this.drop();
  }

  private drop(): void {
    this.access = null;
    this.onSignedOut();
  }

  private good(access: Access): boolean {
    return access.expiresAt - earlyMillis > this.around.now();
  }
}
