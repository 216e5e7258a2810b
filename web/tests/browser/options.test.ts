// Strategies: accept a proposal, combine trades, undo it, see the payoff.

import { expect, mainAccount, test, type Api } from './fixtures';

async function option(
  api: Api,
  account: string,
  [side, right, strike, price, minute]: [string, string, number, number, number],
  order?: string,
) {
  await api('POST', '/executions', {
    account_id: account,
    symbol: order ? 'SPY' : 'XYZ',
    instrument_type: 'option',
    side,
    quantity: 1,
    price,
    multiplier: 100,
    executed_at: `2026-03-02T15:${String(minute).padStart(2, '0')}:00Z`,
    details: {
      option_right: right,
      strike: String(strike),
      expiry: '2026-06-19',
      ...(order ? { order_id: order } : {}),
    },
  });
}

test('strategies are accepted, combined and taken apart', async ({ page, api, signIn, expectAccessible }) => {
  const account = await mainAccount(api);
  await option(api, account, ['sell', 'put', 550, 3, 0], 'A1');
  await option(api, account, ['buy', 'put', 540, 1, 0], 'A1');
  await option(api, account, ['buy', 'put', 90, 1, 0]);
  await option(api, account, ['sell', 'put', 95, 2, 10]);
  await option(api, account, ['sell', 'call', 105, 2, 20]);
  await option(api, account, ['buy', 'call', 115, 0.5, 30]);

  await signIn('/options');
  const proposals = page.getByRole('list', { name: 'Proposals' });
  const strategies = page.getByRole('list', { name: 'Strategies' });
  await expect(
    page.getByText('No strategies yet. Accept a proposal, or combine option trades.'),
  ).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Strategies', exact: true })).toHaveCount(0);
  await proposals.getByRole('button', { name: 'SPY Bull vertical', exact: true }).focus();
  await page.keyboard.press('a');
  await expect(strategies.getByText('Bull vertical')).toBeVisible();
  await expect(proposals).toHaveCount(0);

  for (const name of ['Long XYZ 90 put', 'Short XYZ 95 put', 'Short XYZ 105 call', 'Long XYZ 115 call'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByRole('button', { name: 'Combine 4 trades' }).click();
  await strategies.getByRole('button', { name: 'XYZ Short iron condor' }).click();
  await expect(page.getByText('Breakeven at 92.50 and 107.50')).toBeVisible();
  await expect(strategies.getByText('$750.00 (−1.00 R)')).toBeVisible();
  await expectAccessible('a strategy with its payoff');

  // On a phone the net P&L of the results is in view.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole('columnheader', { name: 'Net P&L' }).first()).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1280, height: 720 });

  await page.keyboard.press('ControlOrMeta+z');
  await expect(strategies.getByText('Short iron condor')).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: 'Select Short XYZ 95 put' })).toBeVisible();
});
