import { expect, test } from 'vitest';
import { excerpt, findHits, isSearchable, matches, type Group } from '../../src/app/search';

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

test('one character is enough in scripts without spaces', () => {
  for (const typed of ['待', 'ス', 'ー', 'ก', 'ab', 'x 待']) expect(isSearchable(typed)).toBe(true);
  for (const typed of ['', 'a', 'é', '7', 'a b', '%']) expect(isSearchable(typed)).toBe(false);
  expect(matches('突破后等待回调', '待')).toBe(true);
  expect(matches('NQ等待 gap', 'ga 等')).toBe(true);
  expect(matches('突破', '待')).toBe(false);
});

test('an excerpt of a text without spaces shows the word', () => {
  expect(excerpt(`${'前'.repeat(200)}待${'后'.repeat(200)}`, '待')).toMatch(/^…前+待后+…$/);
});
