// The state of a form: its values, the errors of its fields, and the draft that
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

import { untrack } from 'svelte';
import { asApiError, type ApiError } from './api/errors';
import { Draft } from './drafts';

/** Messages by the name of the field that they belong to. */
export type FieldErrors = Record<string, string>;

export interface FormOptions<T extends object, R> {
  /** Returns the values that the form opens with. */
  initial: () => T;
  /** Returns the name under which unsaved values are kept; without it nothing is kept. */
  draft?: () => string;
  /** Returns what is wrong with the values, before they are sent. */
  validate?: (values: T) => FieldErrors;
  /** Sends the values. What it throws is shown in the form. */
  submit: (values: T) => Promise<R>;
  /** Assigns a server error to fields; errors with a field of their own need no entry. */
  assignError?: (error: ApiError) => FieldErrors | undefined;
  /** Runs after a successful submit, when the draft is gone. */
  onsaved?: (result: R) => void;
}

export class FormState<T extends object, R = unknown> {
  values: T = $state()!;
  busy = $state(false);
  error = $state.raw<ApiError | null>(null);
  /** Whether the form opened with a draft from before. */
  restored = $state(false);
  /** Whether any value differs from the initial ones. */
  readonly changed: boolean = $derived.by(() => JSON.stringify(this.values) !== this.initialText);

  private fieldErrors = $state.raw<FieldErrors>({});
  private readonly fields = new Set<string>();
  private readonly initialText: string;
  private readonly draft: Draft<T> | null;
  private saved = false;

  constructor(private readonly options: FormOptions<T, R>) {
    this.initialText = JSON.stringify(untrack(options.initial));
    const draftName = untrack(() => options.draft?.());
    this.draft = draftName === undefined ? null : new Draft<T>(draftName);
    const found = this.draft?.found;
    this.values = { ...this.initialValues(), ...found };
    this.restored = found !== undefined;
    if (this.draft) $effect(() => this.saveDraft());
  }

  /** Returns the error of a field, '' if it has none. A field counts as shown once this was called for it. */
  errorFor(field: string): string {
    this.fields.add(field);
    return this.fieldErrors[field] ?? '';
  }

  /** The error that no shown field displays, '' if there is none. */
  get message(): string {
    if (!this.error || Object.keys(this.fieldErrors).some((field) => this.fields.has(field))) return '';
    return this.error.message;
  }

  /** Validates the values and sends them. */
  submit = async (event?: SubmitEvent): Promise<void> => {
    event?.preventDefault();
    if (this.busy) return;
    const values = $state.snapshot(this.values) as T;
    const invalid = this.options.validate?.(values) ?? {};
    this.error = null;
    this.fieldErrors = invalid;
    if (Object.keys(invalid).length > 0) return;
    await this.run(
      () => this.options.submit(values),
      (result) => this.options.onsaved?.(result),
    );
  };

  /** Runs another action of the form, such as Delete. A successful one removes the draft as well. */
  async run<U>(work: () => Promise<U>, done?: (result: U) => void): Promise<void> {
    this.busy = true;
    this.error = null;
    this.fieldErrors = {};
    try {
      const result = await work();
      this.saved = true;
      this.draft?.drop();
      done?.(result);
    } catch (fault) {
      this.setError(asApiError(fault));
    } finally {
      this.busy = false;
    }
  }

  /** Restores the initial values and removes the draft. */
  reset = (): void => {
    this.values = this.initialValues();
    this.error = null;
    this.fieldErrors = {};
    this.restored = false;
    this.saved = false;
    this.draft?.drop();
  };

  private setError(error: ApiError): void {
    this.error = error;
    this.fieldErrors =
      this.options.assignError?.(error) ?? (error.field ? { [error.field]: error.message } : {});
  }

  private saveDraft(): void {
    const values = $state.snapshot(this.values) as T;
    if (this.saved || JSON.stringify(values) === this.initialText) this.draft!.drop();
    else this.draft!.keep(values);
  }

  private initialValues(): T {
    return JSON.parse(this.initialText) as T;
  }
}

export function createForm<T extends object, R = unknown>(options: FormOptions<T, R>): FormState<T, R> {
  return new FormState(options);
}
