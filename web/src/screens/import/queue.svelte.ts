// Several files imported together. Each has its own settings, preview and
// commit, so a problem stops only its file.

import type { Schemas } from '../../lib/api/client';
import { isQuestion } from './labels';
import { addRemembered, type Remembered } from './memory';
import { Wizard, type WizardOptions } from './wizard.svelte';

export type ItemState =
  'reading' | 'question' | 'ready' | 'known' | 'importing' | 'done' | 'undone' | 'failed';

export class QueueItem {
  readonly wizard: Wizard;
  confirmed = $state(false); // the user has seen its preview
  importing = $state(false);
  undone = $state(false);
  result = $state.raw<Schemas['Result'] | null>(null);

  constructor(
    readonly file: File,
    options: WizardOptions,
  ) {
    this.wizard = new Wizard(options);
  }

  readonly state: ItemState = $derived.by(() => {
    const { preview, fault, reading } = this.wizard;
    if (this.result) return this.undone ? 'undone' : 'done';
    if (this.importing) return 'importing';
    if (reading) return 'reading';
    if (fault && (!preview || this.wizard.outdated || !needsAnswer(this.wizard))) return 'failed';
    if (!preview) return 'reading';
    if (needsAnswer(this.wizard)) return 'question';
    if (this.confirmed) return 'ready';
    if (isKnownFile(preview)) return 'known';
    return asksToConfirm(this.wizard, preview) ? 'question' : 'ready';
  });

  /** Whether a failed file may work again as it is. */
  get canRetry(): boolean {
    const { fault, preview } = this.wizard;
    return this.state === 'failed' && (preview !== null || (fault?.isAway ?? false) || fault?.status === 429);
  }

  /** Offers a failed file again: reads it if that failed, otherwise it can be imported again. */
  async retry(): Promise<void> {
    if (this.wizard.preview && !this.wizard.outdated) this.wizard.fault = null;
    else await this.wizard.retry();
  }
}

/** Reports whether a setting is missing without which the file can't be imported. */
const needsAnswer = (w: Wizard) => w.question !== '' || w.needsCurrency;

/** Reports whether everything in a file is already imported. */
export function isKnownFile(p: Schemas['ImportPreview']): boolean {
  return (
    p.source !== 'backup' &&
    p.new_rows === 0 &&
    p.completed === 0 &&
    p.duplicates + p.cash_duplicates > 0 &&
    p.cash_rows <= p.cash_duplicates &&
    !p.rows?.annotations
  );
}

/** Reports whether the user should look at a preview before it is imported. */
function asksToConfirm(w: Wizard, p: Schemas['ImportPreview']): boolean {
  const isEmpty =
    p.source !== 'backup' && p.new_rows + p.completed + p.cash_rows === 0 && !p.rows?.annotations;
  return (
    isEmpty ||
    w.unused.length > 0 ||
    p.unknown_kinds.some((k) => !k.kind) ||
    p.warning_details.some(isQuestion)
  );
}

export class Queue {
  items = $state.raw<QueueItem[]>([]);
  open = $state.raw<QueueItem | null>(null); // the file whose settings are shown
  running = $state(false);
  private confirmed: Remembered[] = []; // settings of files that may not be imported yet
  private readonly options: WizardOptions;

  constructor(options: WizardOptions) {
    this.options = { ...options, memory: () => this.confirmed.reduceRight(addRemembered, options.memory()) };
  }

  readonly questions: QueueItem[] = $derived(this.items.filter((i) => i.state === 'question'));
  readonly ready: QueueItem[] = $derived(this.items.filter((i) => i.state === 'ready'));
  readonly results: Schemas['Result'][] = $derived(
    this.items.filter((i) => i.state === 'done').map((i) => i.result!),
  );
  readonly isReading: boolean = $derived(this.items.some((i) => i.state === 'reading'));
  readonly isFinished: boolean = $derived(
    !this.running &&
      !this.isReading &&
      this.items.some((i) => i.result) &&
      this.questions.length + this.ready.length === 0,
  );

  /** Reads the files one after the other. */
  async start(files: File[], account: string, accountChosen: boolean): Promise<void> {
    const items = files.map((file) => new QueueItem(file, this.options));
    this.items = items;
    for (const { wizard } of items) {
      wizard.reading = true;
      wizard.account = account;
      wizard.accountChosen = accountChosen;
    }
    for (const item of items) if (this.items.includes(item)) await item.wizard.setFile(item.file);
  }

  /** Shows the next file with a question, or all files after the last question. */
  openNext(): void {
    this.show(this.questions[0] ?? null);
  }

  show(item: QueueItem | null): void {
    this.open = item;
    if (!item) return;
    item.wizard.step = item.wizard.question === '' ? 'preview' : 'check';
  }

  /** Confirms the settings of the open file. Files of the same layout that have questions are read with them too. */
  async confirm(): Promise<void> {
    const item = this.open;
    if (!item) return;
    item.confirmed = true;
    const entry = item.wizard.toEntry();
    if (entry) this.confirmed = addRemembered(this.confirmed, entry);
    const layout = item.wizard.preview?.layout_signature;
    const same = this.questions.filter((i) => layout !== '' && i.wizard.preview?.layout_signature === layout);
    this.open = null;
    for (const { wizard } of same) await wizard.matchAgain(item.wizard.kinds);
    this.openNext();
  }

  /** Imports the files that are ready, one after the other. */
  async commit(): Promise<void> {
    this.running = true;
    for (const item of this.ready) {
      item.importing = true;
      item.result = await item.wizard.commit();
      item.importing = false;
    }
    this.running = false;
  }

  remove(item: QueueItem): void {
    this.items = this.items.filter((i) => i !== item);
  }

  clear(): void {
    this.items = [];
    this.confirmed = [];
    this.open = null;
  }
}
