import { describe, expect, test } from 'vitest';
import {
  defaultCards,
  layOutCards,
  parseCards,
  reportCardID,
  reportOf,
  todayCards,
} from '../../src/lib/todayCards';

const ids = (cards: { id: string }[]) => cards.map((card) => card.id);

describe('the cards of Today', () => {
  test('ids are unique, and the defaults exist', () => {
    expect(new Set(ids(todayCards)).size).toBe(todayCards.length);
    for (const phone of [true, false]) expect(ids(parseCards(null, phone))).toEqual(defaultCards(phone));
    expect(defaultCards(true)[0]).toBe('performance');
    expect(defaultCards(false)[0]).toBe('performance');
  });

  test('unknown and repeated ids of a stored list are left out', () => {
    const stored = ['curve', 'gone', 'report.hour', 7, 'curve', null, 'day'];
    expect(ids(parseCards(stored, false))).toEqual(['curve', 'report.hour', 'day']);
    expect(ids(parseCards([], false))).toEqual([]);
    expect(ids(parseCards('day', false))).toEqual(defaultCards(false));
  });

  test('a card of the reports keeps its name', () => {
    const card = todayCards.find((c) => c.id === reportCardID('hour'))!;
    expect(card.report).toBe(true);
    expect(reportOf(card)).toBe('hour');
  });

  test('cards between full ones share a row', () => {
    const rows = layOutCards(parseCards(['day', 'plan', 'routine', 'positions', 'curve', 'review'], false));
    expect(rows.map((row) => [row.full?.id, ids(row.wide), ids(row.narrow)])).toEqual([
      ['day', [], []],
      [undefined, ['plan', 'positions'], ['routine']],
      ['curve', [], []],
      [undefined, [], ['review']],
    ]);
  });
});
