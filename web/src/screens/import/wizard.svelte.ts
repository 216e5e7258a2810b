// The state of an import: the file, the settings it is read with, the server's
// preview, and the commit. The server reads the file again after every change of
// the settings and saves nothing before the commit.

import type { Schemas } from '../../lib/api/client';
import { ApiError, asApiError } from '../../lib/api/errors';
import { createKey } from '../../lib/api/keyring';
import { act, type Kind } from '../../lib/api/queries.svelte';
import { upload } from '../../lib/api/upload';
import {
  findRemembered,
  matchSettings,
  missingColumn,
  toRemembered,
  type Remembered,
  type Unused,
} from './memory';

/** What the screen shows; 'check' asks for the columns of an unknown table before the preview. */
export type Step = 'file' | 'check' | 'preview' | 'import';

/** The kinds of data an import can change. */
export const touched: Kind[] = [
  'imports',
  'accounts',
  'trades',
  'executions',
  'actions',
  'cash',
  'analytics',
  'setups',
  'tags',
  'notes',
  'missed',
  'routines',
];

type Preview = Schemas['ImportPreview'];

/** The account and preferences of the user an import needs. */
export interface WizardOptions {
  zone: () => string; // of the user
  accounts: () => { id: string; name: string }[];
  memory: () => Remembered[];
  remember: (entry: Remembered) => void;
}

/** The remembered settings a file is read with. */
export interface UsedMemory {
  entry: Remembered;
  account: boolean;
  zone: boolean;
  order: boolean;
  mapping: boolean;
}

const remembered = ['account', 'zone', 'order', 'mapping'] as const;
const nothingUsed = { account: false, zone: false, order: false, mapping: false };

export class Wizard {
  step = $state<Step>('file');
  account = $state(''); // of the rows of a table
  into = $state(''); // the account into which that of a backup is restored; '' for its own
  accountChosen = $state(false); // by the user: a remembered one does not replace it
  file = $state<File | null>(null);
  zone = $state(''); // '' uses the server's suggestion
  assumedZone = $state(''); // the user's, if nothing says which zone the times are in
  order = $state<'' | 'day_first' | 'month_first'>('');
  mapping = $state<Record<string, string> | null>(null); // null uses the server's suggestion
  kinds = $state<Record<string, string>>({}); // the chosen kinds of rows, by the word in the file
  tradeDate = $state(''); // YYYY-MM-DD, for a file whose times have no day
  ignoreActions = $state(false); // leave out the corporate actions that the file states
  allowMismatch = $state(false); // import amounts in another currency unchanged
  preview = $state<Preview | null>(null);
  reading = $state(false);
  sent = $state(0); // uploaded share of the file, from 0 to 1
  fault = $state<ApiError | null>(null);
  outdated = $state(false); // the last preview failed, so the shown one has older settings
  pending = $state(''); // the unfinished batch this import completes
  used = $state.raw<UsedMemory | null>(null);
  unused = $state.raw<Unused[]>([]); // remembered settings that contradict the file
  private stage: 'find' | 'match' | 'verify' | 'done' = 'find'; // of using remembered settings
  private ownAccount = ''; // before a remembered one replaced it
  private generation = 0; // previews of an abandoned file are dropped
  private requested = false; // a preview is requested that has not started
  private running: Promise<void> | null = null;
  private key = ''; // of the commit, so one that is sent twice happens once

  constructor(private readonly options: WizardOptions) {}

  /** The question to answer before the preview can be shown; '' if none. */
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

  /** Whether the file is a table whose columns can be chosen. */
  get canMap(): boolean {
    return this.preview?.source === 'csv' && this.preview.accepts_column_mapping;
  }

  /** The time zone the file is read in; '' if it needs none. */
  get usedZone(): string {
    return this.zone || this.preview?.suggested_source_tz || this.assumedZone;
  }

  /** The error that no setting shows as its own. */
  get otherFault(): ApiError | null {
    const settings = [
      'source_tz',
      'trade_date',
      ...(this.preview?.source === 'backup' ? ['account_id'] : []),
    ];
    return settings.includes(this.fault?.field ?? '') ? null : this.fault;
  }

  get usedMapping(): Record<string, string> {
    return this.mapping ?? this.preview?.suggested_mapping ?? {};
  }

  async setFile(file: File): Promise<void> {
    this.file = file;
    this.clearSettings();
    this.stage = 'find';
    this.ownAccount = this.account;
    this.preview = null;
    await this.retry();
  }

  private clearSettings(): void {
    this.into = '';
    this.zone = '';
    this.assumedZone = '';
    this.order = '';
    this.mapping = null;
    this.kinds = {};
    this.tradeDate = '';
    this.ignoreActions = false;
    this.allowMismatch = false;
    this.used = null;
    this.unused = [];
  }

  /** Reads the file again after a failed preview. */
  async retry(): Promise<void> {
    await this.read();
    if (this.preview && this.step === 'file') this.showPreview();
  }

  /** Shows the preview, or what must be answered before it. */
  private showPreview(): void {
    this.step = this.isRecognized && this.question === '' && this.fault === null ? 'preview' : 'check';
  }

  /** Whether the file's columns are known: from a broker's export, a backup, or an earlier import of its layout. */
  private get isRecognized(): boolean {
    const p = this.preview;
    if (!p || p.detected_broker !== '' || p.source === 'backup') return p !== null;
    return this.used !== null && this.unused.length === 0;
  }

  /** Reads the file again with settings of its layout remembered since it was read, and with chosen kinds. */
  async matchAgain(kinds: Record<string, string>): Promise<void> {
    this.clearSettings();
    this.kinds = { ...kinds };
    this.stage = 'find';
    await this.read();
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
      if (preview ? this.completeSettings(preview) : this.dropMemory(fault)) {
        this.requested = true;
        continue;
      }
      if (preview) this.preview = preview;
      this.fault = fault;
      this.outdated = fault !== null;
      this.reading = false;
    }
  }

  /**
   * Completes the settings with remembered ones and with the user's zone. Reports whether the file must be read
   * again with them. The columns come first, because the rest depends on what is in them; the account is verified last.
   */
  private completeSettings(p: Preview): boolean {
    const before = JSON.stringify(this.fields());
    if (this.stage === 'find') this.useColumns(p);
    const isRead = () => JSON.stringify(this.fields()) === before;
    if (isRead() && this.stage === 'match') this.useSettings(p);
    if (isRead() && this.stage === 'verify') this.verifyAccount(p);
    if (isRead() && p.source_tz_from === 'unknown' && this.zone === '' && this.assumedZone === '')
      this.assumedZone = this.options.zone();
    return !isRead();
  }

  private useColumns(p: Preview): void {
    const entry = this.pending ? undefined : findRemembered(this.options.memory(), p.layout_signature);
    this.stage = entry ? 'match' : 'done';
    if (!entry) return;
    this.used = { entry, ...nothingUsed };
    if (!entry.mapping) return;
    const column = missingColumn(entry.mapping, p.headers);
    if (column !== '') {
      this.unused = [{ what: 'mapping', column }];
      return;
    }
    this.mapping = entry.mapping;
    this.used = { ...this.used, mapping: true };
  }

  private useSettings(p: Preview): void {
    this.stage = 'verify';
    const { entry, mapping } = this.used!;
    const found = matchSettings(entry, p, this.options.accounts());
    this.zone = found.zone;
    this.order = found.order;
    if (found.account && !this.accountChosen) this.account = found.account;
    this.unused = [
      ...this.unused,
      ...found.unused.filter((u) => u.what !== 'account' || !this.accountChosen),
    ];
    const account = found.account !== '' && !this.accountChosen;
    const next = { entry, mapping, account, zone: found.zone !== '', order: found.order !== '' };
    const isUsed = Object.values({ ...next, entry: false }).includes(true);
    this.used = isUsed || this.unused.length > 0 ? next : null;
  }

  private verifyAccount(p: Preview): void {
    this.stage = 'done';
    if (!this.used?.account || !p.currency?.mismatch) return;
    const name = this.options.accounts().find((a) => a.id === this.account)?.name ?? '';
    this.unused = [...this.unused, { what: 'account', why: 'currency', name }];
    this.used = { ...this.used, account: false };
    this.account = this.ownAccount;
  }

  /** Reads the file without remembered settings the server refuses. Reports whether there were any. */
  private dropMemory(fault: ApiError | null): boolean {
    if (!this.used || this.stage === 'done' || !fault || ![400, 404].includes(fault.status)) return false;
    this.clearSettings();
    this.account = this.ownAccount;
    this.unused = [{ what: 'all' }];
    this.stage = 'done';
    return true;
  }

  private async readOnce(file: File): Promise<{ preview: Preview | null; fault: ApiError | null }> {
    try {
      const preview = await upload<Preview>({
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

  set(
    change: Partial<
      Pick<
        Wizard,
        'zone' | 'order' | 'mapping' | 'kinds' | 'account' | 'into' | 'tradeDate' | 'ignoreActions'
      >
    >,
  ): void {
    Object.assign(this, change);
    if (change.account !== undefined) {
      this.allowMismatch = false;
      this.accountChosen = true;
    }
    // What the user changes is neither a remembered setting nor one that was not used.
    const changed = remembered.filter((name) => change[name] !== undefined);
    for (const name of changed) if (this.used) this.used = { ...this.used, [name]: false };
    this.unused = this.unused.filter((u) => u.what === 'all' || !changed.includes(u.what));
    void this.read().then(() => {
      if (change.order && this.step === 'check' && this.isRecognized) this.showPreview(); // nothing else was asked
    });
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

  /** Returns the entry that remembers the current settings, null for a file that has none. */
  toEntry(): Remembered | null {
    const p = this.preview;
    if (!p || !this.file || p.layout_signature === '') return null;
    const account = this.options.accounts().find((a) => a.id === this.account);
    const used = {
      file: this.file.name,
      at: new Date().toISOString(),
      account: { id: this.account, name: account?.name ?? '' },
      zone: this.zone,
      assumedZone: this.assumedZone,
      mapping: $state.snapshot(this.mapping),
    };
    return toRemembered(p, used, findRemembered(this.options.memory(), p.layout_signature));
  }

  /** Imports the file. Returns null after an error, which is then in fault. */
  async commit(): Promise<Schemas['Result'] | null> {
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
      const entry = this.toEntry();
      if (entry) this.options.remember(entry);
      return result;
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
    this.used = null;
    this.unused = [];
    this.accountChosen = false;
    this.pending = '';
    this.reading = false;
    this.step = 'file';
  }

  private fields(): Record<string, string> {
    const isTable = this.preview !== null && this.preview.source !== 'backup';
    return {
      account_id: isTable ? this.account : this.into,
      default_account_id: this.account, // a backup has its own
      source_tz: this.zone,
      default_tz: this.assumedZone,
      date_order: this.order,
      column_mapping: this.mapping ? JSON.stringify(this.mapping) : '',
      kinds: Object.keys(this.kinds).length > 0 ? JSON.stringify(this.kinds) : '',
      trade_date: this.tradeDate,
      corporate_actions: this.ignoreActions ? 'ignore' : '',
      allow_currency_mismatch: this.allowMismatch ? 'true' : '',
    };
  }
}
