// Annotations that could not be sent because the server was unreachable. They stay in
// the browser, also without a tab, and are sent when the server is back. An entry has
// the last value of each field, so that it does no harm if two tabs send it.

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

  /** Loads the entries of the user that earlier pages stored, and sends them. */
  start(): void {
    this.entries = [...this.readStored(), ...(this.parked.get(this.owner) ?? [])];
    this.parked.delete(this.owner);
    void this.send();
  }

  /** Stores annotations until they can be sent. */
  put(trade: string, annotations: Annotations): void {
    const stored = this.entries.find((e) => e.trade === trade);
    this.save({ trade, annotations: { ...stored?.annotations, ...annotations } });
  }

  /** Returns the pending annotations of a trade. */
  pendingFor(trade: string): Annotations | undefined {
    return this.entries.find((e) => e.trade === trade)?.annotations;
  }

  drop(trade: string): void {
    this.entries = this.entries.filter((e) => e.trade !== trade);
    localStorage.removeItem(this.keyOf(trade));
  }

  /** Moves the entries from the browser's storage to memory. Called on sign-out. */
  park(): void {
    this.parked.set(this.owner, this.entries);
    for (const { trade } of this.entries) this.drop(trade);
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
      this.save({ ...entry, refused: error.message });
      return true;
    }
    // An entry that changed while it was sent stays.
    if (JSON.stringify(this.pendingFor(entry.trade)) === JSON.stringify(entry.annotations))
      this.drop(entry.trade);
    refresh(['trades', 'analytics', 'tags']);
    return true;
  }

  private save(entry: Entry): void {
    const others = this.entries.filter((e) => e.trade !== entry.trade);
    this.entries = [...others, entry];
    try {
      localStorage.setItem(this.keyOf(entry.trade), JSON.stringify(entry));
    } catch {
      // Storage is full or disabled: the open page still has the entry.
    }
  }

  private readStored(): Entry[] {
    try {
      return Object.keys(localStorage)
        .filter((key) => key.startsWith(this.keyOf('')))
        .map((key) => JSON.parse(localStorage.getItem(key)!) as Entry);
    } catch {
      return []; // storage is disabled, or has the entry of another version
    }
  }

  private get owner(): string {
    return session.user?.id ?? '';
  }

  private keyOf(trade: string): string {
    return `${prefix}${this.owner} ${trade}`;
  }
}

export const outbox = new Outbox();
connection.onReturn(() => {
  void outbox.send();
  refresh('all');
});
