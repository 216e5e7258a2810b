// What a page complained of: errors that nobody caught, errors on the console
// (the browser writes violations of the policy there).

import type { BrowserContext } from '@playwright/test';

export function listen(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(error.error().stack ?? String(error.error())));
  context.on('console', (message) => {
    // A refused request is logged by the browser itself; tests of refusals make those on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return complaints;
}
