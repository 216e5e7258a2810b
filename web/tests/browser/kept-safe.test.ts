// Unsaved input is not lost by accident, and messages are visible and clickable
// above an open dialog.

import type { Page } from '@playwright/test';
import { expect, mainAccount, test, trade, type Api } from './fixtures';

async function fillTrade(page: Page, symbol: string): Promise<void> {
  const form = page.getByRole('dialog', { name: 'Enter a trade' });
  await form.getByLabel('Symbol').fill(symbol);
  await form.getByLabel('Quantity').fill('0,125');
  await form.getByLabel('Price').fill('1.250,50');
  await form.getByLabel('Time').fill('2026-03-02T15:30:00');
  await form.getByRole('button', { name: 'Add fill' }).click();
  const exit = form.getByRole('group', { name: 'Fill 2' });
  await exit.getByLabel('Time').fill('2026-03-02T16:30:00');
  await exit.getByLabel('Price').fill('1,300.00');
}

/** Creates a trade and returns the address that opens it. */
async function createTrade(api: Api): Promise<string> {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  const [one] = await api<{ id: string }[]>('GET', '/trades');
  return `/trades?trade=${one!.id}`;
}

/** Ends an outage a route of the whole API made. Does not press Try again: the page may be faster. */
async function reconnect(page: Page): Promise<void> {
  await page.unroute('**/api/v1/**');
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
}

test('numbers in local notation are normalized, also on Enter', async ({ page, api, signIn }) => {
  await api('GET', '/me');
  await signIn('/trades?new=trade');
  await fillTrade(page, 'BTC-USD');
  const form = page.getByRole('dialog', { name: 'Enter a trade' });
  const entry = form.getByRole('group', { name: 'Fill 1' });
  await expect(entry.getByLabel('Quantity')).toHaveValue('0.125');
  await expect(entry.getByLabel('Price')).toHaveValue('1250.50');
  await form.getByRole('group', { name: 'Fill 2' }).getByLabel('Price').press('Enter');
  const drawer = page.getByRole('dialog', { name: 'BTC-USD long' });
  await expect(drawer.getByText(/\+(US)?\$6\.19/).first()).toBeVisible();
});

test('fields show numbers in the user’s notation, and ask about ambiguous ones', async ({
  page,
  api,
  signIn,
  expectAccessible,
}) => {
  await api('PATCH', '/me/preferences', { locale: 'de-DE' });
  await signIn('/trades?new=trade');
  const form = page.getByRole('dialog', { name: 'Enter a trade' });
  await form.getByLabel('Symbol').fill('EURUSD');
  await form.getByLabel('Quantity').fill('1.250,5');
  const price = form.getByLabel('Price');
  await price.fill('1.085');
  await price.blur();
  await expect(form.getByText('This can be read in two ways. Enter 1085 or 1,085.')).toBeVisible();
  await expectAccessible('an ambiguous number');
  await form.getByRole('button', { name: 'Add trade' }).click();
  await expect(form, 'nothing is saved').toBeVisible();
  await page.reload(); // the draft has the number as it was typed
  await expect(price).toHaveValue('1.085');
  await expect(form.getByText('Enter 1085 or 1,085.')).toBeVisible();
  await price.fill('1,085');
  await form.getByRole('button', { name: 'Add trade' }).click();
  await page.getByRole('button', { name: /^Actions for the fill/ }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit fill' });
  await expect(edit.getByLabel('Price')).toHaveValue('1,085');
  await expect(edit.getByLabel('Quantity')).toHaveValue('1250,5');
  await edit.getByLabel('Price').fill('1.09');
  await edit.getByLabel('Price').blur();
  await expect(edit.getByLabel('Price')).toHaveValue('1,09');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toBeHidden();
  expect(await api('GET', '/executions')).toMatchObject([{ quantity: 1250.5, price: 1.09 }]);
});

test('a click outside does not close a changed form', async ({ page, api, signIn }) => {
  await api('GET', '/me');
  await signIn('/trades?new=trade');
  const form = page.getByRole('dialog', { name: 'Enter a trade' });
  await expect(form.getByLabel('Symbol')).toBeFocused();
  await page.mouse.click(20, 400);
  await expect(form).toBeHidden();

  await page.getByRole('button', { name: 'Enter a trade' }).first().click();
  const box = (await form.getByLabel('Symbol').boundingBox())!;
  // Selecting text and releasing outside of the dialog is no click outside.
  await page.mouse.move(box.x + box.width - 8, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(20, box.y + 12, { steps: 4 });
  await page.mouse.up();
  await expect(form).toBeVisible();
  await form.getByLabel('Symbol').fill('AAPL');
  await page.mouse.click(20, 400);
  await expect(form.getByLabel('Symbol')).toHaveValue('AAPL');
  await page.keyboard.press('Escape');
  await expect(form).toBeHidden();
});

test('a new trade is undone from its drawer', async ({ page, api, signIn }) => {
  await api('GET', '/me');
  await signIn('/trades?new=trade');
  await fillTrade(page, 'ETH-USD');
  await page.getByRole('button', { name: 'Add trade' }).click();
  const drawer = page.getByRole('dialog', { name: 'ETH-USD long' });
  // That of the message: the drawer's history has one as well, once it is loaded.
  await drawer.getByRole('button', { name: 'Undo' }).last().click();
  await expect(page.getByText('Undone.')).toBeVisible();
  await expect(drawer).toBeHidden();
  await expect(page.getByText('No trades yet')).toBeVisible();
});

test('annotations are saved when the server is back', async ({ page, api, signIn, complaints }) => {
  await signIn(await createTrade(api));
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  await expect(drawer.getByRole('textbox', { name: 'Notes' })).toBeVisible();
  await page.route('**/api/v1/**', (route) => route.abort());
  await drawer.getByRole('textbox', { name: 'Notes' }).fill('Typed while the server was down.');
  await drawer.getByRole('button', { name: 'Mark as reviewed' }).click();
  await expect(drawer.getByText('will be saved when the server is back')).toBeVisible();
  await page.keyboard.press('Escape');
  const bar = page.getByRole('status').filter({ hasText: 'Offline.' });
  await expect(bar).toContainText('Annotations of 1 trade will be saved when it’s back.');

  const ping = page.waitForRequest('**/api/v1/setup/status');
  await bar.getByRole('button', { name: 'Try again' }).click();
  await ping;
  await reconnect(page);
  await expect(bar).toBeHidden();
  await expect
    .poll(async () => (await api<{ notes: string; reviewed_at: string | null }[]>('GET', '/trades'))[0])
    .toMatchObject({ notes: 'Typed while the server was down.', reviewed_at: expect.any(String) });
  complaints.length = 0; // the browser reports the requests the test aborts
});

test('unsaved notes survive a reload', async ({ page, api, signIn, complaints }) => {
  await signIn(await createTrade(api));
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  await page.route('**/api/v1/trades/*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await drawer.getByRole('textbox', { name: 'Notes' }).fill('Not saved yet.');
  await page.reload();
  await expect(drawer.getByRole('textbox', { name: 'Notes' })).toHaveValue('Not saved yet.');
  complaints.length = 0; // the browser reports the request the test aborts
});

test('a reopened form has the unsaved input', async ({ page, signIn }) => {
  await signIn('/setups?new=setup');
  await page.getByRole('textbox', { name: 'Why it works' }).fill('Buyers defend the open.');
  await page.goto('/trades');
  await page.goto('/setups?new=setup');
  await expect(page.getByRole('textbox', { name: 'Why it works' })).toHaveValue('Buyers defend the open.');
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await expect(page.getByRole('textbox', { name: 'Why it works' })).toHaveValue('');
});

test('dialogs open again with what was typed', async ({ page, api, signIn }) => {
  const account = await mainAccount(api);
  await trade(api, account, 'AAPL', '2026-03-02', 10, 11);
  await api('POST', '/tags', { name: 'Late' });
  const early = await api<{ id: string }>('POST', '/tags', { name: 'Early' });
  const dialog = page.getByRole('dialog');
  const multipliers = page.locator('section', {
    has: page.getByRole('heading', { name: 'Contract multipliers' }),
  });
  const restored = page.getByText('Unsaved draft restored.');
  type Step = () => Promise<void>;
  const forms: { path: string; open: Step; reopen?: Step; type: Step; kept: Step }[] = [
    {
      path: '/trades?side=long',
      open: () => page.getByRole('button', { name: 'Save view' }).click(),
      type: () => page.keyboard.type('My longs'), // the suggested name is selected
      kept: () => expect(dialog.getByLabel('Name')).toHaveValue('My longs'),
    },
    {
      path: '/trades',
      open: async () => {
        await page.getByRole('checkbox', { name: 'Select row' }).check();
        await page.getByRole('button', { name: 'Edit…' }).click();
      },
      type: () => dialog.getByRole('combobox', { name: 'Emotional state' }).fill('tired'),
      kept: () => expect(dialog.getByRole('combobox', { name: 'Emotional state' })).toHaveValue('tired'),
    },
    {
      path: '/settings/tokens',
      open: () => page.getByRole('button', { name: 'New token' }).click(),
      type: () => page.keyboard.type('Nightly'),
      kept: () => expect(dialog.getByLabel('Name')).toHaveValue('Nightly'),
    },
    {
      path: `/accounts/${account}`,
      open: () => multipliers.getByRole('button', { name: 'Add', exact: true }).click(),
      reopen: () => Promise.resolve(), // it is open
      type: () => page.getByLabel('Root').fill('XYZ'),
      kept: () => expect(page.getByLabel('Root')).toHaveValue('XYZ'),
    },
    {
      path: '/tags',
      open: async () => {
        await page.getByRole('button', { name: 'Actions for Late' }).click();
        await page.getByRole('menuitem', { name: 'Merge…' }).click();
      },
      type: async () => void (await dialog.getByLabel('Into').selectOption(early.id)),
      kept: () => expect(dialog.getByLabel('Into')).toHaveValue(early.id),
    },
  ];
  await signIn('/');
  for (const form of forms) {
    await page.goto(form.path);
    await form.open();
    await form.type();
    await page.keyboard.press('Tab');
    await page.goto(form.path);
    await (form.reopen ?? form.open)();
    await expect(restored, form.path).toBeVisible();
    await form.kept();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await expect(restored).toBeHidden();
  }
});

test('an unsaved note survives navigation and signing in again', async ({ page, user, signIn }) => {
  await signIn('/notes?new=note');
  await page.getByLabel('Title').fill('What I saw');
  await page.getByRole('textbox', { name: 'Text' }).fill('A long thought.');
  await page.getByRole('link', { name: 'Setups', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Setups', level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page.getByText('Unsaved draft restored.')).toBeVisible();
  await expect(page.getByLabel('Title')).toHaveValue('What I saw');

  await page.getByRole('button', { name: /^Account menu/ }).click();
  await page.getByText('Sign out').click();
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('A long thought.');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'What I saw' })).toBeVisible();
  await page.goto('/notes?new=note');
  await expect(page.getByLabel('Title')).toHaveValue('');
});

test('a session that ends in a form says so, and nothing that was typed is lost', async ({
  page,
  api,
  user,
  signIn,
}) => {
  await page.clock.install();
  await signIn('/setups?new=setup');
  await page.getByLabel('Name', { exact: true }).fill('Opening drive');
  const refresh_token = await page.evaluate(() => localStorage.getItem('fillbook.refresh'));
  await api('POST', '/auth/logout', { refresh_token }); // as another device does
  await page.clock.fastForward('20:00'); // the access token expires
  await page.keyboard.press('Enter'); // saves, unless another request was faster
  await expect(page.getByText('Your session ended. Sign in to continue')).toBeVisible();
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.keyboard.type(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Opening drive');
});

test('loaded data stays when a refresh fails', async ({ page, api, signIn, complaints }) => {
  await signIn(await createTrade(api));
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  const notes = drawer.getByRole('textbox', { name: 'Notes' });
  await notes.fill('A first thought');
  await page.route('**/api/v1/trades/*', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  // Every change reloads the trade.
  await drawer.getByRole('group', { name: 'Trade quality' }).getByText('4', { exact: true }).click();
  const stale = drawer.getByText(/You’re seeing data from \d/);
  await expect(stale).toBeVisible();
  await expect(notes).toHaveValue('A first thought');
  await page.unroute('**/api/v1/trades/*');
  await drawer.getByRole('button', { name: 'Try again' }).click();
  await expect(stale).toBeHidden();
  complaints.length = 0; // the browser reports the requests the test aborts
});

test('a closed drawer stays closed on Back', async ({ page, api, signIn }) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  await signIn('/calendar');
  await page.getByRole('link', { name: 'Trades', exact: true }).click();
  await page.getByRole('link', { name: 'AAPL' }).click();
  const drawer = page.getByRole('dialog', { name: 'AAPL long' });
  await expect(drawer.getByText('Mark as reviewed')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/trades$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/trades$/);
  await expect(drawer).toBeHidden();
  await page.goBack();
  await expect(page).toHaveURL(/\/calendar$/);
});

test('a form is saved once when the server is back, and its draft outlives the tab', async ({
  page,
  context,
  api,
  signIn,
  complaints,
}) => {
  await signIn('/setups?new=setup');
  await page.getByLabel('Name', { exact: true }).fill('Opening drive');
  await page.close();
  const again = await context.newPage();
  await again.goto('/setups?new=setup');
  await expect(again.getByText('Unsaved draft restored.')).toBeVisible();
  await expect(again.getByLabel('Name', { exact: true })).toHaveValue('Opening drive');

  // The server executes the request, and its response is lost.
  await again.route('**/api/v1/setups', async (route) => {
    if (route.request().method() === 'POST') await route.fetch();
    await route.abort();
  });
  await again.getByRole('button', { name: 'Save' }).click();
  await expect(again.getByText('This will be saved when it’s back.')).toBeVisible();
  await again.unroute('**/api/v1/setups');
  await expect(again.getByText('This will be saved when it’s back.')).toBeHidden();
  await expect(again.getByText('Opening drive').first()).toBeVisible();
  expect(await api<unknown[]>('GET', '/setups')).toHaveLength(1);
  complaints.length = 0; // the browser reports the requests the test aborts
});

test('an outdated page is replaced with the next screen, and not while a form is open', async ({
  page,
  signIn,
  complaints,
}) => {
  await signIn('/setups');
  await page.route(/:\d+\/$/, async (route) => {
    if (route.request().resourceType() !== 'fetch') return route.continue();
    const response = await route.fetch();
    await route.fulfill({ body: (await response.text()).replace(/index-[\w-]+\.js/, 'index-newer.js') });
  });
  await page.route('**/api/v1/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Notes', exact: true }).click();
  const offline = page.getByRole('status').filter({ hasText: 'Offline.' });
  await expect(offline).toBeVisible();
  await reconnect(page);
  await expect(page.getByText('New version.')).toBeVisible();

  await page.evaluate(() => Object.assign(window, { stillThere: true }));
  const isSamePage = () => page.evaluate(() => 'stillThere' in window);
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Note', exact: true }).click();
  await page.getByLabel('Title').fill('Typed');
  await page.getByRole('link', { name: 'Setups', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Setups', level: 1 })).toBeVisible();
  expect(await isSamePage()).toBe(true);
  await page.getByRole('link', { name: 'Routines', exact: true }).click();
  await page.waitForFunction(() => !('stillThere' in window)); // also while the page changes
  await expect(page.getByRole('heading', { name: 'Routines', level: 1 })).toBeVisible();
  complaints.length = 0; // the browser reports the requests the test aborts
});
