import { describe, expect, it } from 'vitest';
import { match } from '../../src/app/routes';

describe('match', () => {
  it.each([
    ['/', 'Today', {}],
    ['/trades/', 'Trades', {}],
    ['/trades/7%2F8', 'Trade', { id: '7/8' }],
    ['/s/abc', 'Shared journal', { token: 'abc' }],
    ['/trades/%E0%A4%A', 'Trade', { id: '%E0%A4%A' }],
  ])('finds the route of %s', (path, title, params) => {
    const found = match(path);
    expect([found.route?.title, found.params]).toEqual([title, params]);
  });

  it('returns no route for other addresses', () => {
    expect([match('/docs').route, match('/trades/1/2').route, match('/api/v1/me').route]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
