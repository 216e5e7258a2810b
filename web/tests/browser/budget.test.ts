// The first screen after sign-in stays small: what the browser fetches from the real
// server with an empty cache, as it comes over the network.

import { expect, mainAccount, test, trade } from './fixtures';

const maxScriptBytes = 100 * 1024;
const maxRequests = 25;

test('the first screen loads few files and little script', async ({ page, api, signIn }) => {
  await trade(api, await mainAccount(api), 'AAPL', '2026-03-02', 10, 11);
  await signIn('/settings/profile');
  await page.goto('about:blank'); // ends the requests of that screen
  const browser = await page.context().newCDPSession(page);
  await browser.send('Network.enable');
  await browser.send('Network.setCacheDisabled', { cacheDisabled: true });
  const requests: string[] = [];
  let scriptBytes = 0;
  const measured: Promise<void>[] = [];
  page.on('requestfinished', (request) => {
    if (request.url().includes('/favicon-')) return; // some browsers ask for the icon twice
    requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
    if (request.resourceType() !== 'script') return;
    measured.push(request.sizes().then(({ responseBodySize }) => void (scriptBytes += responseBodySize)));
  });
  await page.goto('/', { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  await Promise.all(measured);
  expect(scriptBytes, 'bytes of script').toBeGreaterThan(0);
  expect(scriptBytes, `bytes of script: ${requests.join(', ')}`).toBeLessThanOrEqual(maxScriptBytes);
  expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(maxRequests);
});
