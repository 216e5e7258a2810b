// From an empty server to reviewed trades, a filter and a ticked routine with the keyboard only.

import type { FileChooser, Locator, Page } from '@playwright/test';
import { expect, owner, test } from './fixtures';

test.use({ alone: true });

const fills = `Symbol,Side,Quantity,Price,Executed At
AAPL,buy,10,212.40,2026-03-05T14:31:00Z
AAPL,sell,10,214.10,2026-03-05T15:12:00Z
MSFT,buy,10,400.00,2026-03-06T14:31:00Z
MSFT,sell,10,398.00,2026-03-06T15:12:00Z
`;

/** Presses Tab until the target has the focus. */
async function reach(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeAttached();
  for (let i = 0; i < 120; i++) {
    if (await target.evaluate((el) => el === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${String(target)}`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await reach(page, target);
  await page.keyboard.press(key);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await reach(page, target);
  await page.keyboard.type(text);
}

test('everything from the first run to a ticked routine works with the keyboard', async ({ page, api }) => {
  await page.goto('/');
  await type(page, page.getByLabel('Email'), owner.email);
  await type(page, page.getByLabel('Password', { exact: true }), owner.password);
  await press(page, page.getByRole('button', { name: 'Create journal' }));
  await expect(page.getByRole('heading', { name: 'Your journal is ready' })).toBeVisible();
  await press(page, page.getByRole('link', { name: 'go straight to your dashboard' }));
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();

  await page.keyboard.press('i');
  const input = page.getByLabel(/Drop a statement/);
  // On a busy machine a key may come before the page is ready for it: press again, as a person would.
  let chooser: FileChooser | null = null;
  for (let tries = 0; tries < 12 && !chooser; tries++) {
    await reach(page, input);
    const opened = page.waitForEvent('filechooser', { timeout: 5000 }).catch(() => null);
    await page.keyboard.press('Space');
    chooser = await opened;
  }
  expect(chooser, 'Space opens the chooser of files').not.toBeNull();
  await chooser!.setFiles({ name: 'fills.csv', mimeType: 'text/csv', buffer: Buffer.from(fills) });
  await press(page, page.getByRole('button', { name: 'Preview import' }));
  await press(page, page.getByRole('button', { name: 'Import 4 fills' }));
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();

  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await expect(page.getByRole('link', { name: 'AAPL' })).toBeVisible();
  // The filter: typed, and the list has what it asks for.
  await page.keyboard.press('f');
  await page.keyboard.type('aapl winners');
  // Before the symbols are loaded, "aapl" is a word like any other.
  const suggestions = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await expect(suggestions.first()).toContainText('AAPL');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 trade', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'MSFT' })).toHaveCount(0);
  await page.keyboard.press('Escape');

  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  await expect(drawer.getByRole('button', { name: 'Close' })).not.toBeFocused(); // Space scrolls
  await type(page, drawer.getByRole('textbox', { name: 'Notes' }), 'Held to the plan.');
  await page.keyboard.press('Control+Enter');
  await expect(drawer.getByText('saved', { exact: true })).toBeVisible();
  await type(page, drawer.getByRole('combobox', { name: 'Tags' }), 'patient');
  await page.keyboard.press('Enter');
  await expect(drawer.getByRole('button', { name: 'Remove patient' })).toBeVisible();
  await press(page, drawer.getByRole('button', { name: 'Mark as reviewed' }));
  await expect(drawer.getByRole('button', { name: 'Mark as unreviewed' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  // Review mode: grade, tag, reviewed.
  await press(page, page.getByRole('button', { name: 'Clear all' }));
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await expect(page.getByRole('heading', { name: 'MSFT long' })).toBeVisible();
  for (const key of ['2', 't']) await page.keyboard.press(key);
  await page.keyboard.type('late');
  for (const key of ['Enter', 'Escape', 'r']) await page.keyboard.press(key);
  await expect(page.getByText('You went through 1 trade.')).toBeVisible();

  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await press(page, page.getByRole('button', { name: 'New item' }).first());
  const form = page.getByRole('dialog', { name: 'New item' });
  await type(page, form.getByLabel('Task'), 'Read the news');
  for (const day of ['Saturday', 'Sunday'])
    await press(page, form.getByRole('checkbox', { name: day }), 'Space');
  await press(page, form.getByRole('button', { name: 'Save' }));
  await expect(form).toBeHidden();
  const written = page.waitForResponse((r) => r.request().method() === 'PUT' && r.ok());
  await press(page, page.getByRole('checkbox', { name: 'Read the news' }), 'Space');
  await written;
  await expect(page.getByRole('checkbox', { name: 'Read the news' })).toBeChecked();

  const stored = await api<{ symbol: string; notes: string; tags: { name: string }[] }[]>(
    'GET',
    '/trades?reviewed=true&sort=symbol&order=asc',
  );
  expect(stored).toMatchObject([
    { symbol: 'AAPL', notes: 'Held to the plan.', tags: [{ name: 'patient' }] },
    { symbol: 'MSFT', trade_quality: 2, tags: [{ name: 'late' }] },
  ]);
});
