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
  tradeDate = $state(''); // YYYY-MM-DD, for a file whose times have no day
  allowMismatch = $state(false); // import amounts in another currency unchanged
  preview = $state<Schemas['ImportPreview'] | null>(null);
  reading = $state(false);
  sent = $state(0); // share of the file that has gone out
  fault = $state<ApiError | null>(null);
  outdated = $state(false); // the last reading failed, so the preview is of older settings
  pending = $state(''); // the batch that this finishes
  private turn = 0; // counts the files that were given up
  private asked = false; // for a reading that has not begun
  private under: Promise<void> | null = null;
  private key = ''; // makes a commit that is sent twice happen once

  /** What keeps the plan from being shown; '' when nothing does. */
  readonly open: string = $derived.by(() => {
    const p = this.preview;
    if (!p) return 'file';
    if (this.needsDay) return 'day';
    if (this.missingColumns.length > 0) return 'mapping';
    return p.date_order === 'ambiguous' ? 'order' : '';
  });

  get needsDay(): boolean {
    return this.preview?.missing_mapping.includes('trade_date') ?? false;
  }

  /** What a column or a constant must be chosen for. */
  get missingColumns(): string[] {
    return this.preview?.missing_mapping.filter((m) => m !== 'trade_date') ?? [];
  }

  /** The file is in another currency than the account, and the user has not said what to do. */
  get needsCurrency(): boolean {
    return (this.preview?.currency?.mismatch ?? false) && !this.allowMismatch;
  }

  get usedMapping(): Record<string, string> {
    return this.mapping ?? this.preview?.suggested_mapping ?? {};
  }

  async take(file: File): Promise<void> {
    this.file = file;
    this.zone = '';
    this.order = '';
    this.mapping = null;
    this.tradeDate = '';
    this.allowMismatch = false;
    this.preview = null;
    await this.retry();
  }

  /** Reads the file again after a reading that failed. */
  async retry(): Promise<void> {
    await this.read();
    if (this.preview && this.step === 'file') this.step = 'understood';
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
      this.outdated = fault !== null;
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

  set(change: Partial<Pick<Wizard, 'zone' | 'order' | 'mapping' | 'account' | 'tradeDate'>>): void {
    Object.assign(this, change);
    if (change.account !== undefined) this.allowMismatch = false;
    void this.read();
  }

  map(target: string, column: string): void {
    const next = { ...this.usedMapping };
    if (column === '') delete next[target];
    else next[target] = column;
    this.set({ mapping: next });
  }

  /** Changes only the commit, so the file is not read again. */
  setAllowMismatch(on: boolean): void {
    this.allowMismatch = on;
    this.key = crypto.randomUUID();
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
      this.handleRefusal(asApiError(error));
      return null;
    }
  }

  /** Returns to the step where the reason can be settled. Two codes leave a pending batch to finish. */
  private handleRefusal(fault: ApiError): void {
    this.fault = fault;
    this.step = fault.code === 'mapping_required' ? 'understood' : 'plan';
    const left = fault.details.import_batch_id;
    if (!['mapping_required', 'mixed_currencies'].includes(fault.code) || typeof left !== 'string') return;
    this.pending = left;
    if (fault.code === 'mixed_currencies') void this.read(); // the new preview offers the accounts that fit
  }

  restart(): void {
    this.turn++;
    this.asked = false;
    this.file = null;
    this.preview = null;
    this.fault = null;
    this.outdated = false;
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
      trade_date: this.tradeDate,
      allow_currency_mismatch: this.allowMismatch ? 'true' : '',
    };
  }
}
