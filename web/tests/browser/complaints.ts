// Collects a page's errors: uncaught ones and those on the console, where the
// browser reports violations of the content security policy.

import type { BrowserContext } from '@playwright/test';

export function listen(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(error.error().stack ?? String(error.error())));
  context.on('console', (message) => {
    // The browser logs every failed request; some tests cause them on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return complaints;
}
