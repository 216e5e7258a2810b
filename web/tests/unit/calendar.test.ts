import { describe, expect, it } from 'vitest';
import { addMonths, isMonth, isYear, weeksOf } from '../../src/screens/calendar/days';

describe('weeksOf', () => {
  it('returns whole weeks from the first day of the week', () => {
    const monday = weeksOf('2026-03', 1); // March 1 is a Sunday
    expect(monday).toHaveLength(6);
    expect([monday[0]![0], monday.at(-1)!.at(-1)]).toEqual(['2026-02-23', '2026-04-05']);
    const sunday = weeksOf('2026-03', 0);
    expect(sunday).toHaveLength(5);
    expect([sunday[0]![0], sunday.at(-1)!.at(-1)]).toEqual(['2026-03-01', '2026-04-04']);
    expect(sunday.every((week) => week.length === 7)).toBe(true);
  });

  it('has four weeks for a February that begins on the first day of the week', () => {
    expect(weeksOf('2026-02', 0)).toHaveLength(4);
  });
});

describe('addMonths', () => {
  it('crosses the turn of the year', () => {
    expect([addMonths('2026-12', 1), addMonths('2026-01', -1), addMonths('2026-03', -14)]).toEqual([
      '2027-01',
      '2025-12',
      '2025-01',
    ]);
  });
});

describe('isMonth and isYear', () => {
  it('accept only months and years of the calendar', () => {
    expect(['2026-01', '2026-13', '2026-1', '', '2026-01-01'].map(isMonth)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(['2026', '1969', '1970', '2200', ''].map(isYear)).toEqual([true, false, true, false, false]);
  });
});
