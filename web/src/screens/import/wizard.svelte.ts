// The state of an import: the file, the settings it is read with, the server's
// preview, and the commit. The server reads the file again after every change of
// the settings and saves nothing before the commit.

import type { Schemas } from '../../lib/api/client';
import { ApiError, asApiError } from '../../lib/api/errors';
import { createKey } from '../../lib/api/keyring';
import { act, type Kind } from '../../lib/api/queries.svelte';
import { upload } from '../../lib/api/upload';

export type Step = 'file' | 'check' | 'preview' | 'import';

/** The kinds of data that an import can change. */
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
  zone = $state(''); // '' uses the server's suggestion
  order = $state<'' | 'day_first' | 'month_first'>('');
  mapping = $state<Record<string, string> | null>(null); // null uses the server's suggestion
  kinds = $state<Record<string, string>>({}); // the chosen kinds of rows, by the word in the file
  tradeDate = $state(''); // YYYY-MM-DD, for a file whose times have no day
  allowMismatch = $state(false); // import amounts in another currency unchanged
  preview = $state<Schemas['ImportPreview'] | null>(null);
  reading = $state(false);
  sent = $state(0); // uploaded share of the file, from 0 to 1
  fault = $state<ApiError | null>(null);
  outdated = $state(false); // the last preview failed, so the shown one has older settings
  pending = $state(''); // the unfinished batch that this import completes
  private generation = 0; // previews of an abandoned file are dropped
  private requested = false; // a preview is requested that has not started
  private running: Promise<void> | null = null;
  private key = ''; // of the commit, so that one that is sent twice happens once

  /** The question to answer before the preview can be shown; '' if there is none. */
  readonly question: string = $derived.by(() => {
    const p = this.preview;
    if (!p) return 'file';
    if (this.needsDay) return 'day';
    if (this.missingColumns.length > 0) return 'mapping';
    return p.date_order === 'ambiguous' ? 'order' : '';
  });

  get needsDay(): boolean {
    return this.preview?.missing_mapping.includes('trade_date') ?? false;
  }

  /** The targets that still need a column or a constant. */
  get missingColumns(): string[] {
    return this.preview?.missing_mapping.filter((m) => m !== 'trade_date') ?? [];
  }

  /** Whether the file is in another currency than the account, and the user has not decided what to do. */
  get needsCurrency(): boolean {
    return (this.preview?.currency?.mismatch ?? false) && !this.allowMismatch;
  }

  get usedMapping(): Record<string, string> {
    return this.mapping ?? this.preview?.suggested_mapping ?? {};
  }

  async setFile(file: File): Promise<void> {
    this.file = file;
    this.zone = '';
    this.order = '';
    this.mapping = null;
    this.kinds = {};
    this.tradeDate = '';
    this.allowMismatch = false;
    this.preview = null;
    await this.retry();
  }

  /** Reads the file again after a failed preview. */
  async retry(): Promise<void> {
    await this.read();
    if (this.preview && this.step === 'file') this.step = 'check';
  }

  /**
   * Requests a preview with the current settings. Only one request runs at a time; a change in the meantime is
   * requested when it has finished, and only the last one counts.
   */
  async read(): Promise<void> {
    if (!this.file) return;
    this.requested = true;
    this.reading = true;
    this.fault = null;
    this.key = createKey();
    this.running ??= this.readUntilCurrent().finally(() => (this.running = null));
    await this.running;
  }

  private async readUntilCurrent(): Promise<void> {
    while (this.requested && this.file) {
      this.requested = false;
      const generation = this.generation;
      const { preview, fault } = await this.readOnce(this.file);
      if (this.requested || generation !== this.generation) continue;
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

  set(change: Partial<Pick<Wizard, 'zone' | 'order' | 'mapping' | 'kinds' | 'account' | 'tradeDate'>>): void {
    Object.assign(this, change);
    if (change.account !== undefined) this.allowMismatch = false;
    void this.read();
  }

  setColumn(target: string, column: string): void {
    const next = { ...this.usedMapping };
    if (column === '') delete next[target];
    else next[target] = column;
    this.set({ mapping: next });
  }

  /** Sets what a word for the kind of a row means. */
  setKind(word: string, kind: string): void {
    this.set({ kinds: { ...this.kinds, [word]: kind } });
  }

  /** Changes only the commit, so no new preview is needed. */
  setAllowMismatch(on: boolean): void {
    this.allowMismatch = on;
    this.key = createKey();
  }

  /** Imports the file. Returns the id of the batch, or null after an error, which is then in fault. */
  async commit(): Promise<string | null> {
    if (!this.file) return null;
    const file = this.file;
    this.step = 'import';
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

  /** Returns to the step where the error can be fixed. Two errors leave a pending batch to finish. */
  private handleRefusal(fault: ApiError): void {
    this.fault = fault;
    this.step = fault.code === 'mapping_required' ? 'check' : 'preview';
    const left = fault.details.import_batch_id;
    if (!['mapping_required', 'mixed_currencies'].includes(fault.code) || typeof left !== 'string') return;
    this.pending = left;
    if (fault.code === 'mixed_currencies') void this.read(); // the new preview offers the accounts that fit
  }

  restart(): void {
    this.generation++;
    this.requested = false;
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
      kinds: Object.keys(this.kinds).length > 0 ? JSON.stringify(this.kinds) : '',
      trade_date: this.tradeDate,
      allow_currency_mismatch: this.allowMismatch ? 'true' : '',
    };
  }
}
