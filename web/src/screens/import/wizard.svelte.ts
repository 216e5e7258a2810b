// The import as it goes: a file, how it is to be read, what the server makes of
// it, and at last the commit. The server reads the file anew after every change
// and writes nothing until the commit; the page only shows what it answered.

import type { Schemas } from '../../lib/api/client';
import { ApiError, asApiError } from '../../lib/api/errors';
import { act, type Kind } from '../../lib/api/queries.svelte';
import { upload } from '../../lib/api/upload';

export type Step = 'file' | 'understood' | 'plan' | 'writing';

export const touched: Kind[] = [
  'imports',
  'accounts',
  'trades',
  'executions',
  'cash',
  'analytics',
  'setups',
  'tags',
  'notes',
  'missed',
  'routines',
];

export class Wizard {
  step = $state<Step>('file');
  account = $state('');
  file = $state<File | null>(null);
  zone = $state(''); // '' leaves it to the server
  order = $state<'' | 'day_first' | 'month_first'>('');
  mapping = $state<Record<string, string> | null>(null); // null: as the server suggests
  preview = $state<Schemas['ImportPreview'] | null>(null);
  reading = $state(false);
  sent = $state(0); // share of the file that has gone out
  fault = $state<ApiError | null>(null);
  pending = $state(''); // the batch that this finishes
  private turn = 0; // counts the files that were given up
  private asked = false; // for a reading that has not begun
  private under: Promise<void> | null = null;
  private key = ''; // makes a commit that is sent twice happen once

  /** What keeps the plan from being shown; '' when nothing does. */
  readonly open: string = $derived.by(() => {
    const p = this.preview;
    if (!p) return 'file';
    if (p.missing_mapping.length > 0) return 'mapping';
    return p.date_order === 'ambiguous' ? 'order' : '';
  });

  get usedMapping(): Record<string, string> {
    return this.mapping ?? this.preview?.suggested_mapping ?? {};
  }

  async take(file: File): Promise<void> {
    this.file = file;
    this.zone = '';
    this.order = '';
    this.mapping = null;
    this.preview = null;
    await this.read();
    if (this.preview) this.step = 'understood';
  }

  /**
   * Has the server read the file with the settings of now. One reading is under way at a time; what is asked
   * meanwhile is read when it has ended, and the last one asked wins.
   */
  async read(): Promise<void> {
    if (!this.file) return;
    this.asked = true;
    this.reading = true;
    this.fault = null;
    this.key = crypto.randomUUID();
    this.under ??= this.readAll().finally(() => (this.under = null));
    await this.under;
  }

  private async readAll(): Promise<void> {
    while (this.asked && this.file) {
      this.asked = false;
      const turn = this.turn;
      const { preview, fault } = await this.readOnce(this.file);
      if (this.asked || turn !== this.turn) continue;
      if (preview) this.preview = preview;
      this.fault = fault;
      this.reading = false;
    }
  }

  private async readOnce(
    file: File,
  ): Promise<{ preview: Schemas['ImportPreview'] | null; fault: ApiError | null }> {
    try {
      const preview = await upload<Schemas['ImportPreview']>({
        path: '/api/v1/imports',
        fields: this.fields(),
        file,
        progress: (share) => (this.sent = share),
      });
      return { preview, fault: null };
    } catch (error) {
      return { preview: null, fault: asApiError(error) };
    }
  }

  set(change: Partial<Pick<Wizard, 'zone' | 'order' | 'mapping' | 'account'>>): void {
    Object.assign(this, change);
    void this.read();
  }

  map(target: string, column: string): void {
    const next = { ...this.usedMapping };
    if (column === '') delete next[target];
    else next[target] = column;
    this.set({ mapping: next });
  }

  /** Writes. Gives the id of the batch, or null when it did not work; fault then says why. */
  async commit(): Promise<string | null> {
    if (!this.file) return null;
    const file = this.file;
    this.step = 'writing';
    this.fault = null;
    this.sent = 0;
    try {
      const result = await act({
        run: () =>
          upload<Schemas['Result']>({
            path: this.pending ? `/api/v1/imports/${this.pending}/commit` : '/api/v1/imports/commit',
            fields: this.fields(),
            file,
            headers: { 'Idempotency-Key': this.key },
            progress: (share) => (this.sent = share),
          }),
        touches: touched,
        quiet: true,
      });
      return result.import_batch_id;
    } catch (error) {
      this.fault = asApiError(error);
      const left = this.fault.details.import_batch_id;
      if (this.fault.code === 'mapping_required' && typeof left === 'string') this.pending = left;
      this.step = this.fault.code === 'mapping_required' ? 'understood' : 'plan';
      return null;
    }
  }

  restart(): void {
    this.turn++;
    this.asked = false;
    this.file = null;
    this.preview = null;
    this.fault = null;
    this.pending = '';
    this.reading = false;
    this.step = 'file';
  }

  private fields(): Record<string, string> {
    return {
      account_id: this.account,
      source_tz: this.zone,
      date_order: this.order,
      column_mapping: this.mapping ? JSON.stringify(this.mapping) : '',
    };
  }
}
