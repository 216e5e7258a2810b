import { describe, expect, test } from 'vitest';
import {
  addDays,
  dayOf,
  instantOf,
  isDay,
  lastDayOf,
  wallClock,
  weekdayOf,
  weekStartOf,
} from '../../src/lib/format/days';

test('the week starts as in the locale', () => {
  expect(weekStartOf('en-US')).toBe(0);
  expect(weekStartOf('de-DE')).toBe(1);
  expect(weekStartOf('ar-EG')).toBe(6);
});

describe('days', () => {
  test('the day of an instant depends on the time zone', () => {
    const at = new Date('2026-03-02T23:30:00Z');
    expect(dayOf(at, 'UTC')).toBe('2026-03-02');
    expect(dayOf(at, 'Europe/Berlin')).toBe('2026-03-03');
  });

  test('days are added across months and leap days', () => {
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
  });

  test('the last day of a month', () => {
    expect(lastDayOf('2026-02')).toBe('2026-02-28');
    expect(lastDayOf('2028-02')).toBe('2028-02-29');
    expect(lastDayOf('2026-12')).toBe('2026-12-31');
  });

  test('weekdays count from Sunday', () => {
    expect(weekdayOf('2026-03-01')).toBe(0);
    expect(weekdayOf('2026-03-07')).toBe(6);
  });

  test('a day that does not exist is no day', () => {
    expect(isDay('2026-06-30')).toBe(true);
    for (const text of ['2026-06-31', '2026-13-01', '2026-6-1', 'today', '']) expect(isDay(text)).toBe(false);
  });
});

test('a local time and its instant convert into each other', () => {
  const at = instantOf('2026-03-09', '09:30', 'America/New_York');
  expect(at.toISOString()).toBe('2026-03-09T13:30:00.000Z');
  expect(wallClock(at.toISOString(), 'America/New_York')).toMatch(/^2026-03-09T09:30/);
});
