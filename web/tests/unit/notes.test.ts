import { describe, expect, test } from 'vitest';
import { excerptOf, matchesSearch, taskProgress, type Note } from '../../src/screens/notes/notes';

const note = (fields: Partial<Note>): Note => ({ title: '', body: '', symbols: [], ...fields }) as Note;

describe('excerptOf', () => {
  test('removes Markdown syntax', () => {
    expect(excerptOf(note({ body: '## Plan\n\n- [ ] **size** down\n1. sleep' }))).toBe(
      'Plan size down sleep',
    );
  });

  test('uses the symbols of a note without text', () => {
    expect(excerptOf(note({ symbols: [{ symbol: 'AAPL', body: 'gap up' }] }))).toBe('AAPL: gap up');
  });

  test('is at most 160 characters long', () => {
    expect(excerptOf(note({ body: 'word '.repeat(100) }))).toHaveLength(160);
  });
});

describe('matchesSearch', () => {
  const written = note({ title: 'Weekly', body: 'Slept well', symbols: [{ symbol: 'MSFT', body: 'weak' }] });

  test.each(['', 'WEEKLY', 'well week', 'msft weak'])('%j is found', (search) => {
    expect(matchesSearch(written, search)).toBe(true);
  });

  test('every word must be found', () => {
    expect(matchesSearch(written, 'weekly badly')).toBe(false);
  });
});

describe('taskProgress', () => {
  test('counts ticked tasks', () => {
    expect(taskProgress(note({ body: '- [x] a\n- [ ] b\n* [X] c\n- d' }))).toBe('2 of 3 done');
  });

  test('is empty without tasks', () => {
    expect(taskProgress(note({ body: '- a' }))).toBe('');
  });
});
