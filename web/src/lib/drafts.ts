// What was typed and is not saved yet. It is kept for as long as the tab lives, so
// that closing a form, going elsewhere, reloading, or signing in again after the
// session has ended finds it as it was left. Signing out removes it from the
// browser's storage; this page still has it for the same user.

import { session } from './session.svelte';

const prefix = 'fillbook.draft.';
const parked = new Map<string, string>();

export class Draft<T> {
  private readonly key: string;

  constructor(what: string) {
    this.key = `${prefix}${session.user?.id ?? ''} ${what}`;
  }

  /** What was left here before, if anything. */
  get found(): T | undefined {
    try {
      const text = sessionStorage.getItem(this.key) ?? parked.get(this.key);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    } catch {
      return undefined; // storage is off, or holds what another version wrote
    }
  }

  keep(value: T): void {
    try {
      sessionStorage.setItem(this.key, JSON.stringify(value));
    } catch {
      // Storage is full or off: the form still has it while it is open.
    }
  }

  drop(): void {
    parked.delete(this.key);
    sessionStorage.removeItem(this.key);
  }
}

/** Takes all drafts out of the browser's storage when somebody signs out. */
export function parkDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (!key.startsWith(prefix)) continue;
    parked.set(key, sessionStorage.getItem(key) ?? '');
    sessionStorage.removeItem(key);
  }
}
