// Two browsers of one user: a save never overwrites what the other one saved.

import type { Browser, Page } from '@playwright/test';
import { listen } from './complaints';
import { expect, mainAccount, test, trade } from './fixtures';

const conflict = (page: Page) => page.getByRole('dialog', { name: 'Changed on another device' });

/** Opens a second browser with the session of the first one's user. */
async function openSecond(browser: Browser, page: Page, path: string): Promise<Page> {
  const state = await page.context().storageState();
  const context = await browser.newContext({ storageState: state, baseURL: new URL(page.url()).origin });
  listen(context);
  const second = await context.newPage();
  await second.goto(path);
  await expect(second.locator('#content')).toBeVisible();
  return second;
}

test('a note that both devices edit is merged', async ({ page, browser, api, signIn, expectAccessible }) => {
  const note = await api<{ id: string }>('POST', '/notes', {
    type: 'note',
    occurred_at: '2026-03-02',
    title: 'Plan',
    body: 'Wait for the open.',
  });
  const path = `/notes/${note.id}?edit=1`;
  await signIn(path);
  const second = await openSecond(browser, page, path);
  await page.getByLabel('Text', { exact: true }).fill('Wait for the open.\nFrom the desk.');
  await second.getByLabel('Text', { exact: true }).fill('Wait for the open.\nFrom the phone.');
  await second.getByLabel('Title').fill('Plan of the day');
  await second.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(second.getByText('Note saved.')).toBeVisible();

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(conflict(page)).toBeVisible();
  await expect(conflict(page).getByRole('region', { name: 'Saved version' })).toHaveText(
    'Wait for the open. From the phone.',
  );
  await expect(conflict(page).getByRole('region', { name: 'Your version' })).toHaveText(
    'Wait for the open. From the desk.',
  );
  await expectAccessible('two versions of a note');
  expect(await api('GET', `/notes/${note.id}`)).toMatchObject({
    body: 'Wait for the open.\nFrom the phone.',
  });
  await expect(conflict(page).getByLabel('Text to save')).toHaveValue(
    'Wait for the open.\nFrom the phone.\n\nFrom the desk.',
  );
  await conflict(page).getByLabel('Text to save').fill('Wait for the open.\nFrom the phone.\nFrom the desk.');
  await conflict(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Note saved.')).toBeVisible();
  expect(await api('GET', `/notes/${note.id}`)).toMatchObject({
    title: 'Plan of the day', // the other device's field, which this one did not touch
    body: 'Wait for the open.\nFrom the phone.\nFrom the desk.',
  });
  await second.context().close();
});

test('trade notes are compared, also after being offline', async ({
  page,
  browser,
  api,
  signIn,
  complaints,
}) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  const [one] = await api<{ id: string }[]>('GET', '/trades');
  const path = `/trades?trade=${one!.id}`;
  const stored = () => api('GET', `/trades/${one!.id}`);
  await signIn(path);
  const second = await openSecond(browser, page, path);
  const notes = page.getByRole('dialog', { name: 'AAPL long' }).getByRole('textbox', { name: 'Notes' });
  const others = second.getByRole('dialog', { name: 'AAPL long' }).getByRole('textbox', { name: 'Notes' });
  await expect(notes).toBeVisible();
  await others.fill('Phone.');
  await others.press('Control+Enter');
  await expect(second.getByText('saved', { exact: true })).toBeVisible();

  // Another field does not conflict.
  await page.getByRole('group', { name: 'Trade quality' }).getByText('4', { exact: true }).click();
  await expect.poll(stored).toMatchObject({ notes: 'Phone.', trade_quality: 4 });

  await notes.fill('Desk.');
  await notes.press('Control+Enter');
  await conflict(page).getByRole('button', { name: 'Decide later' }).click();
  expect(await stored()).toMatchObject({ notes: 'Phone.' });
  await notes.press('Control+Enter');
  await conflict(page).getByRole('button', { name: 'Use your version' }).click();
  await conflict(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(stored).toMatchObject({ notes: 'Desk.' });
  await expect(notes).toHaveValue('Desk.');

  await page.context().setOffline(true);
  await notes.fill('Desk, offline.');
  await notes.press('Control+Enter');
  await expect(page.getByText('will be saved when the server is back').first()).toBeVisible();
  await second.reload();
  await expect(others).toHaveValue('Desk.');
  await others.fill('Phone again.');
  await others.press('Control+Enter');
  await expect.poll(stored).toMatchObject({ notes: 'Phone again.' });
  await page.context().setOffline(false);
  await expect(conflict(page)).toBeVisible();
  expect(await stored()).toMatchObject({ notes: 'Phone again.' });
  await conflict(page).getByLabel('Notes to save').fill('Phone again. Desk, offline.');
  await conflict(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(stored).toMatchObject({ notes: 'Phone again. Desk, offline.' });
  await second.context().close();
  complaints.length = 0; // the browser reports the requests that fail while it is offline
});

test('a draft older than the stored note is compared with it', async ({ page, api, signIn }) => {
  const note = await api<{ id: string }>('POST', '/notes', {
    type: 'note',
    occurred_at: '2026-03-02',
    body: 'First.',
  });
  await signIn(`/notes/${note.id}?edit=1`);
  await page.getByLabel('Text', { exact: true }).fill('Typed here.');
  await expect
    .poll(() =>
      page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith('fillbook.draft.'))),
    )
    .toBe(true);
  await api('PATCH', `/notes/${note.id}`, { body: 'Saved elsewhere.' });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue('Typed here.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(conflict(page).getByRole('region', { name: 'Saved version' })).toHaveText('Saved elsewhere.');
  await conflict(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Note saved.')).toBeVisible();
  expect(await api('GET', `/notes/${note.id}`)).toMatchObject({ body: 'Saved elsewhere.\n\nTyped here.' });
});
