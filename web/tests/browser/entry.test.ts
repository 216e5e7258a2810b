// Entering fills by hand: few actions, any number of fills, copy, paste, and an exit
// of an open trade.

import type { Page } from '@playwright/test';
import { expect, mainAccount, test, trade } from './fixtures';

/** Counts what a user does: a click, a key press and a typed text are one action each. */
function countActions(page: Page) {
  let count = 0;
  return {
    press: async (key: string) => {
      count++;
      await page.keyboard.press(key);
    },
    type: async (text: string) => {
      count++;
      await page.keyboard.type(text);
    },
    click: async (name: string) => {
      count++;
      await page.getByRole('button', { name, exact: true }).last().click();
    },
    get count() {
      return count;
    },
  };
}

test('a trade with two fills takes nine actions, the next one seven', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await signIn('/trades');
  await expect(page.getByText('No trades yet')).toBeVisible();
  const form = page.getByRole('dialog', { name: 'Enter a trade' });
  const first = countActions(page);
  await first.press('n');
  await expect(form.getByLabel('Symbol')).toBeFocused();
  await first.type('aapl');
  await first.press('Enter');
  await first.type('100');
  await first.press('Enter');
  await first.type('187.20');
  await first.press('Enter');
  const exit = form.getByRole('group', { name: 'Fill 2' });
  await expect(exit.getByLabel('Price')).toBeFocused();
  await expect(exit.getByLabel('Quantity')).toHaveValue('100');
  await expect(exit.getByLabel('Side')).toHaveValue('sell');
  await first.type('188.10');
  await expect(form.getByText('+$90.00')).toBeVisible(); // from the server
  await expectAccessible('entry of two fills');
  await first.press('Enter');
  await expect(page.getByRole('dialog', { name: 'AAPL long' }).getByText('+$90.00')).toBeVisible();
  expect(first.count).toBeLessThanOrEqual(9);

  await page.keyboard.press('Escape');
  const second = countActions(page);
  await second.press('n');
  await expect(form.getByRole('button', { name: 'Copy last trade' })).toBeVisible();
  await second.click('Copy last trade');
  await expect(form.getByLabel('Symbol')).toHaveValue('AAPL');
  await expect(form.getByLabel('Price')).toBeFocused();
  await second.type('190');
  await second.press('Enter');
  await expect(exit.getByLabel('Price')).toBeFocused();
  await second.type('189');
  await second.press('Enter');
  await expect(page.getByRole('dialog', { name: 'AAPL long' }).getByText('−$100.00')).toBeVisible();
  expect(second.count).toBeLessThanOrEqual(7);
  expect(await api<unknown[]>('GET', '/trades')).toHaveLength(2);
});

test('rows are pasted, added and removed; an open trade gets an exit', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await trade(api, await mainAccount(api), 'KO', '2026-03-02', 10, 11);
  await signIn('/trades?new=trade');
  const form = page.getByRole('dialog', { name: 'Enter a trade' });
  await form.getByLabel('Symbol').fill('msft');
  await form.getByLabel('Price').focus();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData(
      'text/plain',
      'Buy\t60\t100\t2026-03-03 15:30\t1\nBuy\t40\t102\t2026-03-03 15:35\t\nSell\t30\t104\t2026-03-03 15:40\t\n',
    );
    document.activeElement!.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await expect(form.getByRole('group', { name: 'Fill 3' }).getByLabel('Quantity')).toHaveValue('30');
  await expect(form.getByText('The position stays open.')).toBeVisible();
  await form.getByRole('button', { name: 'Add fill' }).click();
  await expect(form.getByRole('group', { name: 'Fill 4' }).getByLabel('Quantity')).toHaveValue('70');
  await form.getByRole('button', { name: 'Remove fill 4' }).click();
  await expect(form.getByRole('group', { name: 'Fill 4' })).toHaveCount(0);
  await form.getByRole('button', { name: 'Add trade' }).click();
  const drawer = page.getByRole('dialog', { name: 'MSFT long' });
  await expect(drawer.getByText('Still open')).toBeVisible();

  // Add exit, the price, Enter: three actions.
  await drawer.getByRole('button', { name: 'Add exit' }).click();
  const exit = page.getByRole('dialog', { name: 'Add exit' });
  await expect(exit.getByLabel('Price')).toBeFocused();
  await expect(exit.getByLabel('Quantity')).toHaveValue('70');
  await expect(exit.getByLabel('Side')).toHaveValue('sell');
  await exit.getByLabel('Price').fill('110');
  await expect(exit.getByText('Net P&L (preview)')).toBeVisible();
  await expectAccessible('an exit');
  await exit.getByLabel('Price').press('Enter');
  await expect(exit).toBeHidden();
  await expect(drawer.getByRole('button', { name: 'Mark reviewed & next' })).toBeVisible();
  await expect(drawer.getByRole('button', { name: 'Add exit' })).toHaveCount(0);
  const [stored] = await api<Record<string, unknown>[]>('GET', '/trades?symbol=MSFT');
  // 30 × 104 + 70 × 110 − 60 × 100 − 40 × 102 − 1
  expect(stored).toMatchObject({ status: 'closed', net_pnl: 739, execution_count: 4 });
});

test.describe('with a clock of 12 hours', () => {
  test.use({ locale: 'en-US' });

  test('the time of a fill is not cut off', async ({ page, signIn }) => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await signIn('/trades?new=trade');
    const time = page.getByRole('dialog').getByLabel('Time', { exact: true });
    // The browser's own width of the field fits its text, with AM or PM.
    const missing = await time.evaluate((field) => {
      const free = field.cloneNode() as HTMLElement;
      free.style.cssText = 'position: absolute; width: auto;';
      field.after(free);
      const width = free.offsetWidth;
      free.remove();
      return width - (field as HTMLElement).offsetWidth;
    });
    expect(missing).toBeLessThanOrEqual(0);
  });
});
