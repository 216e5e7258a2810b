// What was typed into a long form and is not saved yet. It is kept while the page
// is open, so that going elsewhere and back, or signing in again after the session
// has ended, finds it as it was left. Of each user apart, and never stored.

import { session } from './session.svelte';

const kept = new Map<string, unknown>();

export class Draft<T> {
  private readonly key: string;

  constructor(what: string) {
    this.key = `${session.user?.id ?? ''} ${what}`;
  }

  /** What was left here before, if anything. */
  get found(): T | undefined {
    return kept.get(this.key) as T | undefined;
  }

  keep(value: T): void {
    kept.set(this.key, value);
  }

  drop(): void {
    kept.delete(this.key);
  }
}
