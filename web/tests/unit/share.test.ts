import { expect, test } from 'vitest';
import { clientName } from '../../src/lib/format/userAgent';
import { formatPeriod } from '../../src/screens/settings/shares';
import { dayOfMillis, pointDays } from '../../src/screens/share/record';
import type { Schemas } from '../../src/lib/api/client';

test('the days of points follow from the last day, across a clock change', () => {
  // Ends of days in New York; clocks change on March 8.
  const equity = ['2026-03-07T04:59:59Z', '2026-03-09T03:59:59Z', '2026-03-10T03:59:59Z'].map((at) => ({
    at,
    value: 0,
  }));
  expect(pointDays({ equity, last_day: '2026-03-09' }).map(dayOfMillis)).toEqual([
    '2026-03-06',
    '2026-03-08',
    '2026-03-09',
  ]);
});

test('the period of a link is in its own time zone', () => {
  const scope = { from: '2026-03-01T05:00:00Z', to: null, tz: 'America/New_York' };
  const text = formatPeriod(scope as unknown as Schemas['ShareScope'], (day) => day);
  expect(text).toBe('since 2026-03-01');
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1',
    'Safari on iOS',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', 'Unknown client'],
])('%s is named %s', (agent, name) => {
  expect(clientName(agent)).toBe(name);
});
