// The state of an upload of bars: the file, the settings it is read with, the
// server's preview, and the commit. Nothing is saved before the commit.

import type { Schemas } from '../../lib/api/client';
import { asApiError, type ApiError } from '../../lib/api/errors';
import { createKey } from '../../lib/api/keyring';
import { act, type Kind } from '../../lib/api/queries.svelte';
import { upload } from '../../lib/api/upload';

/** What changes with bars: charts, and the excursions of trades. */
export const touchedByBars: Kind[] = ['bars', 'trades', 'analytics'];

/** A file's settings; '' leaves the choice to the server. */
export interface FileSettings {
  symbol: string;
  tz: string;
  stamp: string;
  bar_secs: string;
  price_scale: string;
}

const noSettings: FileSettings = { symbol: '', tz: '', stamp: '', bar_secs: '', price_scale: '' };

export class BarUpload {
  file = $state.raw<File | null>(null);
  settings = $state<FileSettings>({ ...noSettings });
  preview = $state.raw<Schemas['BarPreview'] | null>(null);
  fault = $state.raw<ApiError | null>(null);
  busy = $state<'' | 'reading' | 'importing'>('');
  sent = $state(0); // uploaded share of the file, from 0 to 1
  private isCurrent = $state(false); // the preview belongs to the settings
  private latest = 0; // only the last preview counts
  private key = ''; // of the commit, so one that is sent twice happens once

  readonly canCommit: boolean = $derived(
    this.busy === '' &&
      this.isCurrent &&
      this.preview !== null &&
      this.preview.missing_mapping.length === 0 &&
      this.preview.series.some((s) => s.bars > 0),
  );

  setFile(file: File): Promise<void> {
    this.clear();
    this.file = file;
    return this.read();
  }

  set(change: Partial<FileSettings>): Promise<void> {
    Object.assign(this.settings, change);
    return this.read();
  }

  /** Requests a preview with the current settings. */
  async read(): Promise<void> {
    const { file } = this;
    if (!file) return;
    const request = ++this.latest;
    this.busy = 'reading';
    this.isCurrent = false;
    this.key = createKey();
    try {
      const preview = await this.send<Schemas['BarPreview']>('/api/v1/bars/imports', file);
      if (request !== this.latest) return;
      this.preview = preview;
      this.isCurrent = true;
      this.fault = null;
    } catch (error) {
      if (request !== this.latest) return;
      this.fault = asApiError(error);
    }
    this.busy = '';
  }

  /** Imports the file. Returns what was saved, null if it failed. */
  async commit(): Promise<Schemas['BarCommit'] | null> {
    const { file } = this;
    if (!file || !this.canCommit) return null;
    this.busy = 'importing';
    try {
      const saved = await act({
        run: () =>
          this.send<Schemas['BarCommit']>('/api/v1/bars/imports/commit', file, {
            'Idempotency-Key': this.key,
          }),
        touches: touchedByBars,
        quiet: true,
      });
      this.clear();
      return saved;
    } catch (error) {
      this.fault = asApiError(error);
      this.busy = '';
      return null;
    }
  }

  clear(): void {
    this.latest++;
    this.file = null;
    this.settings = { ...noSettings };
    this.preview = null;
    this.fault = null;
    this.busy = '';
    this.sent = 0;
  }

  private send<T>(path: string, file: File, headers?: Record<string, string>): Promise<T> {
    this.sent = 0;
    return upload<T>({
      path,
      file,
      headers,
      fields: { ...this.settings },
      progress: (share) => (this.sent = share),
    });
  }
}
