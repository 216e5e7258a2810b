import { expect, mainAccount, test, trade } from './fixtures';

test('an account is enrolled, breaches its floor, and the user decides', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
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
  await expect(page.getByText('Until you answer, 1 later trade does not count')).toBeVisible();
  await expect(page.getByRole('cell', { name: 'Breached: Max loss' })).toBeVisible();

  await page.getByRole('button', { name: 'It doesn’t count' }).click();
  await expect(page.getByRole('heading', { name: 'Max loss breached' })).toBeHidden();
  await expect(page.getByText('Active')).toBeVisible();

  await page.getByRole('button', { name: 'Add payout' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add payout' });
  await dialog.getByLabel('Amount').fill('500');
  await dialog.getByLabel('Your share').fill('400');
  await dialog.getByRole('button', { name: 'Add payout' }).click();
  await page.getByRole('button', { name: /Actions for the payout/ }).click();
  await page.getByRole('menuitem', { name: 'Mark as paid' }).click();
  await expect(page.getByRole('row', { name: /Received less costs/ })).toContainText('400.00');
  await expectAccessible('programs');
});
