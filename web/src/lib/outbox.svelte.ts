// Annotations that could not be sent because the server was unreachable. They are
// kept as long as the tab lives, and sent when the server is back. An entry has the
// last value of each field, so that sending it twice is harmless.

import { answer, api, type Annotations } from './api/client';
import { asApiError } from './api/errors';
import { connection } from './connection.svelte';
import { refresh } from './api/queries.svelte';
import { session } from './session.svelte';

export interface Entry {
  trade: string;
  annotations: Annotations;
  refused?: string; // the error of the server
}

const prefix = 'fillbook.outbox.';

class Outbox {
  entries = $state<Entry[]>([]);
  private sending = false;
  private readonly parked = new Map<string, Entry[]>();

  /** Loads the entries that an earlier page of this tab stored, and sends them. */
  start(): void {
    try {
      const stored = sessionStorage.getItem(this.key);
      this.entries = stored ? (JSON.parse(stored) as Entry[]) : (this.parked.get(this.key) ?? []);
      this.parked.delete(this.key);
    } catch {
      this.entries = [];
    }
    void this.send();
  }

  /** Stores annotations until they can be sent. */
  put(trade: string, annotations: Annotations): void {
    const stored = this.entries.find((e) => e.trade === trade);
    const entry = { trade, annotations: { ...stored?.annotations, ...annotations } };
    this.save([...this.entries.filter((e) => e.trade !== trade), entry]);
  }

  /** Returns the pending annotations of a trade. */
  pendingFor(trade: string): Annotations | undefined {
    return this.entries.find((e) => e.trade === trade)?.annotations;
  }

  drop(trade: string): void {
    this.save(this.entries.filter((e) => e.trade !== trade));
  }

  /** Moves the entries from the browser's storage to memory. Called on sign-out. */
  park(): void {
    const key = this.key;
    const entries = this.entries;
    this.save([]);
    this.parked.set(key, entries);
  }

  /** Sends the entries, oldest first. Stops if the server is unreachable again. */
  async send(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    try {
      for (const entry of this.entries.filter((e) => !e.refused)) {
        if (!(await this.sendOne(entry))) return;
      }
    } finally {
      this.sending = false;
    }
  }

  private async sendOne(entry: Entry): Promise<boolean> {
    try {
      const path = { id: entry.trade };
      await answer(api.PATCH('/api/v1/trades/{id}', { params: { path }, body: entry.annotations }));
    } catch (fault) {
      const error = asApiError(fault);
      if (error.isAway) return false;
      this.save(this.entries.map((e) => (e.trade === entry.trade ? { ...e, refused: error.message } : e)));
      return true;
    }
    // An entry that changed while it was sent stays.
    if (JSON.stringify(this.pendingFor(entry.trade)) === JSON.stringify(entry.annotations))
      this.drop(entry.trade);
    refresh(['trades', 'analytics', 'tags']);
    return true;
  }

  private save(entries: Entry[]): void {
    this.entries = entries;
    try {
      if (entries.length === 0) sessionStorage.removeItem(this.key);
      else sessionStorage.setItem(this.key, JSON.stringify(entries));
    } catch {
      // Storage is full or disabled: the open page still has the entries.
    }
  }

  private get key(): string {
    return prefix + (session.user?.id ?? '');
  }
}

export const outbox = new Outbox();
connection.onReturn(() => {
  void outbox.send();
  refresh('all');
});
