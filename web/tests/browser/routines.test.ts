import { canary, expect, expectInert, test } from './fixtures';

const everyDay = [0, 1, 2, 3, 4, 5, 6];

interface Item {
  id: string;
  title: string;
}

test('items are created, reordered with the keyboard, ticked and shown in the history', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await api('PUT', '/settings/checklist-template', { items: [] });
  await api('POST', '/routines', {
    title: 'Read the news',
    stage: 'pre',
    weekdays: everyDay,
    day: '2026-01-01',
  });
  await signIn('/routines');
  await page.getByRole('button', { name: 'New item' }).click();
  const form = page.getByRole('dialog', { name: 'New item' });
  await form.getByLabel('Task').fill(canary);
  for (const day of ['Saturday', 'Sunday']) await form.getByRole('checkbox', { name: day }).check();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
  await expect(page.getByText('0 of 2 done')).toBeVisible();

  const handle = page.getByRole('button', { name: `Move ${canary}, 2 of 2` });
  await handle.focus();
  const put = page.waitForResponse((r) => r.url().endsWith('/routines/order') && r.ok());
  await page.keyboard.press('ArrowUp');
  await put;
  await expect(page.getByRole('button', { name: `Move ${canary}, 1 of 2` })).toBeFocused();
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(new Date());
  const { items } = await api<{ items: Item[] }>('GET', `/routines?day=${today}`);
  expect(items.map((i) => i.title)).toEqual([canary, 'Read the news']);

  await page.getByRole('checkbox', { name: 'Read the news' }).check();
  await page.getByRole('checkbox', { name: canary }).check();
  await expect(page.getByText('2 of 2 done')).toBeVisible();
  const streak = page.locator('dl').filter({ hasText: 'Streak' });
  await expect(streak).toContainText('1 day');
  await page.getByRole('button', { name: 'Previous day' }).click();
  await expect(page).toHaveURL(/day=\d{4}-\d{2}-\d{2}/);
  await page.getByRole('checkbox', { name: 'Read the news' }).check();
  await expect(streak).toContainText('2 days');
  await page.getByRole('button', { name: 'History as a table' }).click();
  await expect(page.getByRole('region', { name: 'History' }).getByRole('row').nth(1)).toContainText('22');
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Read the news' })).toBeChecked();
  await expectInert(page);

  await page.getByRole('button', { name: 'Read the news', exact: true }).click();
  const edit = page.getByRole('dialog', { name: 'Edit item' });
  await expectAccessible('an item');
  await edit.getByRole('button', { name: 'Remove from today on' }).click();
  await edit.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByRole('button', { name: /^Move Read the news/ })).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: 'Read the news' }), 'earlier days keep it').toBeChecked();
});

test('the handle keeps the focus while its item is moved up and down', async ({ page, api, signIn }) => {
  await api('PUT', '/settings/checklist-template', { items: [] });
  for (const title of ['One', 'Two', 'Three'])
    await api('POST', '/routines', { title, stage: 'pre', weekdays: everyDay, day: '2026-01-01' });
  await signIn('/routines');
  const at = (place: number) => page.getByRole('button', { name: `Move One, ${place} of 3` });
  await at(1).focus();
  for (const [key, place] of [
    ['ArrowDown', 2],
    ['ArrowDown', 3],
    ['ArrowUp', 2],
    ['ArrowUp', 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect(at(place)).toBeFocused();
  }
});

test('items of one day cannot be ticked for another', async ({ page, api, signIn }) => {
  await api('PUT', '/settings/checklist-template', { items: [] });
  await api('POST', '/routines', { title: 'Stretch', stage: 'pre', weekdays: everyDay, day: '2026-01-01' });
  await signIn('/routines');
  const box = page.getByRole('checkbox', { name: 'Stretch' });
  await box.check();
  let open = () => {};
  const held = new Promise<void>((resolve) => (open = resolve));
  await page.route('**/api/v1/routines/day/*', async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest('**/api/v1/routines/day/*');
  await page.getByRole('button', { name: 'Previous day' }).click();
  await asked;
  await expect(box, 'the previous day is not loaded yet').toHaveCount(0);
  open();
  await expect(box).not.toBeChecked();
});

test('the template has one item per line', async ({ page, api, signIn }) => {
  await signIn('/routines');
  await expect(page.getByText('Check the economic calendar').first()).toBeVisible();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Template items').fill(`- [ ] One\nTwo\n\n${canary}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Template saved.')).toBeVisible();
  expect(await api('GET', '/settings/checklist-template')).toEqual({ items: ['One', 'Two', canary] });
});
