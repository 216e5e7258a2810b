import { defineConfig } from '@playwright/test';
import { browserFlags, browserPath, deskAgent, phoneAgent } from './tests/browser/chromium';

// A real browser against the real program. Chromium is the one that is
// installed (CHROMIUM or PATH); nothing is downloaded.
const phoneTests = '**/phone-*.test.ts';

export default defineConfig({
  testDir: 'tests/browser',
  testMatch: process.env.FILLBOOK_SCREENSHOTS ? '**/*.shots.ts' : '**/*.test.ts',
  outputDir: 'test-results',
  // Two at a time, however few cores: much of a test is waiting for the other side.
  workers: 2,
  fullyParallel: true,
  // Long, so a busy machine only makes the tests slower. No test waits longer than it must.
  timeout: 120_000,
  // A browser on a crowded machine misses a key now and then: once more, and the run says so.
  retries: 1,
  expect: { timeout: 20_000 },
  reporter: 'list',
  globalSetup: './tests/browser/build.ts',
  projects: process.env.FILLBOOK_SCREENSHOTS
    ? [{ name: 'screenshots' }]
    : [
        { name: 'desk', testIgnore: phoneTests },
        {
          name: 'phone',
          testMatch: phoneTests,
          use: {
            viewport: { width: 390, height: 844 },
            hasTouch: true,
            isMobile: true,
            userAgent: phoneAgent,
          },
        },
      ],
  use: {
    browserName: 'chromium',
    headless: true,
    // Requests of a worker cannot be intercepted; pwa.test.ts allows it.
    serviceWorkers: 'block',
    // Emptied between tests; a new one would start a process and compile the page's scripts again.
    reuseContext: true,
    viewport: { width: 1440, height: 900 },
    userAgent: deskAgent,
    timezoneId: 'Europe/Berlin',
    locale: process.env.FILLBOOK_LOCALE ?? 'en-GB',
    launchOptions: {
      executablePath: browserPath(),
      args: browserFlags,
      // Scroll bars as people have them, which tests drag; pictures are better without.
      ignoreDefaultArgs: process.env.FILLBOOK_SCREENSHOTS ? [] : ['--hide-scrollbars'],
    },
    // A trace doubles the time of every test, so only those who look for something ask for one.
    trace: process.env.FILLBOOK_TRACE ? 'retain-on-failure' : 'off',
  },
});
