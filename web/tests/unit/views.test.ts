import { expect, test } from 'vitest';
import { emptyFilter, type Filter } from '../../src/lib/filter/filter';
import { isSameFilter, loadFilter, orderOf, sortOf, storeFilter } from '../../src/lib/filter/views';

const empty = emptyFilter as Filter;

test.each<[string, Partial<Filter>]>([
  ['nothing', {}],
  ['conditions', { outcomes: ['loss'], roots: ['NQ'], hours: ['14', '15'], setups: ['s1'], q: 'gap, up' }],
  ['a period that moves', { range: '30d', accounts: ['a1'], basis: 'open' }],
  ['fixed days', { range: 'custom', from: '2026-03-08', to: '2026-03-29' }],
  ['one day', { range: 'custom', from: '', to: '2026-03-29' }],
])('a view keeps %s', (_, change) => {
  const stored = storeFilter({ ...empty, ...change, unit: 'r', view: 'v1' }, 'America/New_York');
  expect(loadFilter(stored, 'America/New_York')).toEqual({ ...empty, ...change });
});

test('has the names of the API', () => {
  const f: Filter = { ...empty, accounts: ['a1', 'a2'], range: 'ytd', tags: ['t1'], tagMode: 'none' };
  expect(storeFilter(f, 'UTC')).toEqual({
    account_id: 'a1,a2',
    range: 'ytd',
    tag_id: 't1',
    tag_mode: 'none',
  });
});

test('the order of a list does not matter', () => {
  expect(isSameFilter({ weekday: '1,5', side: 'long' }, { side: 'long', weekday: '5,1' })).toBe(true);
  expect(isSameFilter({ weekday: '1' }, { weekday: '1,5' })).toBe(false);
  expect(isSameFilter({ weekday: '1' }, {})).toBe(false);
});

test('the order is written as in the address', () => {
  for (const sort of ['net_pnl', '-net_pnl']) expect(sortOf(orderOf(sort))).toBe(sort);
  expect(sortOf(orderOf(null))).toBe('');
});
