// Annotations of trades that could not be sent because the server was away. They
// are kept for as long as the tab lives and sent when it answers again. An entry
// holds the last value of each field, so that sending it twice changes nothing.

import { answer, api, type Annotations } from './api/client';
import { asApiError } from './api/errors';
import { connection } from './connection.svelte';
import { refresh } from './api/queries.svelte';
import { session } from './session.svelte';

export interface Entry {
  trade: string;
  annotations: Annotations;
  refused?: string; // why the server did not take it
}

const prefix = 'fillbook.outbox.';

class Outbox {
  entries = $state<Entry[]>([]);
  private sending = false;
  private readonly parked = new Map<string, Entry[]>();

  /** Reads what an earlier page of this tab left, and sends it. */
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

  /** Keeps annotations until they can be sent. */
  put(trade: string, annotations: Annotations): void {
    const known = this.entries.find((e) => e.trade === trade);
    const entry = { trade, annotations: { ...known?.annotations, ...annotations } };
    this.save([...this.entries.filter((e) => e.trade !== trade), entry]);
  }

  /** What waits to be written on a trade. */
  of(trade: string): Annotations | undefined {
    return this.entries.find((e) => e.trade === trade)?.annotations;
  }

  drop(trade: string): void {
    this.save(this.entries.filter((e) => e.trade !== trade));
  }

  /** Takes what waits out of the browser's storage when its user signs out; this page still has it. */
  park(): void {
    const key = this.key;
    const waiting = this.entries;
    this.save([]);
    this.parked.set(key, waiting);
  }

  /** Sends what waits, oldest first. Stops when the server is away again. */
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
    // What was typed while it was sent stays.
    if (JSON.stringify(this.of(entry.trade)) === JSON.stringify(entry.annotations)) this.drop(entry.trade);
    refresh(['trades', 'analytics', 'tags']);
    return true;
  }

  private save(entries: Entry[]): void {
    this.entries = entries;
    try {
      if (entries.length === 0) sessionStorage.removeItem(this.key);
      else sessionStorage.setItem(this.key, JSON.stringify(entries));
    } catch {
      // Storage is full or off: the page still has them while it is open.
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
