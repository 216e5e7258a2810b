// Imports that remember their settings, and several files at once.

import type { Locator, Page } from '@playwright/test';
import { countActions, type Files } from './actions';
import { expect, mainAccount, test, trade } from './fixtures';
import { expectFitsPhone } from './phone';
import { zip } from './zip';

// Unknown columns, ambiguous dates and times without a zone.
const odd = (symbol: string, month: string) => `When,What,Way,How much,At
05/${month}/2026 09:31,${symbol},buy,100,10.00
05/${month}/2026 10:12,${symbol},sell,100,11.00
`;
const columns = { Symbol: 'What', Side: 'Way', Quantity: 'How much', Price: 'At', 'Date and time': 'When' };

// Everything is named.
const plain = (symbol: string) => `Symbol,Side,Quantity,Price,Executed At
${symbol},buy,10,212.40,2026-03-05T14:31:00Z
${symbol},sell,10,214.10,2026-03-05T15:12:00Z
`;

const inputOf = (page: Page) => page.getByLabel(/Drop a statement/);
const stepsOf = (page: Page) => page.getByRole('list', { name: 'Import steps' });
const expectStep = (page: Page, step: string) =>
  expect(stepsOf(page).locator('[aria-current=step]')).toContainText(step);
const row = (page: Page, name: string): Locator =>
  page.getByRole('table', { name: 'Files' }).getByRole('row').filter({ hasText: name });

/** Answers everything an odd file leaves open, up to the preview. */
async function answerOdd(page: Page): Promise<void> {
  for (const [target, column] of Object.entries(columns)) {
    const read = page.waitForResponse((r) => r.url().endsWith('/api/v1/imports') && r.ok());
    await page.getByLabel(target, { exact: true }).selectOption(column);
    await read;
  }
  await page.getByRole('radio', { name: 'DD/MM' }).check();
  await page.getByRole('button', { name: 'Preview import' }).click();
}

async function drop(page: Page, files: Files): Promise<void> {
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(list)) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page
    .locator('label')
    .filter({ hasText: 'Drop a statement' })
    .dispatchEvent('drop', { dataTransfer: data });
}

test('import settings are used for the next file with the layout, and can be forgotten', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const prop = await api<{ id: string }>('POST', '/accounts', { name: 'Prop', base_currency: 'USD' });
  await api('PUT', '/settings/journal', { timezone: 'America/New_York' });
  await signIn('/import');
  await page.getByLabel('Account', { exact: true }).selectOption(prop.id);
  await countActions(page).choose(inputOf(page), { 'one.csv': odd('AAA', '03') });
  await answerOdd(page);
  // The zone is the user's, and has to be confirmed once.
  await expect(page.getByText(/Read them as New York time\?/)).toBeVisible();
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.getByRole('button', { name: 'Import 2 fills' }).click();
  await expect(page.getByText('Fills added')).toBeVisible();
  await expectStep(page, 'Summary');

  // The next one takes two actions.
  await page.goto('/import');
  const actions = countActions(page);
  await actions.choose(inputOf(page), { 'two.csv': odd('BBB', '04') });
  const note = page.getByText(
    /Used the settings of your import of .*: New York time, dates DD\/MM, your columns, account Prop\./,
  );
  await expect(note).toBeVisible();
  await expectStep(page, 'Preview');
  await expectAccessible('remembered settings');
  await expectFitsPhone(page, 'remembered settings');
  await actions.click(page.getByRole('button', { name: 'Import 2 fills' }));
  await expect(page.getByText('Fills added')).toBeVisible();
  expect(actions.count).toBe(2);
  const trades = await api<{ symbol: string; account_id: string; opened_at: string }[]>('GET', '/trades');
  const second = trades.find((t) => t.symbol === 'BBB');
  expect(second).toMatchObject({ account_id: prop.id, opened_at: '2026-04-05T13:31:00Z' });

  // A file that contradicts them does not use them, and says so. Each setting can be changed.
  await page.goto('/import');
  await inputOf(page).setInputFiles({
    name: 'three.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(odd('CCC', '25')),
  });
  await expect(page.getByText(/The dates in this file are MM\/DD/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'File details' })).toBeVisible();
  await page.getByRole('button', { name: 'Choose another file' }).click();
  await inputOf(page).setInputFiles({
    name: 'four.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(odd('DDD', '06')),
  });
  await expect(note).toBeVisible();
  await page.getByLabel('Account', { exact: true }).selectOption({ label: 'Main (USD)' });
  await expect(page.getByText('four.csv into Main')).toBeVisible();
  await page.getByRole('button', { name: 'File', exact: true }).click();

  await page.getByRole('button', { name: 'Forget two.csv' }).click();
  await expect(page.getByText('Remembered settings')).toBeHidden();
  await inputOf(page).setInputFiles({
    name: 'five.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(odd('EEE', '07')),
  });
  await expect(page.getByText('Choose these columns', { exact: false })).toBeVisible();
  await expect(page.getByText(/Used the settings/)).toHaveCount(0);
});

test('several files are imported together, and a problem stops only its file', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await mainAccount(api);
  await signIn('/import');
  // Three files of which one is damaged: two actions.
  const actions = countActions(page);
  await actions.choose(inputOf(page), {
    'a.csv': plain('AAA'),
    'b.csv': plain('BBB'),
    'Damaged export of the evaluation account.csv': '',
  });
  await expect(row(page, 'b.csv')).toContainText('Ready');
  await expect(row(page, 'Damaged')).toContainText('The file is empty.');
  await expectStep(page, 'Preview');
  await expectAccessible('files before the import');
  await expectFitsPhone(page, 'files before the import');
  await actions.click(page.getByRole('button', { name: 'Import 2 files' }));
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();
  expect(actions.count).toBe(2);
  await expectStep(page, 'Summary');
  await expect(row(page, 'a.csv').getByRole('cell')).toContainText(['Main', '2', '0', '0', '0', 'Imported']);
  await expect(row(page, 'Total, 2 files imported').getByRole('cell').nth(1)).toHaveText('4');
  await expectAccessible('summary of several files');
  await expectFitsPhone(page, 'summary of several files');
  expect(await api<unknown[]>('GET', '/trades')).toHaveLength(2);

  await page.getByRole('button', { name: 'Undo import of b.csv' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
  await expect(row(page, 'b.csv')).toContainText('Undone');
  await expect(row(page, 'Total, 1 file imported').getByRole('cell').nth(1)).toHaveText('2');
  expect(await api<{ symbol: string }[]>('GET', '/trades')).toMatchObject([{ symbol: 'AAA' }]);
  await page.getByRole('button', { name: 'Import other files' }).click();

  // Dropped files: one is known, two have a new layout, whose questions are asked once.
  await drop(page, { 'a.csv': plain('AAA'), 'x.csv': odd('XXX', '03'), 'y.csv': odd('YYY', '04') });
  await expect(row(page, 'y.csv')).toContainText('Needs an answer');
  await expect(row(page, 'a.csv')).toContainText('Already imported');
  await page.getByRole('button', { name: 'Answer questions' }).click();
  await expect(page.getByText('File 2 of 3')).toBeVisible();
  await answerOdd(page);
  await expectStep(page, 'Preview');
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(row(page, 'y.csv')).toContainText('Ready');
  await page.getByRole('button', { name: 'Import 2 files' }).click();
  await expectStep(page, 'Summary');
  const total = row(page, 'Total, 2 files imported').getByRole('cell');
  await expect(total.nth(1)).toHaveText('4');
  await expect(total.nth(2), 'duplicates of the known file').toHaveText('2');
  const trades = await api<{ symbol: string; opened_at: string }[]>('GET', '/trades');
  expect(trades.map((t) => t.symbol).sort()).toEqual(['AAA', 'XXX', 'YYY']);
  expect(trades.find((t) => t.symbol === 'YYY')?.opened_at).toBe('2026-04-05T07:31:00Z'); // Berlin
});

test('ZIP files and backups of several accounts are imported like other files', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const main = await mainAccount(api);
  const prop = await api<{ id: string }>('POST', '/accounts', { name: 'Prop', base_currency: 'EUR' });
  await trade(api, main, 'OLD', '2026-02-02', 10, 11);
  await trade(api, prop.id, 'DAX', '2026-02-03', 10, 11);
  const whole = JSON.stringify(await api('GET', '/exports?format=json'));
  const one = JSON.stringify(await api('GET', `/exports?format=json&account_id=${prop.id}`));
  await api('DELETE', `/accounts/${prop.id}`);

  // A backup of several accounts goes into them, whichever account is selected.
  await signIn('/import');
  await expect(page.getByLabel('Account', { exact: true })).toHaveValue(main);
  await inputOf(page).setInputFiles({
    name: 'fillbook.json',
    mimeType: 'application/json',
    buffer: Buffer.from(whole),
  });
  await expect(page.getByText('Found by their names, or created')).toBeVisible();
  await expectAccessible('a backup of several accounts');
  await expect(page.getByText('fillbook.json into 2 accounts')).toBeVisible();
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText('Accounts restored')).toBeVisible();
  expect(await api<{ name: string }[]>('GET', '/accounts')).toMatchObject([
    { name: 'Main' },
    { name: 'Prop' },
  ]);
  const restored = await api<{ symbol: string; account_id: string }[]>('GET', '/trades');
  expect(restored.map((t) => t.symbol).sort()).toEqual(['DAX', 'OLD']);
  expect(restored.find((t) => t.symbol === 'OLD')?.account_id).toBe(main);

  // That of one account goes into it, or into one that is chosen.
  await page.goto('/import');
  await inputOf(page).setInputFiles({
    name: 'prop.json',
    mimeType: 'application/json',
    buffer: Buffer.from(one),
  });
  const account = page.getByLabel('Account', { exact: true });
  await expect(account.locator('option:checked')).toHaveText('Prop, as in the backup');
  await account.selectOption({ label: 'Main (USD)' });
  await expect(page.getByText('The backup is in EUR and the account in USD.')).toBeVisible();
  await page.getByRole('button', { name: 'Choose another file' }).click();

  // An archive is read like the files inside.
  await inputOf(page).setInputFiles([
    { name: 'statement.zip', mimeType: 'application/zip', buffer: zip({ 'Trades/march.csv': plain('ZZZ') }) },
    {
      name: 'year.zip',
      mimeType: 'application/zip',
      buffer: zip({ '2026/a.csv': plain('AAA'), '2026/b.csv': plain('BBB'), 'readme.pdf': 'x' }),
    },
    { name: 'backup.zip', mimeType: 'application/zip', buffer: zip({ 'backup.json': whole }) },
  ]);
  await expect(row(page, 'statement.zip')).toContainText('Ready');
  await expect(row(page, 'a.csv')).toContainText('Ready');
  await expect(row(page, 'year.zip')).toHaveCount(0);
  await expect(row(page, 'backup.zip').getByRole('cell').first()).toHaveText('2 accounts');
  await page.getByRole('button', { name: 'Import 4 files' }).click();
  await expectStep(page, 'Summary');
  await expect(row(page, 'statement.zip').getByRole('cell')).toContainText([
    'Main',
    '2',
    '0',
    '0',
    '0',
    'Imported',
  ]);
  await expect(row(page, 'backup.zip').getByRole('cell').nth(2), 'duplicates').toHaveText('4');
  expect(await api<unknown[]>('GET', '/trades')).toHaveLength(5);
});
