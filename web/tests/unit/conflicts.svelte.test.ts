import { expect, test, vi } from 'vitest';
import { ApiError } from '../../src/lib/api/errors';
import { deleteChecked, saveChecked } from '../../src/lib/checkedSave';
import { compareFields, isSame, proposeText, questions, type Fields } from '../../src/lib/conflicts.svelte';

const fields: Fields = {
  body: { label: 'Text', kind: 'text' },
  stop: { label: 'Stop', kind: 'value' },
  tags: { label: 'Tags', kind: 'ids' },
  reviewed: { label: 'Reviewed', kind: 'latest' },
};

/** A server with one record, whose tag changes with every write. */
function serve(record: Record<string, unknown>) {
  const server = {
    record,
    version: 1,
    read: async () => ({ record: { ...server.record }, tag: `"${server.version}"` }),
    write: vi.fn(async (changes: Record<string, unknown>, tag: string) => {
      if (tag !== `"${server.version}"`) throw new ApiError(412, 'precondition_failed', 'changed');
      server.change(changes);
      return server.record;
    }),
    change: (changes: Record<string, unknown>) => {
      server.record = { ...server.record, ...changes };
      server.version++;
    },
  };
  return server;
}

const save = (
  server: ReturnType<typeof serve>,
  base: Record<string, unknown>,
  mine: Record<string, unknown>,
) => saveChecked({ what: 'note', fields, valuesOf: (r) => r, base, mine, ...server });

test.each([
  ['an untouched field is not sent', { body: 'a' }, { body: 'b' }, { body: 'a' }, {}, []],
  ['a change is sent', { body: 'a' }, { body: 'a' }, { body: 'b' }, { body: 'b' }, []],
  ['the same change on both sides is not sent', { body: 'a' }, { body: 'b' }, { body: 'b' }, {}, []],
  ['two changes are a conflict', { body: 'a' }, { body: 'b' }, { body: 'c' }, {}, ['body']],
  ['a text that is new on both sides is a conflict', {}, { body: 'b' }, { body: 'c' }, {}, ['body']],
  ['a cleared text is a change', { body: 'a' }, { body: 'b' }, { body: '' }, {}, ['body']],
  [
    'space and line ends do not count',
    { body: 'a\nb' },
    { body: 'a\r\nb\n' },
    { body: 'c' },
    { body: 'c' },
    [],
  ],
  ['numbers are compared by value', { stop: '1.50' }, { stop: 1.5 }, { stop: '2' }, { stop: '2' }, []],
  [
    'tags of both sides are kept',
    { tags: ['a', 'b'] },
    { tags: ['b', 'c'] },
    { tags: ['a', 'b', 'd'] },
    { tags: ['b', 'c', 'd'] },
    [],
  ],
  [
    'the last toggle wins',
    { reviewed: false },
    { reviewed: true },
    { reviewed: false },
    { reviewed: false },
    [],
  ],
])('%s', (_, base, stored, mine, changes, conflicts) => {
  const found = compareFields(fields, base, stored, mine);
  expect(found.changes).toEqual(changes);
  expect(found.conflicts.map((c) => c.name)).toEqual(conflicts);
});

test.each([
  ['0.10', 0.1, true],
  ['007', 7, true],
  ['-0.50', -0.5, true],
  ['1', '1.0000001', false],
  ['', null, true],
  ['a', 'b', false],
])('%s and %s', (a, b, same) => expect(isSame(a, b)).toBe(same));

test('the proposed text has both additions once', () => {
  const conflict = { name: 'body', field: fields.body! };
  expect(proposeText({ ...conflict, base: 'plan', stored: 'plan\nphone', mine: 'plan\ndesk' })).toBe(
    'plan\nphone\n\ndesk',
  );
  expect(proposeText({ ...conflict, base: 'a', stored: 'b', mine: 'c' })).toBe('b\n\nc');
  expect(proposeText({ ...conflict, base: 'a', stored: 'b', mine: '' })).toBe('b');
});

test('a write that meets a newer tag is compared again', async () => {
  const server = serve({ body: 'a', stop: null });
  const { read } = server;
  server.read = async () => {
    const found = await read();
    if (server.version === 1) server.change({ stop: 5 }); // another device, after the read
    return found;
  };
  await save(server, { body: 'a' }, { body: 'b' });
  expect(server.write).toHaveBeenCalledTimes(2);
  expect(server.record).toEqual({ body: 'b', stop: 5 });
});

test('a conflict is asked again if the record changes meanwhile', async () => {
  const server = serve({ body: 'b' });
  const saving = save(server, { body: 'a' }, { body: 'c' });
  await vi.waitFor(() => expect(questions.first).toBeDefined());
  server.change({ body: 'd' });
  questions.first!.answer({ body: 'b and c' });
  await vi.waitFor(() => expect(questions.first?.conflicts[0]!.stored).toBe('d'));
  questions.first!.answer({ body: 'all' });
  await saving;
  expect(server.record).toEqual({ body: 'all' });
});

test('nothing is written if the user decides later', async () => {
  const server = serve({ body: 'b' });
  const saving = save(server, { body: 'a' }, { body: 'c' });
  await vi.waitFor(() => expect(questions.first).toBeDefined());
  questions.cancel();
  await expect(saving).rejects.toMatchObject({ status: 412 });
  expect(server.write).not.toHaveBeenCalled();
});

test('a record that was changed elsewhere is not deleted', async () => {
  const server = serve({ body: 'b' });
  const remove = vi.fn(async () => undefined);
  const check = { what: 'note', read: server.read, valuesOf: (r: Record<string, unknown>) => r };
  await expect(deleteChecked(check, { body: 'a' }, remove)).rejects.toMatchObject({ status: 412 });
  expect(remove).not.toHaveBeenCalled();
  await deleteChecked(check, { body: 'b' }, remove);
  expect(remove).toHaveBeenCalledWith('"1"');
});
