// Trading rules and goals: make a rule, break it, see it on Today.

import { expect, mainAccount, test, trade } from './fixtures';
import { layoutShift } from './layoutShift';

test('a rule is made, broken and seen on Today, and a goal shows its pace', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/rules');
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const rule = page.getByRole('dialog', { name: 'New rule' });
  await rule.getByLabel('Kind').selectOption({ label: 'Trades a day' });
  await rule.getByRole('textbox', { name: 'Trades', exact: true }).fill('1');
  await rule.getByLabel('Count').selectOption('Strategies');
  await rule.getByLabel('Count').selectOption('Trades');
  await expectAccessible('a new rule');
  await rule.getByRole('button', { name: 'Create rule' }).click();
  await expect(page.getByRole('button', { name: 'At most 1 trade a day Since' })).toBeVisible();

  await page.getByRole('button', { name: 'New goal' }).first().click();
  const goal = page.getByRole('dialog', { name: 'New goal' });
  await goal.getByLabel('Goal').selectOption({ label: 'Review trades' });
  await goal.getByLabel('Target in percent').fill('90');
  await goal.getByRole('button', { name: 'Create goal' }).click();
  await expect(page.getByText('Trades reviewed per')).toBeVisible();

  const account = await mainAccount(api);
  for (const symbol of ['AAPL', 'MSFT'])
    for (const side of ['buy', 'sell'])
      await api('POST', '/executions', {
        account_id: account,
        symbol,
        side,
        quantity: 1,
        price: 10,
        executed_at: new Date().toISOString(),
      });
  await page.goto('/');
  await expect(page.getByText('Limit reached')).toBeVisible();
  await expectAccessible('limits on Today');

  await page.goto('/rules');
  await expect(page.getByRole('link', { name: '1 trade that broke' })).toBeVisible();
  await page.getByRole('button', { name: 'At most 1 trade a day Since' }).click();
  await expect(page.getByRole('table', { name: /^Breaks of/ })).toBeVisible();
  await page.getByRole('button', { name: 'What if I had kept it?' }).click();
  await expect(page.getByText('The removed trades made')).toBeVisible();
  await expect(page.getByText('Too little data for a conclusion.')).toBeVisible();
  await expectAccessible('the breaks of a rule');
});

test('today shows how far the floor of a program is, and a breach', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  const program = await api<{ id: string }>('POST', '/prop-programs', {
    firm: 'Acme',
    name: 'Funded',
    phase: 'funded',
    initial_balance: 10000,
    day: { reset: '00:00', zone: 'UTC' },
    rules: [
      { kind: 'max_loss', amount: 1000 },
      { kind: 'daily_loss', amount: 500, effect: 'pause' },
      { kind: 'payout', min_amount: 100 },
    ],
  });
  await api('POST', '/enrollments', {
    account_id: account,
    program_id: program.id,
    started_at: '2026-03-01T00:00:00Z',
  });
  await trade(api, account, 'AAPL', '2026-03-03', 100, 102); // +200
  await signIn('/');
  const acme = page.getByRole('region', { name: 'Acme Funded' });
  await expect(acme.getByText('To the floor')).toBeVisible();
  await expect(acme.getByText('$1,200.00')).toBeVisible();
  await expect(acme.getByText('Today’s loss left')).toBeVisible();
  await expect(acme.getByText('Payout available')).toBeVisible();
  // From the second visit on, the limits have their room before they arrive.
  await page.reload();
  await expect(acme.getByText('To the floor')).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  expect(await layoutShift(page)).toBeLessThan(0.02);
  await trade(api, account, 'AAPL', '2026-03-04', 102, 90); // −1,200
  await page.reload();
  await expect(acme.getByText('Max loss breached')).toBeVisible();
  await acme.getByRole('link', { name: 'Choose what happened next' }).click();
  await page.getByRole('button', { name: 'It doesn’t count' }).click();
  await expect(page.getByText('Active')).toBeVisible();
});
