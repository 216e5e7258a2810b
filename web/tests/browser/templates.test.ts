import { expect, mainAccount, test, trade } from './fixtures';

interface Template {
  name: string;
  default: boolean;
  body: string;
}

test('a template is written with placeholders, and a daily log starts from it', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  const day = '2026-03-03';
  const account = await mainAccount(api);
  await trade(api, account, 'MSFT', day, 50, 48);
  await trade(api, account, 'NVDA', day, 20, 25);
  await signIn('/notes/templates');
  await page.getByRole('button', { name: 'Add Daily log' }).click();
  await expect(page.getByLabel('Default for this type')).toBeChecked();
  await page.getByLabel('Text', { exact: true }).fill('{{trades}} trades, {{net_pnl}}, {{nonsense}}\n\n');
  await page.getByLabel('Text', { exact: true }).press('End');
  await page.getByRole('button', { name: 'Insert trade_list' }).click();
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview).toContainText('0 trades');
  await expect(preview).toContainText('{{nonsense}}');
  await expect(preview).toContainText('No closed trades.');
  await expectAccessible('editing a template');
  await page.getByLabel('Name', { exact: true }).fill('End of day');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Template saved.')).toBeVisible();

  // One action starts the log from the default template.
  await page.goto(`/calendar/${day}`);
  await page.getByRole('button', { name: 'Write daily log' }).click();
  const log = page.getByRole('textbox', { name: 'Daily log' });
  await expect(log).toHaveValue(
    /^2 trades, \+(US)?\$300\.00, \{\{nonsense\}\}\n\n- MSFT long: −(US)?\$200\.00\n- NVDA long: \+(US)?\$500\.00$/,
  );
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'NVDA long' })).toBeVisible();

  // So does a new note of the type; another template is added to what is there.
  await api('POST', '/note-templates', { name: 'Plan', type: 'daily_log', body: 'Plan for {{weekday}}' });
  await page.goto(`/notes?new=daily_log&day=${day}`);
  const text = page.getByLabel('Text', { exact: true });
  await expect(text).toHaveValue(/^2 trades/);
  await page.getByRole('button', { name: 'Template', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Plan' }).click();
  await expect(text).toHaveValue(/NVDA long: .*\n\nPlan for Tuesday$/);

  // Hidden amounts do not get into the text.
  await api('PATCH', '/me/preferences', { hide_amounts: true });
  await page.goto('/calendar/2026-03-04');
  await page.getByRole('button', { name: 'Write daily log' }).click();
  await expect(log).toHaveValue(/^0 trades, \{\{net_pnl\}\}/);
});

test('templates are kept apart by name, deleted and brought back, on a phone too', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await api('POST', '/note-templates', { name: 'Plan', type: 'daily_log', body: 'x', default: true });
  await signIn('/notes');
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Edit templates' }).click();
  await page.getByRole('button', { name: 'New template' }).click();
  await page.getByLabel('Name', { exact: true }).fill('PLAN');
  await page.getByLabel('Text', { exact: true }).fill('y');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('There is already a template called PLAN.')).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill('Log');
  await page.getByRole('checkbox', { name: 'Default for this type' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Template saved.')).toBeVisible();
  const stored = () => api<Template[]>('GET', '/note-templates');
  expect((await stored()).map((t) => [t.name, t.default])).toEqual([
    ['Log', true],
    ['Plan', false],
  ]);
  await expectAccessible('templates on a phone');
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.getByRole('button', { name: 'Delete template' }).click();
  await expect(page.getByRole('link', { name: 'Log' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('link', { name: 'Log' })).toBeVisible();
});
