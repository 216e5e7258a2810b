// The state of a form: its values, its fields' errors, and the draft that
// survives closing the form. Call createForm once, at the top of a component's
// script, and render the form with components/Form.svelte or FormDialog.svelte:
//
//   const form = createForm({
//     initial: () => ({ name: setup?.name ?? '' }),
//     draft: () => `setup ${setup?.id ?? 'new'}`,
//     submit: (values) => act({ run: () => answer(api.POST(…, { body: values })), … , quiet: true }),
//     onsaved: close,
//   });
//
//   <Form {form} action="Save" oncancel={close}>
//     <TextInput label="Name" bind:value={form.values.name} error={form.errorFor('name')} />
//   </Form>
//
// Fields saved when they lose focus have no button: they call form.save().

import { untrack } from 'svelte';
import { asApiError, type ApiError } from './api/errors';
import { isSame } from './conflicts.svelte';
import { connection } from './connection.svelte';
import { Draft, type FormDraft } from './drafts';

/** Messages by the name of the field they belong to. */
export type FieldErrors = Record<string, string>;

export interface FormOptions<T extends object, R> {
  /** Returns the values the form opens with. */
  initial: () => T;
  /** Returns the name under which unsaved values are kept; without it nothing is kept. */
  draft?: () => string;
  /** Returns what is wrong with the values, before they are sent. */
  validate?: (values: T) => FieldErrors;
  /** Sends the values; `saved` has the initial ones, or those of the last save. What it throws is shown in the form. */
  submit: (values: T, saved: T) => Promise<R>;
  /** Returns the stored values, if they can differ from those that were sent. */
  storedValues?: (result: R) => Partial<T> | undefined;
  /** Assigns a server error to fields; errors with a field of their own need no entry. */
  assignError?: (error: ApiError) => FieldErrors | undefined;
  /** Runs after a successful submit or save, when the draft is gone. */
  onsaved?: (result: R) => void;
}

const openForms = new Set<{ changed: boolean }>();

/** Reports whether any form on the page has unsaved changes. */
export function hasUnsavedForm(): boolean {
  return [...openForms].some((form) => form.changed);
}

export class FormState<T extends object, R = unknown> {
  values: T = $state()!;
  busy = $state(false);
  error = $state.raw<ApiError | null>(null);
  /** Whether the form opened with a draft from before. */
  restored = $state(false);
  /** Whether any value differs from the initial ones, or from those of the last save. */
  readonly changed: boolean = $derived.by(() => this.differs());

  private fieldErrors = $state.raw<FieldErrors>({});
  private readonly fields = new Set<string>();
  private savedText = $state('');
  private readonly draft: Draft<FormDraft<T>> | null;
  private closed = false; // a submit has succeeded: there is nothing left to keep as a draft
  private saving: Promise<void> | null = null;
  private resend = $state.raw<(() => void) | null>(null); // sends what could not be sent, when the server is back

  constructor(private readonly options: FormOptions<T, R>) {
    this.savedText = JSON.stringify(untrack(options.initial));
    const draftName = untrack(() => options.draft?.());
    this.draft = draftName === undefined ? null : new Draft<FormDraft<T>>(draftName);
    const found = this.draft?.found;
    this.values = { ...this.savedValues(), ...readValues(found) };
    // A draft is compared with the values it began with: the stored ones may have changed since.
    if (found?.base !== undefined) this.savedText = JSON.stringify({ ...this.savedValues(), ...found.base });
    this.restored = found !== undefined;
    if (this.draft) $effect(() => this.saveDraft());
    $effect(() => {
      openForms.add(this);
      return () => openForms.delete(this);
    });
    $effect(() => connection.onReturn(() => this.resend?.()));
  }

  /** Returns a field's error, '' if it has none. A field counts as shown once this was called for it. */
  errorFor(field: string): string {
    this.fields.add(field);
    return this.fieldErrors[field] ?? '';
  }

  /** The error no shown field displays, '' if none. */
  get message(): string {
    if (!this.error || Object.keys(this.fieldErrors).some((field) => this.fields.has(field))) return '';
    return this.resend ? 'Can’t reach the server. This will be saved when it’s back.' : this.error.message;
  }

  /** Validates the values and sends them. */
  submit = async (event?: SubmitEvent): Promise<void> => {
    event?.preventDefault();
    if (this.busy) return;
    const values = this.validValues();
    if (values === null) return;
    await this.run(
      () => this.options.submit(values, this.savedValues()),
      (result) => this.options.onsaved?.(result),
    );
    if (this.error?.isAway) this.resend = () => void this.submit();
  };

  /** Sends changed values and keeps the form open. Values that change while they are sent are sent again. */
  save = (): Promise<void> => {
    this.saving ??= this.saveChanges().finally(() => (this.saving = null));
    return this.saving;
  };

  /** Runs another action of the form, such as Delete. A successful one removes the draft as well. */
  async run<U>(work: () => Promise<U>, done?: (result: U) => void): Promise<void> {
    await this.attempt(work, (result) => {
      this.closed = true;
      this.draft?.drop();
      done?.(result);
    });
  }

  /** Restores the initial values and removes the draft. */
  reset = (): void => {
    if (this.restored) this.savedText = JSON.stringify(this.options.initial());
    this.values = this.savedValues();
    this.error = null;
    this.fieldErrors = {};
    this.restored = false;
    this.closed = false;
    this.resend = null;
    this.draft?.drop();
  };

  /** Returns the values to send, or null after it has set the errors of invalid fields. */
  private validValues(): T | null {
    const values = $state.snapshot(this.values) as T;
    const invalid = this.options.validate?.(values) ?? {};
    this.error = null;
    this.fieldErrors = invalid;
    return Object.keys(invalid).length > 0 ? null : values;
  }

  private async saveChanges(): Promise<void> {
    while (this.differs()) {
      const values = this.validValues();
      if (values === null) return;
      const isSaved = await this.attempt(
        () => this.options.submit(values, this.savedValues()),
        (result) => {
          this.noteSaved(values, this.options.storedValues?.(result));
          this.restored = false;
          if (!this.differs()) this.draft?.drop();
          this.options.onsaved?.(result);
        },
      );
      if (!isSaved) {
        if (this.error?.isAway) this.resend = () => void this.save();
        return;
      }
    }
  }

  /** Takes over the saved values, and shows stored ones that differ, such as a merged text. */
  private noteSaved(sent: T, stored: Partial<T> | undefined): void {
    const isMerged = stored !== undefined && !isSame({ ...sent, ...stored }, sent);
    const saved = isMerged ? { ...sent, ...stored } : sent;
    if (isMerged && JSON.stringify(this.values) === JSON.stringify(sent)) this.values = saved;
    this.savedText = JSON.stringify(saved);
  }

  /** Does work while the form is busy, and reports whether it succeeded. */
  private async attempt<U>(work: () => Promise<U>, done: (result: U) => void): Promise<boolean> {
    this.busy = true;
    this.error = null;
    this.fieldErrors = {};
    this.resend = null;
    try {
      done(await work());
      return true;
    } catch (fault) {
      this.setError(asApiError(fault));
      return false;
    } finally {
      this.busy = false;
    }
  }

  private setError(error: ApiError): void {
    this.error = error;
    this.fieldErrors =
      this.options.assignError?.(error) ?? (error.field ? { [error.field]: error.message } : {});
  }

  private saveDraft(): void {
    const values = $state.snapshot(this.values) as T;
    if (this.closed || !this.differs()) this.draft!.drop();
    else this.draft!.keep({ base: this.savedValues(), values });
  }

  // Not only as a derived value: a component may save while it is destroyed.
  private differs(): boolean {
    return JSON.stringify(this.values) !== this.savedText;
  }

  private savedValues(): T {
    return JSON.parse(this.savedText) as T;
  }
}

/** Returns a draft's values. A draft of an older page is the values themselves. */
function readValues<T>(found: FormDraft<T> | undefined): T | undefined {
  return found && 'base' in found && 'values' in found ? found.values : (found as T | undefined);
}

export function createForm<T extends object, R = unknown>(options: FormOptions<T, R>): FormState<T, R> {
  return new FormState(options);
}
