// @vitest-environment jsdom

import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/lib/api/errors';
import type { Upload } from '../../src/lib/api/upload';

const upload = vi.fn<(what: Upload) => Promise<unknown>>();
vi.mock('../../src/lib/api/upload', () => ({ upload: (what: Upload) => upload(what) }));
vi.stubGlobal(
  'BroadcastChannel',
  class {
    postMessage() {}
  },
);
const { Wizard } = await import('../../src/screens/import/wizard.svelte');

const file = new File(['Time,Symbol'], 'fills.csv');
const preview = (change: object = {}) => ({
  missing_mapping: [],
  suggested_mapping: { symbol: 'Symbol' },
  date_order: 'day_first',
  ...change,
});

beforeEach(() => upload.mockReset().mockResolvedValue(preview()));

async function withFile(answer: object = {}) {
  upload.mockResolvedValue(preview(answer));
  const wizard = new Wizard();
  wizard.account = 'main';
  await wizard.setFile(file);
  return wizard;
}

const fieldsOf = (call: number) => upload.mock.calls.at(call)![0].fields;

test('a file is read, and the next step is to check it', async () => {
  const wizard = await withFile();
  expect([wizard.step, wizard.question, wizard.reading]).toEqual(['check', '', false]);
  expect(fieldsOf(0)).toMatchObject({ account_id: 'main', column_mapping: '' });
});

test.each([
  [{ missing_mapping: ['trade_date', 'price'] }, 'day'],
  [{ missing_mapping: ['price'] }, 'mapping'],
  [{ date_order: 'ambiguous' }, 'order'],
])('%o asks for the %s', async (answer, question) => {
  expect((await withFile(answer)).question).toBe(question);
});

test('a changed column starts from the suggested mapping and reads the file again', async () => {
  const wizard = await withFile();
  wizard.setColumn('price', 'At');
  await vi.waitFor(() => expect(wizard.reading).toBe(false));
  expect(JSON.parse(fieldsOf(-1).column_mapping!)).toEqual({ symbol: 'Symbol', price: 'At' });
  wizard.setColumn('symbol', '');
  expect(wizard.usedMapping).toEqual({ price: 'At' });
});

test('a failed preview keeps the last one and says that it is outdated', async () => {
  const wizard = await withFile();
  upload.mockRejectedValueOnce(new ApiError(0, 'offline', 'away'));
  wizard.set({ zone: 'UTC' });
  await vi.waitFor(() => expect(wizard.reading).toBe(false));
  expect([wizard.outdated, wizard.fault?.code, wizard.preview !== null]).toEqual([true, 'offline', true]);
  await wizard.retry();
  expect([wizard.outdated, wizard.fault]).toEqual([false, null]);
});

test('an abandoned file does not come back with a late response', async () => {
  let finish!: (answer: unknown) => void;
  upload.mockReturnValueOnce(new Promise((resolve) => (finish = resolve)));
  const wizard = new Wizard();
  const read = wizard.setFile(file);
  wizard.restart();
  finish(preview());
  await read;
  expect([wizard.step, wizard.preview, wizard.file]).toEqual(['file', null, null]);
});

test('a repeated commit has the same key, another one after a change', async () => {
  const wizard = await withFile();
  const keyOf = (call: number) => upload.mock.calls.at(call)![0].headers!['Idempotency-Key'];
  upload.mockRejectedValueOnce(new ApiError(0, 'offline', 'away'));
  expect(await wizard.commit()).toBeNull();
  expect(wizard.step).toBe('preview');
  upload.mockResolvedValueOnce({ import_batch_id: 'b1' });
  expect(await wizard.commit()).toBe('b1');
  expect(keyOf(-1)).toBe(keyOf(-2));
  wizard.setAllowMismatch(true);
  upload.mockResolvedValueOnce({ import_batch_id: 'b2' });
  await wizard.commit();
  expect(keyOf(-1)).not.toBe(keyOf(-2));
});

test('a commit that needs columns returns to the check and finishes its batch', async () => {
  const wizard = await withFile();
  upload.mockRejectedValueOnce(
    new ApiError(422, 'mapping_required', 'Columns are missing.', null, { import_batch_id: 'b1' }),
  );
  await wizard.commit();
  expect([wizard.step, wizard.pending]).toEqual(['check', 'b1']);
  upload.mockResolvedValueOnce({ import_batch_id: 'b1' });
  await wizard.commit();
  expect(upload.mock.calls.at(-1)![0].path).toBe('/api/v1/imports/b1/commit');
});
