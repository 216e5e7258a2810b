// Review mode with the keyboard: how many keys it takes, where the focus is, and that
// nothing that was typed gets lost.

import type { Page } from '@playwright/test';
import { expect, mainAccount, test, trade, type Api } from './fixtures';
import { expectFitsPhone } from './phone';

interface Stored {
  id: string;
  symbol: string;
  notes: string;
  trade_quality: number | null;
  reviewed_at: string | null;
  tags: { name: string }[];
  setup_ids: string[];
  rules: { rule: string; state: string }[];
}

const stored = (api: Api) => api<Stored[]>('GET', '/trades?sort=opened_at&order=asc');

async function makeTrades(api: Api, count: number): Promise<void> {
  const account = await mainAccount(api);
  for (let i = 0; i < count; i++) {
    const day = `2026-03-${String(i + 2).padStart(2, '0')}`;
    await trade(api, account, `SYM${i}`, day, 100, 101 + i);
  }
}

/** Returns a function that presses keys and counts them. */
function countKeys(page: Page) {
  const keys = { count: 0 };
  const press = async (...names: string[]) => {
    for (const name of names) {
      await page.keyboard.press(name);
      keys.count++;
    }
  };
  return { keys, press };
}

/** Expects the focus on the current trade, where every key of review mode works. */
const expectHome = (page: Page) =>
  expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain('home');

test('ten trades are graded, tagged and reviewed in under 40 keystrokes', async ({ page, api, signIn }) => {
  await makeTrades(api, 10);
  await api('POST', '/tags', { name: 'patient' });
  await signIn('/');
  await page.getByRole('link', { name: 'Review', exact: true }).click();
  await expect(page.getByText('1 of 10')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Tags' })).toBeVisible();
  const { keys, press } = countKeys(page);
  await press('4', 't', 'p', 'Enter');
  await expectHome(page);
  await press('r');
  for (let i = 2; i <= 10; i++) await press('3', '.', 'r');
  expect(keys.count).toBeLessThan(40);
  await expect(page.getByText('You went through 10 trades.')).toBeVisible();
  await expect
    .poll(
      async () =>
        (await stored(api)).filter((t) => t.reviewed_at && t.tags[0]?.name === 'patient' && t.trade_quality)
          .length,
    )
    .toBe(10);
  expect((await stored(api)).map((t) => t.trade_quality).sort()).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 3, 4]);
});

test('rules, setups and notes are written with the keyboard, and nothing is lost', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await makeTrades(api, 3);
  await api('POST', '/setups', {
    name: 'Breakout',
    checklist: ['Volume above average', 'Retest held', 'No news'],
  });
  await signIn('/trades?sort=opened_at');
  await page.getByRole('link', { name: 'Review', exact: true }).click();
  await expect(page.getByText('1 of 3')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'SYM0 long' })).toBeVisible(); // the list's order
  const { press } = countKeys(page);
  const rules = page.getByRole('list', { name: 'Rules' });

  await test.step('answer rules', async () => {
    await press('s', 'Enter');
    await expectHome(page);
    await expect(rules.getByRole('listitem')).toHaveCount(3);
    await press('f', 'b', 'x');
    const pressed = (rule: string, state: string) =>
      rules.getByRole('group', { name: rule }).getByRole('button', { name: state, pressed: true });
    await expect(pressed('Volume above average', 'Followed')).toBeVisible();
    await expect(pressed('Retest held', 'Broken')).toBeVisible();
    await expect(pressed('No news', 'N/A')).toBeVisible();
    await expectAccessible('review mode');
  });

  await test.step('write notes', async () => {
    await press('n');
    await page.keyboard.type('Held to the plan. jkr1');
    await press('Escape');
    await expectHome(page);
    await press('n');
    await page.keyboard.type('More: why');
    await page.getByRole('button', { name: 'Next', exact: true }).click(); // while the notes are not saved
    await expect(page.getByText('2 of 3')).toBeVisible();
    await expectHome(page);
    await press('t', 'Escape');
    await expectHome(page);
    await press('k');
    await expect(page.getByRole('textbox', { name: 'Notes' })).toHaveValue(/Held to the plan\. jkr1/);
    await expect(page.getByRole('textbox', { name: 'Notes' })).toHaveValue(/More: why/);
  });

  await test.step('save reviews', async () => {
    await press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Reviewed and next');
    await press('Escape', 'r', 'r');
    await expect(page.getByText('3 of 3')).toBeVisible();
    await expect
      .poll(async () => (await stored(api)).map((t) => t.reviewed_at !== null))
      .toEqual([true, true, false]);
    const [first] = await stored(api);
    expect(first!.rules.map((r) => [r.rule, r.state]).sort()).toEqual([
      ['No news', 'not_applicable'],
      ['Retest held', 'broken'],
      ['Volume above average', 'followed'],
    ]);
    expect(first!.notes).toContain('jkr1');
    expect(first!.notes).toContain('More: why');
  });

  await test.step('change a rule in the drawer', async () => {
    // The trade's drawer has the same rules.
    await press('g', 't');
    await page.getByRole('link', { name: 'SYM0' }).click();
    const drawer = page.getByRole('dialog', { name: 'SYM0 long' });
    await drawer.getByRole('group', { name: 'No news' }).getByRole('button', { name: 'Followed' }).click();
    await expect
      .poll(async () => (await stored(api))[0]!.rules.find((r) => r.rule === 'No news')?.state)
      .toBe('followed');
    await press('Escape');
  });

  await test.step('show rates in reports and setups', async () => {
    // The report has the rules' rates, and the card of the setup too.
    await page.goto('/reports/rules?range=all');
    const report = page.getByRole('row', { name: /Retest held/ });
    await expect(report).toContainText('0.0% 0 of 1');
    await expect(page.getByRole('row', { name: /No news/ })).toContainText('100.0%');
    await expectAccessible('the report of rules');
    await expectFitsPhone(page, 'the report of rules');
    await page.goto('/setups?range=all');
    await expect(page.getByText('followed 0% of 1 trade')).toBeVisible();
  });

  await test.step('review on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/review?show=all&sort=opened_at');
    await expect(page.getByText('1 of 3')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Broken' }).first()).toBeVisible();
    await expectFitsPhone(page, 'review');
  });
});
