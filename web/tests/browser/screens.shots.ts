// Takes screenshots of every screen in both themes, on desktop and phone, into
// screenshots/, and those of the README. They show the demo journal, whose numbers
// are the same every day. Run them with make screenshots. ONLY takes those whose name
// matches it; FILLBOOK_LOCALE takes them in another locale, into screenshots/LOCALE, and
// SIZE=1920x1080 those of the desktop in another size, into screenshots/1920x1080; WHOLE=1
// takes the whole length of each page.

import type { Page } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { minuteBars } from './bars';
import { address, startBrokers } from './brokers';
import { deskAgent } from './chromium';
import { expect, test } from './fixtures';
import { mainAccount, manyTrades, trade } from './journal';
import { inFewColors } from './png';
import { connect, demoUser, startDemo, type Api, type Server } from './server';

const size = process.env.SIZE;
const [width = 1440, height = 900] = (size ?? '').split('x').filter(Boolean).map(Number);
const sizes = { desk: { width, height }, phone: { width: 390, height: 844 } };
const only = process.env.ONLY ? new RegExp(process.env.ONLY) : /./;

// The README's screenshots, by their file names.
const shown: Record<string, string> = {
  'desk/today-dark': 'today',
  'desk/trades-light': 'trades',
  'desk/calendar-dark': 'calendar',
  'desk/reports-overview-light': 'reports',
  'desk/trade-drawer-dark': 'trade',
  'phone/today-dark': 'phone',
};
const pictureDir = '../docs/pictures';
const fullPage = process.env.WHOLE === '1';
const locale = process.env.FILLBOOK_LOCALE;
const dir = ['screenshots', locale, size].filter(Boolean).join('/');

type Step = (page: Page) => Promise<void>;
const button =
  (name: string | RegExp): Step =>
  (page) =>
    page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
      .click();

/** A screenshot: the address to open and the actions before it is taken. */
async function pictures(api: Api): Promise<Record<string, [string, Step?]>> {
  const trades = await api<
    {
      id: string;
      symbol: string;
      opened_at: string;
      closed_at: string;
      notes: string;
      setup_ids: string[];
      net_pnl: number;
      stop_price: number | null;
      excursion: object | null;
    }[]
  >('GET', '/trades?status=closed&limit=200');
  const isOfADay = (t: { opened_at: string; closed_at: string }) =>
    t.opened_at.slice(0, 10) === t.closed_at.slice(0, 10);
  const trade =
    trades.find(
      (t) => t.notes && t.setup_ids.length > 0 && t.net_pnl > 0 && t.stop_price && t.excursion && isOfADay(t),
    ) ?? trades[0]!;
  const [account] = await api<{ id: string }[]>('GET', '/accounts');
  const [setup] = await api<{ id: string }[]>('GET', '/setups');
  const [note] = await api<{ id: string; occurred_at: string }[]>('GET', '/notes');
  const [missed] = await api<{ id: string }[]>('GET', '/missed-trades');
  const { token: share } = await api<{ token: string }>('POST', '/share-links', { account_id: account!.id });
  await api('POST', '/access-tokens', { name: 'Nightly backup', scope: 'read' });
  await api('POST', '/access-tokens', {
    name: 'Statement upload',
    scope: 'import',
    account_ids: [account!.id],
    allowed_ips: ['203.0.113.0/24'],
    expires_in_days: 90,
  });
  await api('POST', '/views', { name: 'Friday afternoon shorts', filter: { side: 'short' }, pinned: true });
  const view = await api<{ id: string }>('POST', '/views', {
    name: 'Losers',
    filter: { outcome: 'loss' },
    pinned: true,
  });
  const [last] = await api<{ closed_at: string }[]>(
    'GET',
    `/trades?status=closed&limit=1&account_id=${account!.id}`,
  );
  const day = last!.closed_at.slice(0, 10);
  const month = monthBefore(day.slice(0, 7)); // a whole one
  const week = new Date(Date.parse(day) - 7 * 86_400_000).toISOString().slice(0, 10);
  const of = `account=${account!.id}`;
  return {
    today: [`/?${of}`],
    'today-all-accounts': ['/'],
    trades: ['/trades'],
    'trades-review': ['/trades?show=review'],
    'trades-columns': [
      '/trades',
      (page) =>
        page
          .getByRole('button', { name: 'Columns' })
          .click({ timeout: 500 })
          .catch(() => undefined),
    ],
    'trades-filtered': [
      `/trades?outcome=loss&side=short&weekday=5&hour=14,15,16,17,18,19,20,21,22,23&setup=${setup!.id}&hold_max=3600`,
    ],
    'trades-add-filter': [
      '/trades',
      async (page) => {
        await page.keyboard.press('f');
        const input = page.getByRole('combobox', { name: 'Add filter' });
        await input.fill('losing shorts on fri after 14:00');
      },
    ],
    'trades-edit-filter': [
      `/trades?tag_mode=none&setup=${setup!.id}`,
      (page) =>
        page
          .getByRole('button', { name: /^With setup/ })
          .first()
          .click(),
    ],
    'trades-selected': [
      '/trades',
      async (page) => {
        const rows = page.getByRole('checkbox', { name: 'Select row' });
        if ((await rows.count()) === 0) return; // a phone has none
        await rows.nth(1).check();
        await rows.nth(2).check();
      },
    ],
    'trades-edit-several': [
      '/trades',
      async (page) => {
        const rows = page.getByRole('checkbox', { name: 'Select row' });
        if ((await rows.count()) === 0) return;
        await rows.nth(1).check();
        await button('Edit…')(page);
      },
    ],
    'trades-save-view': [
      '/trades?outcome=loss&side=short',
      async (page) => {
        if (page.viewportSize()!.width < 500) await page.getByRole('button', { name: /^Filter/ }).click();
        await button('Save view')(page);
        await expect(page.getByRole('dialog', { name: 'Save view' })).toBeVisible();
      },
    ],
    views: [
      '/notes',
      async (page) => {
        if (page.viewportSize()!.width < 500) await button('More')(page);
        await button('All views')(page);
      },
    ],
    'trades-view': [`/trades?outcome=win&saved=${view.id}`],
    'reports-compare-rest': [`/reports/compare?${of}&outcome=&side=short&against=rest`],
    'trade-drawer': [`/trades/${trade.id}`],
    'trade-chart': [`/trades/${trade.id}`, showChart],
    'trade-crosshair': [
      `/trades/${trade.id}`,
      async (page) => {
        await showChart(page);
        await page.getByRole('slider', { name: /^Price of/ }).focus();
        await page.keyboard.press('Home');
        for (let i = 0; i < 40; i++) await page.keyboard.press('ArrowRight');
      },
    ],
    'trade-chart-table': [
      `/trades/${trade.id}`,
      async (page) => {
        await showChart(page);
        await button(/^Show Price of/)(page);
      },
    ],
    'trade-replay': [`/trades/${trade.id}`, replay],
    'trade-replay-end': [
      `/trades/${trade.id}`,
      async (page) => {
        await replay(page);
        await page.keyboard.press('End');
        await page.getByRole('region', { name: 'Other exits' }).scrollIntoViewIfNeeded();
      },
    ],
    'trade-replay-note': [
      `/trades/${trade.id}`,
      async (page) => {
        await replay(page);
        await page.keyboard.press('n');
      },
    ],
    review: [`/review?show=closed&trade=${trade.id}`],
    'review-chart': [`/review?show=closed&trade=${trade.id}`, showChart],
    'review-replay': [`/review?show=closed&trade=${trade.id}`, replay],
    'trade-entry': ['/trades?new=trade'],
    'trade-entry-fills': ['/trades?new=trade', button('Add fill')],
    'trade-entry-preview': [
      '/trades?new=trade',
      async (page) => {
        const draft = page.getByRole('button', { name: 'Discard draft' });
        if (await draft.isVisible()) await draft.click();
        await page.getByLabel('Symbol').fill('NFLX'); // of which there is no position
        await button('Add fill')(page);
        await page.getByLabel('Side').last().selectOption('sell');
        for (const [i, price] of ['180.25', '183.5'].entries()) {
          const fill = page.getByRole('group', { name: `Fill ${i + 1}` });
          await fill.getByLabel('Quantity').fill('100');
          await fill.getByLabel('Price').fill(price);
          await fill.getByLabel('Price').press('Tab');
        }
        await expect(page.getByText('Net P&L (preview)')).toBeVisible();
      },
    ],
    calendar: [`/calendar?${of}&month=${month}`],
    'calendar-year': [`/calendar?${of}&year=${month.slice(0, 4)}`],
    'calendar-day': [`/calendar/${day}?${of}`],
    'calendar-day-charts': [
      `/calendar/${trade.closed_at.slice(0, 10)}`,
      (page) => page.getByRole('heading', { name: /^Charts?$/ }).scrollIntoViewIfNeeded(),
    ],
    'calendar-day-chart': [`/calendar/${trade.closed_at.slice(0, 10)}`, showChartOf(trade.symbol)],
    'calendar-day-replay': [
      `/calendar/${trade.closed_at.slice(0, 10)}`,
      async (page) => {
        await showChartOf(trade.symbol)(page);
        await replay(page);
      },
    ],
    'review-week': [`/calendar/week/${week}?${of}`],
    'review-month': [`/calendar/month/${month}?${of}`],
    notes: ['/notes'],
    'note-templates': ['/notes/templates', button('Add Daily log')],
    'today-arrange': ['/', button('Arrange cards')],
    note: [`/notes/${note!.id}`],
    'note-entry': ['/notes?new=note'],
    'reports-overview': [`/reports?${of}`],
    'reports-explain': [`/reports?${of}`, button('Explain Profit factor')],
    'reports-behind': [`/reports?${of}&behind=figure:wins`],
    'reports-time': [`/reports/time?${of}`],
    'reports-setups': [`/reports/setups?${of}`],
    'reports-rules': [`/reports/rules?${of}`],
    'reports-behavior': [`/reports/behavior?${of}`],
    'reports-risk': [`/reports/risk?${of}`],
    'reports-excursions': [`/reports/excursions?${of}`],
    'reports-distribution': [`/reports/distribution?${of}`],
    'reports-compare': [`/reports/compare?${of}&range=90d`],
    setups: [`/setups?${of}`],
    'setup-drawer': [`/setups/${setup!.id}?${of}`],
    tags: [`/tags?${of}`],
    'tag-entry': [`/tags?${of}`, button('New tag')],
    'tag-merge': [
      `/tags?${of}`,
      async (page) => {
        await button(/^Actions for/)(page);
        await page.getByRole('menuitem', { name: /^Merge/ }).click();
      },
    ],
    missed: ['/missed'],
    'missed-drawer': [missed ? `/missed?missed=${missed.id}` : '/missed?new=missed'],
    routines: ['/routines'],
    'routine-entry': ['/routines', button('New item')],
    accounts: ['/accounts'],
    account: [`/accounts/${account!.id}`],
    'account-entry': ['/accounts', button('New account')],
    import: ['/import'],
    'import-check': ['/import', chooseFile],
    'import-preview': [
      '/import',
      async (page) => {
        await chooseFile(page);
        await button('Preview import')(page);
        await expect(page.getByText('New fills').first()).toBeVisible();
      },
    ],
    'import-queue': ['/import', chooseFiles],
    connections: ['/connections'],
    prices: ['/prices'],
    export: ['/export'],
    'export-gains': ['/export?format=gains'],
    'settings-profile': ['/settings/profile'],
    'settings-two-factor': ['/settings/profile', button('Turn on')],
    'settings-devices': ['/settings/devices'],
    'settings-tokens': ['/settings/tokens'],
    'settings-token-entry': ['/settings/tokens', button('New token')],
    'settings-alerts': ['/settings/alerts'],
    'settings-channels': ['/settings/channels'],
    'settings-sharing': ['/settings/sharing'],
    'settings-link-entry': ['/settings/sharing', button('New link')],
    'settings-preferences': ['/settings/preferences'],
    'settings-appearance': ['/settings/appearance'],
    admin: ['/admin'],
    'admin-log': ['/admin?view=audit'],
    share: [`/s/${share}`],
    docs: ['/docs'],
    palette: [`/?${of}`, (page) => page.keyboard.press('Control+k')],
    keys: [`/?${of}`, (page) => page.keyboard.press('?')],
    // Last, because they change the journal.
    'trade-chart-note': [
      `/trades/${trade.id}`,
      async (page) => {
        await replay(page);
        await page.keyboard.press('n');
        await page.getByLabel('Note at').fill('Wanted to get out here. The plan was to hold.');
        await button('Save note')(page);
        await button('End replay')(page);
        await showChart(page);
      },
    ],
    'import-queue-summary': [
      '/import',
      async (page) => {
        await chooseFiles(page);
        await button('Import 2 files')(page);
        await button('Remove New York, March.csv')(page); // the summary comes after the last question
        await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();
      },
    ],
    'import-summary': [
      '/import',
      async (page) => {
        // Another column: the layout of the files above is remembered, and they are imported.
        const lines = manyTrades(12).replaceAll('SYM', 'NEW').split('\n');
        await chooseFile(page, lines.map((line, i) => line + (i === 0 ? ',Remark' : ',')).join('\n'));
        await button('Preview import')(page);
        await button(/^Import \d+ fills/)(page);
        await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible();
      },
    ],
  };
}

function monthBefore(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year!, number! - 2, 1)).toISOString().slice(0, 7);
}

/** On a phone, review mode has the chart folded. */
async function unfold(page: Page): Promise<void> {
  const fold = page.locator('details:not([open]) > summary', { hasText: 'Chart, figures and fills' });
  if (await fold.isVisible()) await fold.click();
}

async function showChart(page: Page): Promise<void> {
  await unfold(page);
  await page.getByRole('slider', { name: /^Price of/ }).scrollIntoViewIfNeeded();
}

/** Shows a symbol's chart on the page of a day. */
const showChartOf =
  (symbol: string): Step =>
  async (page) => {
    const option = page
      .getByLabel('Symbol')
      .locator('option')
      .filter({ hasText: `${symbol}, ` });
    if ((await option.count()) > 0)
      await page.getByLabel('Symbol').selectOption((await option.first().getAttribute('value'))!);
    await showChart(page);
  };

/** Replays a trade until some bars after its first fill. */
async function replay(page: Page): Promise<void> {
  await unfold(page);
  await button('Replay')(page);
  await expect(page.getByRole('slider', { name: /^Replay of/ })).toBeFocused();
  await page.keyboard.press('Shift+ArrowRight');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  await expect(page.getByText('Result hidden').first()).toBeVisible();
}

async function chooseFile(page: Page, text = manyTrades(12)): Promise<void> {
  const file = { name: 'fills.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.getByLabel(/Drop a statement/).setInputFiles(file);
  await expect(page.getByRole('heading', { name: 'File details' })).toBeVisible();
}

/** Chooses two files that can be imported, one that has a question, and an empty one. */
async function chooseFiles(page: Page): Promise<void> {
  const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  const unzoned = manyTrades(6).replaceAll('.000Z', '');
  await page
    .getByLabel(/Drop a statement/)
    .setInputFiles([
      file('january.csv', manyTrades(24)),
      file('february.csv', manyTrades(30)),
      file('New York, March.csv', unzoned),
      file('April (copy).csv', ''),
    ]);
  await expect(page.getByText('Needs an answer')).toBeVisible();
  await expect(page.getByText('The file is empty.')).toBeVisible();
}

async function enter(page: Page, server: Server): Promise<Api> {
  const api = connect(server, demoUser, deskAgent);
  // The journal trades in New York: there, today has trades from the morning until midnight.
  await api('PUT', '/settings/journal', { timezone: 'America/New_York' });
  const { refresh_token } = await api<{ refresh_token: string }>('POST', '/auth/login', demoUser);
  await page.goto(`${server.url}/healthz`);
  await page.evaluate((token) => localStorage.setItem('fillbook.refresh', token), refresh_token);
  return api;
}

/** Waits until nothing on the page is a placeholder. */
async function waitUntilLoaded(page: Page): Promise<void> {
  await expect(page.locator('.skeleton')).toHaveCount(0);
  await expect(page.getByText('Loading', { exact: true })).toHaveCount(0);
}

async function shoot(page: Page, name: string): Promise<void> {
  await waitUntilLoaded(page);
  const device = page.viewportSize()!.width < 500 ? 'phone' : 'desk';
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const id = `${device}/${name}-${colorScheme}`;
    const picture = await page.screenshot({ path: `${dir}/${id}.png`, animations: 'disabled', fullPage });
    if (locale || size || fullPage || !shown[id]) continue;
    mkdirSync(pictureDir, { recursive: true });
    writeFileSync(`${pictureDir}/${shown[id]}.png`, inFewColors(picture));
  }
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect.soft(beyond, `${name}: pixels beyond the edge (${device})`).toBeLessThanOrEqual(0);
}

for (const [device, viewport] of Object.entries(sizes)) {
  test(`the demo journal, ${device}`, async ({ page }) => {
    test.setTimeout(600_000);
    const server = await startDemo();
    try {
      page.setDefaultTimeout(20_000);
      await page.setViewportSize(viewport);
      const api = await enter(page, server);
      for (const [name, [path, step]] of Object.entries(await pictures(api))) {
        if (!only.test(name)) continue;
        await page.goto(server.url + path, { waitUntil: 'networkidle' });
        if (name !== 'docs') await expect(page.locator('#content')).toBeVisible();
        await waitUntilLoaded(page);
        await step?.(page);
        await shoot(page, name);
      }
    } finally {
      await server.stop();
    }
  });

  test.describe(`ways in and empty screens, ${device}`, () => {
    test.use({ alone: true, viewport });

    test('pictures', async ({ page, signIn }) => {
      test.setTimeout(300_000);
      await page.goto('/start');
      await shoot(page, 'first-run');
      await page.getByLabel('Email').fill('owner@example.com');
      await page.getByLabel('Password', { exact: true }).fill('a quiet green harbour 7');
      await page.getByRole('button', { name: 'Create journal' }).click();
      await expect(page.getByRole('heading', { name: 'Your journal is ready' })).toBeVisible();
      await shoot(page, 'first-run-ready');
      await page.evaluate(() => localStorage.clear());
      await page.goto('/sign-in');
      await shoot(page, 'sign-in');
      await page.goto('/register');
      await shoot(page, 'register');
      await signIn();
      for (const path of [
        '',
        'trades',
        'calendar',
        'notes',
        'reports',
        'review',
        'setups',
        'tags',
        'missed',
        'routines',
        'import',
        'accounts',
        'settings/tokens',
        'settings/sharing',
      ]) {
        const name = `empty-${path.replace('/', '-') || 'today'}`;
        if (!only.test(name)) continue;
        await page.goto(`/${path}`);
        await expect(page.locator('#content')).toBeVisible();
        await shoot(page, name);
      }
    });
  });

  test.describe(`prices of a new journal, ${device}`, () => {
    // Nothing listens at these addresses.
    const to = 'http://127.0.0.1:9';
    test.use({
      viewport,
      env: { SVC_OUTBOUND: 'true', SVC_OUTBOUND_ENDPOINTS: `alpaca=${to},oanda=${to},databento=${to}` },
    });

    test('pictures', async ({ page, api, signIn }) => {
      test.skip(!only.test('prices'));
      const account = await mainAccount(api);
      const days = ['02', '03', '04', '05', '06'].map((at) => `2026-03-${at}`);
      for (const day of days) await trade(api, account, 'AAPL', day, 200, 202);
      await signIn('/prices');
      await shoot(page, 'prices-empty');
      for (const provider of ['alpaca', 'oanda', 'databento', 'binance']) {
        await button('Add provider')(page);
        await page.getByRole('dialog').getByLabel('Provider').selectOption(provider);
        await shoot(page, `prices-provider-entry-${provider}`);
        await button('Cancel')(page);
      }
      const credentials = { key_id: 'PK1', secret_key: 'x' };
      await api('POST', '/bars/sources', { provider: 'alpaca', credentials, symbols: ['AAPL'] });
      await api('POST', '/bars/sources', { provider: 'databento', credentials: { api_key: 'db-1' } });
      await page.reload();
      await expect(page.getByRole('button', { name: 'Buy prices…' })).toBeVisible();
      await shoot(page, 'prices-providers');
      const csv = days.flatMap((day, i) =>
        minuteBars(day, 200, 202)
          .split('\n')
          .slice(i === 0 ? 0 : 1),
      );
      const file = { name: 'BATS_AAPL, 1.csv', mimeType: 'text/csv', buffer: Buffer.from(csv.join('\n')) };
      await page.locator('input[type=file]').setInputFiles(file);
      await expect(page.getByText('10 of 10 inside')).toBeVisible();
      await shoot(page, 'prices-check');
      await button('Import prices')(page);
      await expect(
        page.getByText('1,950 bars imported.').or(page.getByText('1.950 bars imported.')),
      ).toBeVisible();
      await shoot(page, 'prices-imported');
    });
  });

  test.describe(`connections of a new journal, ${device}`, () => {
    test.use({
      viewport,
      env: async ({}, use) => {
        const brokers = await startBrokers();
        await use(brokers.env);
        brokers.stop();
      },
    });

    test('pictures', async ({ page, api, signIn }) => {
      test.skip(!only.test('connections'));
      const account_id = await mainAccount(api);
      const dialog = page.getByRole('dialog');
      await signIn('/connections');
      await shoot(page, 'connections-empty');
      await button('Connect a broker')(page);
      await shoot(page, 'connections-brokers');
      await dialog.getByRole('button', { name: /^Alpaca/ }).click();
      await shoot(page, 'connections-steps');
      await button('I have it, next')(page);
      await dialog.getByLabel('API key ID').fill('PK1');
      await dialog.getByLabel('Secret key').fill('right');
      await shoot(page, 'connections-settings');
      await dialog.getByLabel('Use it although it can trade').check();
      await button('Test connection')(page);
      await expect(dialog.getByText('Rights', { exact: true })).toBeVisible();
      await shoot(page, 'connections-test');
      await button('Connect')(page);
      await expect(dialog.getByText(/2 new fills/)).toBeVisible();
      await shoot(page, 'connections-run');
      await button('Done')(page);
      await api('POST', '/connections', {
        provider: 'hyperliquid',
        account_id,
        credentials: { address },
        since: '2026-01-03',
      });
      await api('POST', '/connections', {
        provider: 'alpaca',
        account_id,
        name: 'Alpaca, second account',
        credentials: { api_key: 'PK1', api_secret: 'wrong' },
        accept_trading_key: true,
      });
      await page.reload();
      await expect(page.getByText('Needs you')).toBeVisible();
      await shoot(page, 'connections-list');
      await button('Repair Alpaca, second account')(page);
      await shoot(page, 'connections-repair');
      await button('Cancel')(page);
      await button('Menu of Alpaca')(page);
      await page.getByRole('menuitem', { name: 'Runs' }).click();
      await expect(dialog.getByText('Complete', { exact: true })).toBeVisible();
      await shoot(page, 'connections-runs');
    });
  });
}
