// The tag manager: cost of mistakes, edit, merge, delete with undo; and the way to it
// from a trade and from the reports.

import { expect, mainAccount, test, trade } from './fixtures';
import { expectFitsPhone } from './phone';

test('tags are measured, edited, merged and deleted', async ({ page, api, signIn, expectAccessible }) => {
  const account = await mainAccount(api);
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  const actions = (name: string) => page.getByRole('button', { name: `Actions for ${name}` });
  await signIn('/tags');
  await test.step('create', async () => {
    await expect(page.getByText('No tags yet')).toBeVisible();
    await page.getByRole('button', { name: 'New tag' }).click();
    await page.getByLabel('Name').fill('Chased');
    await page.getByRole('radio', { name: 'Color 3' }).check();
    await expectAccessible('a new tag');
    await page.getByRole('button', { name: 'Create tag' }).last().click();
    await expect(page.getByRole('row', { name: /Chased/ })).toBeVisible();
  });

  const [chased] = await api<{ id: string; kind: string }[]>('GET', '/tags');
  expect(chased!.kind).toBe('mistake');
  const late = await api<{ id: string }>('POST', '/tags', { name: 'Late', kind: 'mistake' });
  const calm = await api<{ id: string }>('POST', '/tags', { name: 'Calm' });
  await trade(api, account, 'AAPL', '2026-03-02', 100, 110); // +1,000
  await trade(api, account, 'MSFT', '2026-03-03', 100, 97); // -300
  await trade(api, account, 'NVDA', '2026-03-04', 100, 99); // -100
  const trades = await api<{ id: string; symbol: string }[]>('GET', '/trades');
  const idOf = (symbol: string) => trades.find((t) => t.symbol === symbol)!.id;
  await api('PATCH', `/trades/${idOf('MSFT')}`, { tag_ids: [chased!.id, late.id] });
  await api('PATCH', `/trades/${idOf('NVDA')}`, { tag_ids: [late.id, calm.id] });
  await page.reload();

  await test.step('measure', async () => {
    // -300 against the average of +1,000 and -100; -200 against +1,000, twice.
    await expect(row('Chased')).toContainText('−$750.00');
    await expect(row('Late')).toContainText('−$2,400.00');
    await expect(row('Late').getByRole('link', { name: '2 trades with Late' })).toBeVisible();
    await expect(page.getByRole('table', { name: 'Mistakes' }).getByRole('row').nth(1)).toContainText('Late');
    await expectAccessible('tags');
    await expectFitsPhone(page, 'tags');
  });

  await test.step('edit and undo', async () => {
    await actions('Chased').click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await page.getByLabel('Name').fill('late');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('There is already a tag called late.')).toBeVisible();
    await page.getByLabel('Name').fill('FOMO');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(row('FOMO')).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row('Chased')).toBeVisible();
  });

  await test.step('merge', async () => {
    // Merge: three actions after the menu is open.
    await actions('Chased').click();
    await page.getByRole('menuitem', { name: 'Merge…' }).click();
    await page.getByLabel('Into').selectOption({ label: 'Late (2 trades)' });
    await expect(page.getByText('1 trade with Chased will have Late instead.')).toBeVisible();
    await expectAccessible('a merge');
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await expect(row('Chased')).toHaveCount(0);
    await expect(row('Late').getByRole('link', { name: '2 trades with Late' })).toBeVisible();
  });

  await test.step('delete and undo', async () => {
    await actions('Late').click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await expect(page.getByText('It is on 2 trades and is removed from all of them.')).toBeVisible();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(row('Late')).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row('Late').getByRole('link', { name: '2 trades with Late' })).toBeVisible();
  });

  await test.step('open from the reports and from a trade', async () => {
    await page.goto('/reports/setups');
    await expect(page.getByRole('table', { name: 'Cost of mistakes' })).toContainText('−$2,400.00');
    await page.getByRole('link', { name: 'Manage tags' }).click();
    await expect(page).toHaveURL(/\/tags/);
    await page.goto(`/trades/${idOf('NVDA')}`);
    await page.getByRole('link', { name: 'Manage tags' }).click();
    await expect(page.getByRole('heading', { name: 'Tags', exact: true })).toBeVisible();
  });
});

test('a mistake has the same verdict in the list of tags and in the report', async ({
  page,
  api,
  signIn,
}) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  const question = async () => new URL((await page.waitForRequest('**/analytics/tag-effects*')).url()).search;
  const ofTags = question();
  await signIn('/tags');
  const asked = await ofTags;
  const ofReport = question();
  await page.goto('/reports/setups');
  expect(await ofReport).toBe(asked);
});
