import { expect, test } from 'vitest';
import { clientName } from '../../src/lib/format/userAgent';

const safari = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${safari} Chrome/120.0 Safari/537.36 Edg/120.0`,
    'Edge on Windows',
  ],
  [`Mozilla/5.0 (X11; Linux x86_64) ${safari} Chrome/120.0 Safari/537.36`, 'Chrome on Linux'],
  ['Mozilla/5.0 (Android 14; Mobile; rv:120.0) Gecko/120.0 Firefox/120.0', 'Firefox on Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1 Version/17.0 Safari/604.1',
    'Safari on iOS',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', 'Unknown client'],
])('%s', (agent, name) => {
  expect(clientName(agent)).toBe(name);
});
