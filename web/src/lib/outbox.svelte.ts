// Annotations that could not be sent because the server was unreachable. They stay in
// the browser, also without a tab, and are sent when the server is back. An entry has
// the last value of each field, so it does no harm if two tabs send it.

import { inTurn, sendAnnotations } from './annotations';
import type { Annotations } from './api/client';
import { asApiError } from './api/errors';
import type { FieldValues } from './conflicts.svelte';
import { connection } from './connection.svelte';
import { currentUser } from './currentUser.svelte';
import { refresh } from './api/queries.svelte';

export interface Entry {
  trade: string;
  annotations: Annotations;
  /** The values the user began with. Entries of older pages lack it. */
  base?: FieldValues;
  refused?: string; // the server's error
  changedElsewhere?: boolean; // refused because another device changed the same fields
}

const prefix = 'fillbook.outbox.';

class Outbox {
  entries = $state<Entry[]>([]);
  /** Whether entries are being sent. */
  isSending = false;
  private readonly parked = new Map<string, Entry[]>();

  /** Loads the user's entries from earlier pages, and sends them. */
  start(): void {
    this.entries = [...this.readStored(), ...(this.parked.get(currentUser.id) ?? [])];
    this.parked.delete(currentUser.id);
    void this.send();
  }

  /** Stores annotations until they can be sent; `base` has the values the user began with. */
  put(trade: string, annotations: Annotations, base: FieldValues): void {
    const stored = this.entryOf(trade);
    const began = Object.fromEntries(Object.keys(annotations).map((name) => [name, base[name] ?? null]));
    this.save({
      trade,
      annotations: { ...stored?.annotations, ...annotations },
      base: { ...began, ...stored?.base },
    });
  }

  entryOf(trade: string): Entry | undefined {
    return this.entries.find((e) => e.trade === trade);
  }

  /** Returns the pending annotations of a trade. */
  pendingFor(trade: string): Annotations | undefined {
    return this.entryOf(trade)?.annotations;
  }

  drop(trade: string): void {
    this.entries = this.entries.filter((e) => e.trade !== trade);
    localStorage.removeItem(this.keyOf(trade));
  }

  /** Moves the entries from the browser's storage to memory. Called on sign-out. */
  park(): void {
    this.parked.set(currentUser.id, this.entries);
    for (const { trade } of this.entries) this.drop(trade);
  }

  /** Sends a refused entry again. */
  async retry(trade: string): Promise<void> {
    const entry = this.entryOf(trade);
    if (!entry) return;
    this.save({ trade, annotations: entry.annotations, base: entry.base });
    await this.send();
  }

  /** Sends the entries, oldest first. Stops if the server is unreachable again. */
  async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      for (const { trade } of this.entries.filter((e) => !e.refused)) {
        if (!(await inTurn(trade, () => this.sendOne(trade)))) return;
      }
    } finally {
      this.isSending = false;
    }
  }

  private async sendOne(trade: string): Promise<boolean> {
    const entry = this.entryOf(trade);
    if (!entry) return true; // was sent with a later change
    try {
      await sendAnnotations(trade, entry.annotations, entry.base ?? {});
    } catch (fault) {
      const error = asApiError(fault);
      if (error.isAway) return false;
      this.save({ ...entry, refused: error.message, changedElsewhere: error.status === 412 });
      return true;
    }
    // An entry that changed while it was sent stays.
    if (JSON.stringify(this.pendingFor(trade)) === JSON.stringify(entry.annotations)) this.drop(trade);
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
      return []; // storage is disabled, or has another version's entry
    }
  }

  private keyOf(trade: string): string {
    return `${prefix}${currentUser.id} ${trade}`;
  }
}

export const outbox = new Outbox();
connection.onReturn(() => {
  void outbox.send();
  refresh('all');
});
