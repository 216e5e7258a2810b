import { expect, test } from 'vitest';
import { excerpt, findHits, matches, type Group } from '../../src/app/search';

const hit = (label: string) => ({ id: label, label, run: () => undefined });
const known: Group[] = [
  { title: 'Go to', hits: [hit('Go to Trades'), hit('Go to Notes')] },
  { title: 'Tags', hits: [hit('FOMO'), hit('Late entry')] },
];

test('finds by the beginnings of words', () => {
  expect(matches('Go to Trades', 'tra go')).toBe(true);
  expect(matches('Go to Trades', 'rades')).toBe(false);
  expect(matches('Übernacht', 'über')).toBe(true);
});

test('groups without hits are left out', () => {
  const notes = [{ title: 'Notes', hits: [hit('Gap up')] }];
  expect(findHits(known, notes, '').map((g) => g.title)).toEqual(['Go to', 'Tags']);
  expect(findHits(known, notes, 'entry').map((g) => g.title)).toEqual(['Tags', 'Notes']);
  expect(findHits(known, [], 'zzz')).toEqual([]);
});

test('an excerpt shows the word', () => {
  const text = `${'before '.repeat(20)}the gap filled ${'after '.repeat(30)}`;
  expect(excerpt(text, 'gap')).toMatch(/^….*gap filled.*…$/);
  expect(excerpt('short\n\ntext', 'text')).toBe('short text');
});
