import { describe, expect, test } from 'vitest';
import { moveItem } from '../../src/lib/lists';
import { formatWeekdays, orderWeekdays } from '../../src/lib/weekdays';
import { parseTemplate } from '../../src/screens/routines/template';

test.each([
  [[0, 1, 2, 3, 4, 5, 6], 'Every day'],
  [[5, 4, 3, 2, 1], 'Weekdays'],
  [[6, 0], 'Weekends'],
  [[0, 1, 3], 'Mon, Wed, Sun'],
])('%j is formatted as %s', (days, text) => {
  expect(formatWeekdays(days, 'en-US', 1)).toBe(text);
});

test('orderWeekdays starts with the first day of the week', () => {
  expect(orderWeekdays(1)).toEqual([1, 2, 3, 4, 5, 6, 0]);
  expect(orderWeekdays(6)).toEqual([6, 0, 1, 2, 3, 4, 5]);
});

test('parseTemplate removes list markers and empty lines', () => {
  expect(parseTemplate('- [ ] One\n* Two\n\n  + [x] Three \nFour-five')).toEqual([
    'One',
    'Two',
    'Three',
    'Four-five',
  ]);
});

describe('moveItem', () => {
  test.each([
    [0, 2, 'bca'],
    [2, 0, 'cab'],
    [1, 1, 'abc'],
  ])('%i to %i', (from, to, result) => {
    expect(moveItem(['a', 'b', 'c'], from, to).join('')).toBe(result);
  });

  test('does not change the list', () => {
    const list = ['a', 'b'];
    moveItem(list, 0, 1);
    expect(list).toEqual(['a', 'b']);
  });
});
