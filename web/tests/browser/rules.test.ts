// Trading rules and goals: make a rule, break it, see it on Today.

import { expect, mainAccount, test } from './fixtures';

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
  await expectAccessible('the breaks of a rule');
});
