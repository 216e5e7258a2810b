import { expect, test } from 'vitest';
import { queryFrom } from '../../src/screens/history/filter';

const queryOf = (search: string) => queryFrom(new URLSearchParams(search), 'America/New_York');

test('days are sent as the instants at which they start and end', () => {
  const { from, to } = queryOf('from=2026-03-07&to=2026-03-08');
  expect(new Date(String(from)).toISOString()).toBe('2026-03-07T05:00:00.000Z');
  // The day has 23 hours, because the clocks change.
  expect(new Date(String(to)).getTime()).toBeGreaterThan(Date.parse('2026-03-09T03:59:58Z'));
  expect(new Date(String(to)).getTime()).toBeLessThanOrEqual(Date.parse('2026-03-09T04:00:00Z'));
});

test('a day that does not exist is left out', () => {
  expect(queryOf('from=2026-02-30&to=x')).toEqual({ action: queryOf('').action });
});

test('lists and words are passed on', () => {
  expect(queryOf('type=trade,note&action=delete&q=gap&actor=cli')).toEqual({
    type: ['trade', 'note'],
    action: ['delete'],
    q: 'gap',
    actor: 'cli',
  });
});

test('security entries are listed if they are asked for', () => {
  expect(queryOf('').action).toBeDefined();
  expect(queryOf('security=1').action).toBeUndefined();
});
