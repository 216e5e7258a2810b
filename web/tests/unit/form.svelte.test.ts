// @vitest-environment jsdom

import { flushSync } from 'svelte';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/lib/api/errors';
import { connection } from '../../src/lib/connection.svelte';
import { currentUser } from '../../src/lib/currentUser.svelte';
import { createForm, type FormOptions, type FormState } from '../../src/lib/form.svelte';

interface Values {
  name: string;
  lines: string[];
}

let destroy = () => {};

// A form as a component has it: its effects run until the component is destroyed.
function open(options: Partial<FormOptions<Values, string>> = {}): FormState<Values, string> {
  let form!: FormState<Values, string>;
  destroy = $effect.root(() => {
    form = createForm<Values, string>({
      initial: () => ({ name: 'first', lines: ['one'] }),
      submit: async () => 'saved',
      ...options,
    });
  });
  flushSync();
  return form;
}

function close() {
  destroy();
  destroy = () => {};
}

afterEach(() => {
  close();
  localStorage.clear();
});

const draft = () => 'test form';

describe('drafts', () => {
  test('a reopened form has the unsaved values', () => {
    const first = open({ draft });
    expect(first.restored).toBe(false);
    first.values.name = 'second';
    first.values.lines.push('two');
    flushSync();
    close();

    const again = open({ draft });
    expect(again.restored).toBe(true);
    expect(again.changed).toBe(true);
    expect(again.values).toEqual({ name: 'second', lines: ['one', 'two'] });
  });

  test('a restored draft is compared with the values that it began with', async () => {
    const first = open({ draft });
    first.values.name = 'second';
    flushSync();
    close();

    const submit = vi.fn(async () => 'saved');
    const again = open({ draft, submit, initial: () => ({ name: 'from another device', lines: ['one'] }) });
    expect(again.values.name).toBe('second');
    await again.save();
    expect(submit).toHaveBeenCalledWith(
      { name: 'second', lines: ['one'] },
      { name: 'first', lines: ['one'] },
    );
  });

  test('a discarded draft leaves the stored values, not those that it began with', () => {
    const first = open({ draft });
    first.values.name = 'second';
    flushSync();
    close();

    const again = open({ draft, initial: () => ({ name: 'from another device', lines: ['one'] }) });
    again.reset();
    expect(again.values.name).toBe('from another device');
    expect(again.changed).toBe(false);
  });

  test('values that were merged while they were saved are shown', async () => {
    const form = open({ storedValues: () => ({ name: 'merged' }) });
    form.values.name = 'second';
    await form.save();
    expect(form.values.name).toBe('merged');
    expect(form.changed).toBe(false);
  });

  test('a field that an older draft lacks has its initial value', () => {
    localStorage.setItem(`fillbook.draft.${currentUser.id} test form`, JSON.stringify({ name: 'old' }));
    expect(open({ draft }).values).toEqual({ name: 'old', lines: ['one'] });
  });

  test('reset restores the initial values and removes the draft', () => {
    const form = open({ draft });
    form.values.name = 'second';
    flushSync();
    form.reset();
    flushSync();
    expect(form.values.name).toBe('first');
    expect(form.changed).toBe(false);
    expect(localStorage).toHaveLength(0);
  });

  test('values typed back to the initial ones leave no draft', () => {
    const form = open({ draft });
    form.values.name = 'second';
    flushSync();
    expect(localStorage).toHaveLength(1);
    form.values.name = 'first';
    flushSync();
    expect(localStorage).toHaveLength(0);
  });

  test('a successful submit removes the draft before onsaved runs', async () => {
    const left: number[] = [];
    const form = open({ draft, onsaved: () => left.push(localStorage.length) });
    form.values.name = 'second';
    flushSync();
    await form.submit();
    expect(left).toEqual([0]);
  });

  test('a failed submit keeps the draft', async () => {
    const form = open({ draft, submit: () => Promise.reject(new ApiError(0, 'offline', 'away')) });
    form.values.name = 'second';
    flushSync();
    await form.submit();
    expect(localStorage).toHaveLength(1);
    expect(form.message).toBe('Can’t reach the server. This will be saved when it’s back.');
  });

  test('a form without a draft name stores nothing', () => {
    const form = open();
    form.values.name = 'second';
    flushSync();
    expect(localStorage).toHaveLength(0);
  });
});

describe('an unreachable server', () => {
  const away = new ApiError(0, 'offline', 'away');
  const lose = () =>
    connection.watch(() => Promise.reject(new TypeError('Failed to fetch'))).catch(() => undefined);
  const comeBack = () => connection.watch(() => Promise.resolve(new Response()));

  test('what could not be sent is sent when the server is back, once', async () => {
    const submit = vi.fn().mockRejectedValueOnce(away).mockResolvedValue('saved');
    const onsaved = vi.fn();
    const form = open({ submit, onsaved });
    form.values.name = 'second';
    await form.submit();
    await lose();
    await comeBack();
    await vi.waitFor(() => expect(onsaved).toHaveBeenCalledWith('saved'));
    await lose();
    await comeBack();
    expect(submit).toHaveBeenCalledTimes(2);
  });

  test('a form that is closed or reset sends nothing', async () => {
    const submit = vi.fn().mockRejectedValue(away);
    const form = open({ submit });
    await form.submit();
    form.reset();
    await lose();
    await comeBack();
    await form.submit();
    close();
    await lose();
    await comeBack();
    expect(submit).toHaveBeenCalledTimes(2);
  });
});

describe('errors', () => {
  const refuse = (field: string | null) => () =>
    Promise.reject(new ApiError(422, 'invalid', 'Name is taken.', field));

  test('an error is shown at its field', async () => {
    const form = open({ submit: refuse('name') });
    form.errorFor('name');
    await form.submit();
    expect(form.errorFor('name')).toBe('Name is taken.');
    expect(form.message).toBe('');
  });

  test('an error of a field that is not shown becomes the message of the form', async () => {
    const form = open({ submit: refuse('hidden_field') });
    form.errorFor('name');
    await form.submit();
    expect(form.errorFor('name')).toBe('');
    expect(form.message).toBe('Name is taken.');
  });

  test('assignError moves an error to a field', async () => {
    const form = open({
      submit: () => Promise.reject(new ApiError(409, 'conflict', 'exists')),
      assignError: (error) => (error.code === 'conflict' ? { name: 'In use.' } : undefined),
    });
    form.errorFor('name');
    await form.submit();
    expect(form.errorFor('name')).toBe('In use.');
    expect(form.message).toBe('');
  });

  test('invalid values are not sent', async () => {
    const submit = vi.fn(async () => 'saved');
    const form = open({
      submit,
      validate: (v): Record<string, string> => (v.name ? {} : { name: 'Enter a name.' }),
    });
    form.values.name = '';
    await form.submit();
    expect(submit).not.toHaveBeenCalled();
    expect(form.errorFor('name')).toBe('Enter a name.');
    form.values.name = 'again';
    await form.submit();
    expect(submit).toHaveBeenCalledWith({ name: 'again', lines: ['one'] }, { name: 'first', lines: ['one'] });
    expect(form.errorFor('name')).toBe('');
  });

  test('a second submit waits for the first to end', async () => {
    let finish: (result: string) => void = () => {};
    const submit = vi.fn(() => new Promise<string>((resolve) => (finish = resolve)));
    const form = open({ submit });
    const first = form.submit();
    await form.submit();
    expect(submit).toHaveBeenCalledTimes(1);
    expect(form.busy).toBe(true);
    finish('saved');
    await first;
    expect(form.busy).toBe(false);
  });
});

describe('save', () => {
  /** Returns a submit function whose requests the test answers itself. */
  function controlled() {
    const requests: { values: Values; saved: Values; answer: () => void; refuse: () => void }[] = [];
    const submit = (values: Values, saved: Values) =>
      new Promise<string>((resolve, reject) =>
        requests.push({
          values,
          saved,
          answer: () => resolve('saved'),
          refuse: () => reject(new ApiError(422, 'invalid', 'Name is taken.', 'name')),
        }),
      );
    return { requests, submit };
  }

  test('saved values become the initial ones', async () => {
    const onsaved = vi.fn();
    const form = open({ draft, onsaved });
    form.values.name = 'second';
    flushSync();
    await form.save();
    expect(form.changed).toBe(false);
    expect(localStorage).toHaveLength(0);
    expect(onsaved).toHaveBeenCalledWith('saved');
    form.values.name = 'third';
    flushSync();
    expect(localStorage).toHaveLength(1);
    form.reset();
    expect(form.values.name).toBe('second');
  });

  test('unchanged values are not sent', async () => {
    const submit = vi.fn(async () => 'saved');
    const form = open({ submit });
    await form.save();
    expect(submit).not.toHaveBeenCalled();
  });

  test('submit gets the values of the last save', async () => {
    const { requests, submit } = controlled();
    const form = open({ submit });
    form.values.name = 'second';
    let saving = form.save();
    requests[0]!.answer();
    await saving;
    form.values.name = 'third';
    saving = form.save();
    requests[1]!.answer();
    await saving;
    expect(requests.map((r) => [r.saved.name, r.values.name])).toEqual([
      ['first', 'second'],
      ['second', 'third'],
    ]);
  });

  test('values that change while they are sent are sent again, one request at a time', async () => {
    const { requests, submit } = controlled();
    const form = open({ draft, submit });
    form.values.name = 'second';
    const saving = form.save();
    form.values.name = 'third';
    flushSync();
    void form.save();
    expect(requests).toHaveLength(1);
    requests[0]!.answer();
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    expect(localStorage).toHaveLength(1);
    requests[1]!.answer();
    await saving;
    expect(requests.map((r) => r.values.name)).toEqual(['second', 'third']);
    expect(form.changed).toBe(false);
    expect(localStorage).toHaveLength(0);
  });

  test('a refused save shows the error, keeps the draft and is not repeated', async () => {
    const { requests, submit } = controlled();
    const form = open({ draft, submit });
    form.errorFor('name');
    form.values.name = 'second';
    flushSync();
    const saving = form.save();
    requests[0]!.refuse();
    await saving;
    expect(requests).toHaveLength(1);
    expect(form.errorFor('name')).toBe('Name is taken.');
    expect(form.changed).toBe(true);
    expect(localStorage).toHaveLength(1);
  });

  test('a destroyed component still saves, and its draft is removed', async () => {
    const form = open({ draft });
    form.values.name = 'second';
    flushSync();
    expect(localStorage).toHaveLength(1);
    close();
    await form.save();
    expect(localStorage).toHaveLength(0);
  });
});
