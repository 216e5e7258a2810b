import { expect, test } from 'vitest';
import { findRenames } from '../../src/screens/setups/renames';

const line = (was: string, text = was) => ({ was, text });

test.each([
  ['nothing changed', ['A', 'B'], [line('B'), line('A')], []],
  ['a line reworded', ['A', 'B'], [line('A', 'A2'), line('B')], [['A', 'A2']]],
  [
    'two lines swapped',
    ['A', 'B'],
    [line('A', 'B'), line('B', 'A')],
    [
      ['A', 'B'],
      ['B', 'A'],
    ],
  ],
  ['a new line', ['A'], [line('A'), line('', 'B')], []],
  ['a line removed and its text given to a new one', ['A'], [line('', 'A')], []],
  ['a line reworded and its old text added again', ['A'], [line('A', 'B'), line('', 'A')], []],
  ['two lines with one text', ['A', 'B'], [line('A', 'C'), line('B', 'C')], []],
])('%s', (_, before, rules, want) => {
  expect(findRenames(before, rules).map(({ from, to }) => [from, to])).toEqual(want);
});
