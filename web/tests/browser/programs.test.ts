import { expect, mainAccount, test, trade } from './fixtures';

test('an account is enrolled, breaches its floor, and the user decides', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await api('POST', '/prop-programs', {
    firm: 'Acme',
    name: 'Test',
    initial_balance: 10000,
    day: { reset: '00:00', zone: 'UTC' },
    rules: [
      { kind: 'max_loss', mode: 'trailing_eod', amount: 1000 },
      { kind: 'daily_loss', amount: 5000, effect: 'pause' },
      { kind: 'profit_target', amount: 3000 },
    ],
    not_evaluated: ['News trading'],
  });
  await signIn('/programs');
  await expect(page.getByText('No programs yet')).toBeVisible();
  await page.getByRole('button', { name: 'Enroll an account' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Enroll an account' });
  await drawer.getByLabel('Account').selectOption(account);
  await drawer.getByLabel('Program').fill('Acme');
  await page.getByRole('option', { name: 'Acme Test' }).click();
  await expect(drawer.getByText('floor rises at the end of the day')).toBeVisible();
  await expect(drawer.getByText('Not evaluated: News trading.')).toBeVisible();
  await drawer.getByRole('button', { name: 'Enroll', exact: true }).click();
  await expect(drawer).toBeHidden();

  const [enrollment] = await api<{ id: string }[]>('GET', '/enrollments');
  await api('PATCH', `/enrollments/${enrollment!.id}`, { started_at: '2026-03-01T00:00:00Z' });
  await trade(api, account, 'AAPL', '2026-03-03', 100, 108); // +800
  await trade(api, account, 'AAPL', '2026-03-04', 108, 97); // −1,100
  await trade(api, account, 'AAPL', '2026-03-05', 100, 101);
  await page.reload();
  await page.getByRole('link', { name: 'Acme Test' }).click();
  await expect(page.getByRole('heading', { name: 'Max loss breached' })).toBeVisible();
  await expect(page.getByText('1 later trade will not count')).toBeVisible();
  await expect(page.getByRole('cell', { name: 'Breached: Max loss' })).toBeVisible();

  await page.getByRole('button', { name: 'It doesn’t count, continue' }).click();
  await expect(page.getByRole('heading', { name: 'Max loss breached' })).toBeHidden();
  await expect(page.getByText('Active')).toBeVisible();
});
