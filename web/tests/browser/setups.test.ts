import { canary, expect, expectInert, mainAccount, test, trade } from './fixtures';

test('a setup is created, shows its results and links to its trades', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-03', 100, 108);
  await signIn('/setups');
  await expect(page.getByText('No setups yet')).toBeVisible();
  await page.getByRole('button', { name: 'New setup' }).click();
  const drawer = page.getByRole('dialog', { name: 'New setup' });
  await drawer.getByLabel('Name').fill(`Gap ${canary}`);
  await drawer.getByLabel('Summary').fill(canary);
  await drawer.getByLabel('Why it works').fill(canary);
  await drawer.getByRole('radio', { name: 'Long' }).check();
  await drawer.getByLabel('Rule 1', { exact: true }).fill('Volume');
  await drawer.getByLabel('Rule 1', { exact: true }).press('Enter');
  await drawer.getByLabel('Rule 2', { exact: true }).fill(canary);
  await drawer.getByRole('button', { name: 'Move rule 2 up' }).click();
  await expect(drawer.getByLabel('Rule 2', { exact: true })).toHaveValue('Volume');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer).toBeHidden();
  await expect(page.getByText('No closed trades with this setup in this range.')).toBeVisible();

  const [setup] = await api<{ id: string; checklist: string[] }[]>('GET', '/setups');
  expect(setup!.checklist).toEqual([canary, 'Volume']);
  const [one] = await api<{ id: string }[]>('GET', '/trades');
  await api('PATCH', `/trades/${one!.id}`, { setup_ids: [setup!.id] });
  await page.reload();
  await expect(page.getByText('+$800.00')).toBeVisible();
  await expect(page.getByText('needs 9 more trades')).toBeVisible();
  const link = page.getByRole('link', { name: '1 trade in Net P&L' });
  await expect(link).toHaveAttribute('href', `/trades?setup=${setup!.id}`);
  await expectInert(page);

  await page.getByRole('link', { name: `Gap ${canary}` }).click();
  const edit = page.getByRole('dialog', { name: /^Gap/ });
  await edit.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete setup' }).click();
  await expect(page.getByText('No setups yet')).toBeVisible();
});
