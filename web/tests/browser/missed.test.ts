import { canary, expect, expectInert, test } from './fixtures';

test('missed trades are recorded, scored and summarized by reason', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await api('POST', '/missed-trades', {
    symbol: 'MSFT',
    direction: 'short',
    observed_at: '2026-03-02T15:00:00Z',
    entry: 400,
    stop: 404,
    target: 390,
    reason: 'away',
    outcome: 'stop',
  });
  await signIn('/missed?new=missed');
  const form = page.getByRole('dialog', { name: 'Record missed trade' });
  await form.getByLabel('Symbol').fill('aapl');
  await form.getByLabel('Entry').fill('100');
  await form.getByLabel('Stop').fill('104');
  await form.getByLabel('Target').fill('106');
  await form.getByLabel('Reason').selectOption('hesitated');
  await form.getByLabel('Outcome').selectOption('target');
  await form.getByLabel('Notes').fill(canary);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(
    form.locator('.error, .fault'),
    'a long trade with its stop above the entry is refused',
  ).toBeVisible();
  await form.getByLabel('Stop').fill('98');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();

  const net = page.locator('dl').filter({ hasText: 'If you had taken them all' });
  await expect(net).toContainText('+2.00 R');
  await expect(net).toContainText('2 of 2 scored');
  await expect(page.getByRole('row', { name: /Hesitated 1 3\.00 0\.00 \+3\.00 R/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Away 1 0\.00 1\.00 −1\.00 R/ })).toBeVisible();

  await page.getByRole('button', { name: 'Hesitated' }).click();
  await expect(page).toHaveURL(/reason=hesitated/);
  const table = page.getByRole('region', { name: 'Missed trades' });
  await expect(table.getByRole('link')).toHaveText(['AAPL']);
  await table.getByRole('link', { name: 'AAPL' }).click();
  const edit = page.getByRole('dialog', { name: 'AAPL long' });
  await expect(edit.getByLabel('Notes')).toHaveValue(canary);
  await expectAccessible('a missed trade');
  await edit.getByLabel('Outcome').selectOption('no_trigger');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(net).toContainText('−1.00 R');
  await page.goto('/missed?range=today');
  await expect(page.getByText('MSFT'), 'the range of the filter bar applies').toHaveCount(0);
  await expectInert(page);
});
