// The user's session. The tokens are in api/tokens.ts.

import { here, navigate } from '../app/router.svelte';
import { answer, api, sharedReads, tokens, type Schemas } from './api/client';
import { asApiError } from './api/errors';
import { queryClient } from './api/queries.svelte';
import type { TokenPair } from './api/tokens';
import { changes } from './changes.svelte';
import { questions } from './conflicts.svelte';
import { connection } from './connection.svelte';
import { currentUser } from './currentUser.svelte';
import { parkDrafts } from './drafts';
import { forgetDay } from './offlineDay';
import { outbox } from './outbox.svelte';
import { preferences } from './preferences.svelte';

type State = 'starting' | 'new' | 'signed-out' | 'signed-in' | 'unreachable';

class Session {
  state = $state<State>('starting');
  status = $state<Schemas['SetupStatus'] | null>(null);
  fault = $state('');
  /** Whether the session ended without the user signing out. */
  ended = $state(false);
  private leaving = false; // the user signs out

  constructor() {
    tokens.onSignedOut = () => this.handleSignedOut();
    connection.onReturn(() => {
      if (this.state === 'unreachable') void this.start();
    });
  }

  get user(): Schemas['Me'] | null {
    return currentUser.profile;
  }

  /** Checks at the start of a visit whether there is a session. */
  async start(): Promise<void> {
    this.state = 'starting';
    try {
      if (tokens.signedIn) await this.loadUser();
      else await this.loadStatus();
    } catch (fault) {
      this.fault = asApiError(fault).message;
      this.state = 'unreachable';
    }
  }

  /** Starts the session with the tokens from sign-in, setup or registration. */
  async signedIn(pair: TokenPair): Promise<void> {
    sharedReads.forget();
    queryClient.clear();
    this.ended = false;
    tokens.store(pair);
    await this.loadUser();
  }

  /** Opens the page the user wanted before signing in. */
  openTarget(): void {
    navigate(safeTarget(here.params.get('to')), { replace: true });
  }

  async signOut(): Promise<void> {
    this.leaving = true;
    const refresh_token = tokens.refreshToken;
    if (refresh_token) {
      await api.POST('/api/v1/auth/logout', { body: { refresh_token } }).catch(() => undefined);
    }
    parkDrafts();
    outbox.park();
    tokens.clear();
  }

  private async loadUser(): Promise<void> {
    const [user] = await Promise.all([answer(api.GET('/api/v1/me')), preferences.load()]).catch((fault) => {
      if (asApiError(fault).status === 401) return [null];
      throw fault;
    });
    if (user === null || user === undefined) {
      if (tokens.signedIn) tokens.clear();
      await this.loadStatus();
      return;
    }
    currentUser.profile = user;
    this.state = 'signed-in';
    outbox.start();
  }

  private async loadStatus(): Promise<void> {
    this.status = await answer(api.GET('/api/v1/setup/status'));
    this.state = this.status.needs_setup ? 'new' : 'signed-out';
  }

  private handleSignedOut(): void {
    this.ended = !this.leaving && currentUser.profile !== null;
    this.leaving = false;
    forgetDay();
    currentUser.profile = null;
    sharedReads.forget();
    queryClient.clear();
    preferences.clear();
    connection.cancelWaiting();
    questions.cancel();
    changes.clear();
    void this.loadStatus().catch(() => {
      this.state = 'signed-out';
    });
  }
}

/** Returns the address if it is one of this page, else '/'. Anything else would be an open redirect. */
export function safeTarget(to: string | null): string {
  if (!to || !to.startsWith('/') || to.startsWith('//') || to.includes('\\')) return '/';
  return to;
}

export const session = new Session();
