import { describe, expect, test } from 'vitest';
import type { Note } from '../../src/lib/api/notes.svelte';
import {
  findReview,
  parsePeriod,
  periodPath,
  reviewDay,
  reviewTitle,
  stepPeriod,
} from '../../src/screens/calendar/periods';

const week = { kind: 'week' as const, from: '2026-03-02', to: '2026-03-08' };
const month = { kind: 'month' as const, from: '2026-02-01', to: '2026-02-28' };
const note = (id: string, title: string, type = 'weekly_review') => ({ id, title, type }) as Note;

describe('the period of a review', () => {
  test('is read from the address, with the first day of the week of the user', () => {
    expect(parsePeriod({ day: '2026-03-04' }, '/calendar/week/2026-03-04', 1)).toEqual(week);
    expect(parsePeriod({ day: '2026-03-04' }, '/calendar/week/2026-03-04', 0)?.from).toBe('2026-03-01');
    expect(parsePeriod({ month: '2026-02' }, '/calendar/month/2026-02', 1)).toEqual(month);
    expect(parsePeriod({ day: '2026-03-04' }, '/calendar/2026-03-04', 1)).toBeNull();
    expect(parsePeriod({ day: '2026-02-30' }, '/calendar/week/2026-02-30', 1)).toBeNull();
    expect(parsePeriod({ month: '2026-13' }, '/calendar/month/2026-13', 1)).toBeNull();
  });

  test('steps by whole weeks and months', () => {
    expect(periodPath(stepPeriod(week, -1))).toBe('/calendar/week/2026-02-23');
    expect(stepPeriod(month, 1)).toEqual({ kind: 'month', from: '2026-03-01', to: '2026-03-31' });
    expect(periodPath(stepPeriod(month, -2))).toBe('/calendar/month/2025-12');
  });

  test('finds its note by type and title', () => {
    const notes = [note('log', '', 'daily_log'), note('m', reviewTitle(month)), note('w', 'Bad week')];
    expect(findReview(notes, week)?.id).toBe('w');
    expect(findReview(notes, month)?.id).toBe('m');
    expect(findReview(notes.slice(0, 2), week)).toBeUndefined();
  });

  test('a review is of today within the period, else of its last day', () => {
    expect(reviewDay(week, '2026-03-05')).toBe('2026-03-05');
    expect(reviewDay(week, '2026-04-01')).toBe('2026-03-08');
    expect(reviewDay(week, '2026-01-01')).toBe('2026-03-08');
  });
});
