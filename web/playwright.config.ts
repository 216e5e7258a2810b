import { defineConfig } from '@playwright/test';
import { browserPath, browserFlags } from './tests/browser/chromium';

// A real browser against the real program. Chromium is the one that is
// installed (CHROMIUM or PATH); nothing is downloaded.
export default defineConfig({
  testDir: 'tests/browser',
  testMatch: process.env.FILLBOOK_SCREENSHOTS ? '**/*.shots.ts' : '**/*.test.ts',
  outputDir: 'test-results',
  workers: 1,
  timeout: 60_000,
  reporter: 'list',
  globalSetup: './tests/browser/build.ts',
  use: {
    browserName: 'chromium',
    headless: true,
    viewport: { width: 1440, height: 900 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    launchOptions: { executablePath: browserPath(), args: browserFlags },
    trace: 'retain-on-failure',
  },
});
