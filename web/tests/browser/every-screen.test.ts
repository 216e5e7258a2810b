// Every screen of a full journal whose every text is hostile: nothing runs, the
// console stays clean, axe finds nothing in either theme, no phone scrolls
// sideways, and no address of the API is read twice while a screen loads. Then the same for dialogs and drawers over a screen.

import type { Page } from '@playwright/test';
import { expect, expectInert, owner, test as base } from './fixtures';
import { hostileFills, hostileJournal, image, markdown, type Hostile } from './hostile';
import { expectFitsPhone } from './phone';
import { connect, startServer, type Server } from './server';

interface Shared {
  /** A server whose owner has a hostile journal, and sees Admin as well. */
  hostile: { server: Server; journal: Hostile };
}

const test = base.extend<object, Shared>({
  hostile: [
    async ({}, use) => {
      const server = await startServer();
      await use({ server, journal: await hostileJournal(connect(server, owner), server, owner) });
      await server.stop();
    },
    { scope: 'worker' },
  ],
  server: ({ hostile }, use) => use(hostile.server),
});

const names = { tables: false }; // hostile names are long words

const parts: Record<string, (h: Hostile) => Record<string, string | RegExp>> = {
  review: (h) => ({
    '/': image,
    '/trades': `setup ${image}`,
    '/review?show=all': image,
    '/positions': 'Unrealized',
    '/options': 'No strategies yet',
    '/calendar?month=2024-01': /January 2024/,
    '/calendar?year=2024': /January 2024/,
    [`/calendar/${h.day}`]: image,
    [`/calendar/week/${h.day}`]: image,
    [`/calendar/month/${h.day.slice(0, 7)}`]: image,
    '/notes': image,
    '/notes/templates?template=new': /Placeholders/,
    [`/notes/${h.note}`]: image,
  }),
  measure: (h) => ({
    '/reports': 'Profit factor',
    '/reports/time': 'Weekday: net P&L',
    '/reports/setups': `setup ${image}`,
    '/reports/rules': `setup ${image}`,
    '/reports/behavior': 'Random order',
    '/reports/risk': 'Drawdown',
    '/reports/excursions': 'Average MAE',
    '/reports/distribution': '<svg onload=window.struck=1>',
    '/reports/compare?range=custom&from=2024-01-01&to=2024-01-02': 'Win rate',
    '/setups': `setup ${image}`,
    [`/setups/${h.setup}`]: `setup ${image}`,
    '/symbols/AAPL': 'View trades',
    '/tags': `tag ${image}`,
    '/missed': image,
    '/routines': image,
    '/rules': 'No rules yet',
    '/programs': 'No programs yet',
  }),
  data: (h) => ({
    '/accounts': `A ${image}`,
    [`/accounts/${h.account}`]: `A ${image}`,
    '/import': /^<img src=x onerror=.*csv$/, // quotes do not survive the upload
    [`/import/${h.batch}`]: /^<img src=x onerror=.*csv$/,
    '/connections': image,
    '/corporate-actions': 'No corporate actions yet',
    '/connect-app': 'Nothing to connect',
    '/prices': '<svg onload=window.struck=1>',
    '/history': image,
    '/export?format=csv': `A ${image}`,
    [`/s/${h.share}`]: '<svg onload=window.struck=1>',
  }),
  settings: () => ({
    '/settings/profile': 'owner@example.com',
    '/settings/devices': '<img',
    '/settings/tokens': image,
    '/settings/alerts': 'Rule broken',
    '/settings/channels': 'sends nothing to others',
    '/settings/sharing': 'With amounts',
    '/settings/preferences': 'Week starts on',
    '/settings/appearance': 'Hide amounts',
    '/admin': 'owner@example.com',
    '/admin?view=audit': 'Set up the server',
  }),
};

/** Lists what the page reads from the API; `begin` starts a new list. */
function listenToReads(page: Page) {
  let reads: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET' && pathname.startsWith('/api/')) reads.push(pathname + search);
  });
  return {
    begin: () => (reads = []),
    count: () => reads.length,
    repeated: () => reads.filter((read, i) => reads.indexOf(read) < i),
  };
}

for (const [name, screens] of Object.entries(parts)) {
  test(`${name}: inert, accessible, fits a phone`, async ({ page, hostile, signIn, expectAccessible }) => {
    test.setTimeout(300_000);
    await signIn('/');
    const reads = listenToReads(page);
    for (const [path, text] of Object.entries(screens(hostile.journal))) {
      await page.goto('about:blank'); // ends the requests of the screen before
      reads.begin();
      await page.goto(path);
      const seen = page.getByText(text).or(page.getByLabel(text));
      await expect(seen.filter({ visible: true }).first(), `${path} shows ${text}`).toBeVisible();
      await expect(page.locator('.skeleton')).toHaveCount(0);
      expect(reads.count(), `reads of ${path}`).toBeGreaterThan(0);
      expect(reads.repeated(), `${path} reads each address once`).toEqual([]);
      await expectAccessible(path);
      await expectFitsPhone(page, path, names);
      await expectInert(page);
    }
  });
}

test('dialogs and drawers over a screen', async ({ page, hostile, signIn, expectAccessible }) => {
  const { journal } = hostile;
  const dialog = page.getByRole('dialog').last();
  const look = async (what: string) => {
    await expect(dialog, what).toBeVisible();
    await expectAccessible(what);
    await expectFitsPhone(page, what, names);
    await expectInert(page);
  };
  await signIn(`/trades/${journal.trade}`);
  await expect(dialog.getByRole('button', { name: /^View <?img/ })).toBeVisible();
  await expect(dialog.getByRole('list', { name: 'Notes on the chart' })).toContainText(image);
  await look('trade drawer');
  await dialog.getByText('Preview', { exact: true }).click();
  await expect(dialog.getByText(image).first()).toBeVisible();
  await look('trade drawer with rendered notes');

  const addresses = {
    '/trades?new=trade': 'trade form',
    '/reports?behind=figure:wins': 'trades of a figure',
    [`/missed?missed=${journal.missed}`]: 'missed trade',
    '/missed?new=missed': 'missed trade form',
  };
  for (const [path, what] of Object.entries(addresses)) {
    await page.goto(path);
    await look(what);
  }
  const buttons: [string, string, string][] = [
    ['/setups', 'New setup', 'setup form'],
    ['/routines', 'New item', 'routine item form'],
    ['/accounts', 'New account', 'account form'],
    [`/accounts/${journal.account}`, 'Add transaction', 'cash form'],
    [`/import/${journal.batch}`, 'Undo import', 'import undo'],
    ['/settings/tokens', 'New token', 'token form'],
    ['/settings/sharing', 'New link', 'link form'],
    ['/admin', 'New user', 'user form'],
  ];
  for (const [path, button, what] of buttons) {
    await page.goto(path);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    if (what.endsWith('form')) await expect(page.locator('dialog form :focus'), what).toHaveCount(1);
    await look(what);
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await look('keyboard shortcuts');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type(image);
  await look('command palette');
});

base('a hostile file, from its name to its cells', async ({ page, signIn, expectAccessible }) => {
  await signIn('/import');
  const odd = hostileFills().replace('Time,Symbol', `When ${image},Symbol`);
  await page
    .getByLabel(/Drop a statement/)
    .setInputFiles({ name: `${image}.csv`, mimeType: 'text/csv', buffer: Buffer.from(odd) });
  await expect(page.getByText('<svg onload=window.struck=1>').first()).toBeVisible();
  await expectAccessible('file details');
  await expectFitsPhone(page, 'file details', names);
  await expectInert(page);
  await page.getByLabel('Date and time', { exact: true }).selectOption(`When ${image}`);
  await page.getByRole('button', { name: 'Preview import' }).click();
  await expect(page.getByText('<svg onload=window.struck=1>').first()).toBeVisible();
  await expectAccessible('import preview');
  await expectFitsPhone(page, 'import preview', names);
  await expectInert(page);
});

base('hostile Markdown in the note editor', async ({ page, signIn }) => {
  await signIn('/notes?new=note');
  await page.getByLabel('Text', { exact: true }).fill(markdown);
  await page.getByRole('radio', { name: 'Preview' }).check();
  await expect(page.getByText(image).first()).toBeVisible();
  await expectInert(page);
});
