// @vitest-environment jsdom

import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/lib/api/errors';
import type { Upload } from '../../src/lib/api/upload';
import { addRemembered, type Remembered } from '../../src/screens/import/memory';

const upload = vi.fn<(what: Upload) => Promise<unknown>>();
vi.mock('../../src/lib/api/upload', () => ({ upload: (what: Upload) => upload(what) }));
vi.stubGlobal(
  'BroadcastChannel',
  class {
    postMessage() {}
  },
);
const { Wizard } = await import('../../src/screens/import/wizard.svelte');
const { Queue } = await import('../../src/screens/import/queue.svelte');

const file = new File(['Time,Symbol'], 'fills.csv');
let memory: Remembered[] = [];
const accounts = [
  { id: 'main', name: 'Main' },
  { id: 'prop', name: 'Prop' },
];
const options = {
  zone: () => 'Asia/Tokyo',
  accounts: () => accounts,
  memory: () => memory,
  remember: (entry: Remembered) => (memory = addRemembered(memory, entry)),
};
const preview = (change: object = {}) => ({
  source: 'csv',
  headers: ['Time', 'Symbol'],
  layout_signature: 's1',
  detected_broker: '',
  file_account: '',
  source_tz_from: 'file',
  unknown_kinds: [],
  warnings: [],
  warning_details: [],
  new_rows: 2,
  completed: 0,
  duplicates: 0,
  cash_rows: 0,
  cash_duplicates: 0,
  missing_mapping: [],
  suggested_mapping: { symbol: 'Symbol' },
  date_order: 'day_first',
  ...change,
});

beforeEach(() => {
  memory = [];
  upload.mockReset().mockResolvedValue(preview());
});

async function withFile(answer: object = {}) {
  upload.mockResolvedValue(preview(answer));
  const wizard = new Wizard(options);
  wizard.account = 'main';
  await wizard.setFile(file);
  return wizard;
}

const fieldsOf = (call: number) => upload.mock.calls.at(call)![0].fields;

test('a file is read, and the next step is to check it', async () => {
  const wizard = await withFile();
  expect([wizard.step, wizard.question, wizard.reading]).toEqual(['check', '', false]);
  expect(fieldsOf(0)).toMatchObject({ account_id: '', default_account_id: 'main', column_mapping: '' });
  wizard.setColumn('price', 'At');
  expect(fieldsOf(-1), 'it is no backup').toMatchObject({ account_id: 'main' });
});

test.each([
  ['a broker’s export', { detected_broker: 'Tradovate' }],
  ['a backup', { source: 'backup', layout_signature: '' }],
])('the preview of %s follows at once', async (_, answer) => {
  expect((await withFile(answer)).step).toBe('preview');
});

test('the answer to the only question leads to the preview', async () => {
  const wizard = await withFile({ detected_broker: 'Tradovate', date_order: 'ambiguous' });
  expect(wizard.step).toBe('check');
  upload.mockResolvedValue(preview({ detected_broker: 'Tradovate' }));
  wizard.set({ order: 'month_first' });
  await vi.waitFor(() => expect(wizard.step).toBe('preview'));
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
  const wizard = new Wizard(options);
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
  expect(await wizard.commit()).toEqual({ import_batch_id: 'b1' });
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

const remembered: Remembered = {
  signature: 's1',
  name: 'fills.csv',
  at: '2026-03-02T12:00:00Z',
  zone: 'America/New_York',
  order: 'day_first',
  mapping: { price: 'Symbol' },
  accounts: [{ file: '', id: 'prop', name: 'Prop' }],
};
const open = { source_tz_from: 'unknown', date_order: 'ambiguous' };

test('times of an unknown zone are read in the zone of the user', async () => {
  const wizard = await withFile({ source_tz_from: 'unknown' });
  expect(upload.mock.calls.map((_, i) => fieldsOf(i).default_tz)).toEqual(['', 'Asia/Tokyo']);
  expect([wizard.zone, wizard.step]).toEqual(['', 'check']);
  await withFile({ source_tz_from: 'days' });
  expect(fieldsOf(-1).default_tz).toBe('');
});

test('the settings of the last import of a layout are used', async () => {
  memory = [remembered];
  upload.mockResolvedValueOnce(preview({ missing_mapping: ['price'], source_tz_from: '', date_order: '' }));
  upload.mockResolvedValueOnce(preview(open));
  const wizard = await withFile({ source_tz_from: 'request' });
  expect(upload).toHaveBeenCalledTimes(3);
  expect(fieldsOf(1)).toMatchObject({
    default_account_id: 'main',
    source_tz: '',
    column_mapping: '{"price":"Symbol"}',
  });
  expect(fieldsOf(2)).toMatchObject({
    default_account_id: 'prop',
    source_tz: 'America/New_York',
    date_order: 'day_first',
  });
  expect(wizard.used).toMatchObject({ account: true, zone: true, order: true, mapping: true });
  expect(wizard.step, 'there is nothing to check').toBe('preview');
  wizard.set({ account: 'main' });
  expect(wizard.used, 'the account is now chosen').toMatchObject({ account: false, zone: true });
});

test('a chosen account is not replaced', async () => {
  memory = [remembered];
  const wizard = new Wizard(options);
  wizard.account = 'main';
  wizard.accountChosen = true;
  await wizard.setFile(file);
  expect(fieldsOf(-1).default_account_id).toBe('main');
  expect([wizard.used?.account, wizard.unused]).toEqual([false, [{ what: 'zone' }]]);
});

test('a remembered account in another currency is not used', async () => {
  memory = [{ ...remembered, zone: '', order: '', mapping: null }];
  upload.mockResolvedValueOnce(preview());
  upload.mockResolvedValueOnce(preview({ currency: { mismatch: true } }));
  const wizard = await withFile();
  expect([wizard.account, wizard.step]).toEqual(['main', 'check']);
  expect(wizard.unused).toEqual([{ what: 'account', why: 'currency', name: 'Prop' }]);
  wizard.set({ account: 'prop' });
  expect(wizard.unused).toEqual([]);
});

test('settings that the server refuses are dropped, those that could not be sent are not', async () => {
  memory = [remembered];
  upload.mockResolvedValueOnce(preview(open));
  upload.mockRejectedValueOnce(new ApiError(400, 'bad_request', 'no'));
  const wizard = await withFile(open);
  expect([wizard.mapping, wizard.used, wizard.unused, wizard.fault]).toEqual([
    null,
    null,
    [{ what: 'all' }],
    null,
  ]);

  upload.mockResolvedValueOnce(preview(open));
  upload.mockRejectedValueOnce(new ApiError(0, 'offline', 'away'));
  await wizard.setFile(file);
  expect([wizard.fault?.code, wizard.mapping]).toEqual(['offline', { price: 'Symbol' }]);
  await wizard.retry();
  expect(fieldsOf(-1)).toMatchObject({ source_tz: 'America/New_York', date_order: 'day_first' });
});

test('an import is remembered, a backup is not', async () => {
  const wizard = await withFile({ source_tz_from: 'unknown' });
  upload.mockResolvedValueOnce({ import_batch_id: 'b1' });
  await wizard.commit();
  expect(memory).toMatchObject([
    { signature: 's1', zone: 'Asia/Tokyo', accounts: [{ id: 'main', name: 'Main' }] },
  ]);
  const backup = await withFile({ layout_signature: '', source: 'backup' });
  upload.mockResolvedValueOnce({ import_batch_id: 'b2' });
  await backup.commit();
  expect(memory).toHaveLength(1);
});

test('a backup is restored into its own accounts unless one is chosen', async () => {
  const wizard = await withFile({ layout_signature: '', source: 'backup' });
  upload.mockResolvedValueOnce({ import_batch_id: 'b1' });
  await wizard.commit();
  expect(fieldsOf(-1).account_id).toBe('');
  wizard.set({ into: 'prop' });
  await vi.waitFor(() => expect(wizard.reading).toBe(false));
  expect(fieldsOf(-1).account_id).toBe('prop');
  await wizard.setFile(file);
  expect(fieldsOf(-1).account_id, 'another file').toBe('');
});

test('a queue reads files one after the other, and a problem stops only its file', async () => {
  const queue = new Queue(options);
  const names = ['good.csv', 'bad.csv', 'known.csv', 'open.csv'];
  const answers: Record<string, object> = {
    'known.csv': preview({ new_rows: 0, duplicates: 2 }),
    'open.csv': preview({ date_order: 'ambiguous', layout_signature: 's2' }),
  };
  upload.mockImplementation(({ file: f }) => {
    const name = (f as File).name;
    return name === 'bad.csv'
      ? Promise.reject(new ApiError(400, 'bad_request', 'No table.'))
      : Promise.resolve(answers[name] ?? preview());
  });
  await queue.start(
    names.map((name) => new File(['x'], name)),
    'main',
    false,
  );
  expect(queue.items.map((i) => i.state)).toEqual(['ready', 'failed', 'known', 'question']);

  upload.mockResolvedValueOnce({ import_batch_id: 'b1' });
  await queue.commit();
  expect(queue.items.map((i) => i.state)).toEqual(['done', 'failed', 'known', 'question']);
  expect(queue.isFinished).toBe(false);

  queue.openNext();
  expect([queue.open?.file.name, queue.open?.wizard.step]).toEqual(['open.csv', 'check']);
  queue.remove(queue.items[3]!);
  expect(queue.isFinished).toBe(true);
});

test('the answers for one file of a queue are used for others of the same layout', async () => {
  const queue = new Queue(options);
  upload.mockImplementation(({ fields }) =>
    Promise.resolve(preview({ date_order: fields.date_order || 'ambiguous' })),
  );
  await queue.start([file, new File(['x'], 'second.csv')], 'main', false);
  expect(queue.questions).toHaveLength(2);
  queue.openNext();
  queue.open!.wizard.set({ order: 'day_first', kinds: { ZORP: 'fee' } });
  await vi.waitFor(() => expect(queue.open!.wizard.question).toBe(''));
  await queue.confirm();
  expect(queue.items.map((i) => [i.state, i.wizard.order, i.wizard.kinds])).toEqual([
    ['ready', 'day_first', { ZORP: 'fee' }],
    ['ready', 'day_first', { ZORP: 'fee' }],
  ]);
  expect(queue.open).toBeNull();
  expect(memory, 'nothing is imported yet').toEqual([]);
});
