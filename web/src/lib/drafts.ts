// Drafts of unsaved input, by user. A draft stays in the browser until it is saved or
// discarded: it survives closing the form or the tab, a crash, and signing in again
// after the session has expired. Signing out removes drafts from the browser's
// storage, but the page keeps them in memory for the same user.

import { currentUser } from './currentUser.svelte';

const prefix = 'fillbook.draft.';
const parked = new Map<string, string>();

/** What a form keeps: its values, and those the user began with. */
export interface FormDraft<T> {
  base: T;
  values: T;
}

export class Draft<T> {
  private readonly key: string;

  constructor(name: string) {
    this.key = `${prefix}${currentUser.id} ${name}`;
  }

  /** The stored draft, if there is one. */
  get found(): T | undefined {
    try {
      const text = localStorage.getItem(this.key) ?? parked.get(this.key);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    } catch {
      return undefined; // storage is disabled, or has another version's draft
    }
  }

  keep(value: T): void {
    try {
      localStorage.setItem(this.key, JSON.stringify(value));
    } catch {
      // Storage is full or disabled: the open form still has the values.
    }
  }

  drop(): void {
    parked.delete(this.key);
    localStorage.removeItem(this.key);
  }
}

/** Moves all drafts from the browser's storage to memory. Called on sign-out. */
export function parkDrafts(): void {
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(prefix)) continue;
    parked.set(key, localStorage.getItem(key) ?? '');
    localStorage.removeItem(key);
  }
}
