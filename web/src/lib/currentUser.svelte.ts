// The signed-in user, set by the session. Drafts and the outbox read it here, because
// the session imports them.

import type { Schemas } from './api/client';

class CurrentUser {
  profile = $state<Schemas['Me'] | null>(null);

  /** The user's id, or '' without one. */
  get id(): string {
    return this.profile?.id ?? '';
  }
}

export const currentUser = new CurrentUser();
