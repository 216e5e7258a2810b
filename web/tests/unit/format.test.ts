import { describe, expect, it } from 'vitest';
import * as write from '../../src/lib/format/format';

const n = { locale: 'en-US', timeZone: 'America/New_York', hideAmounts: false };
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('money', () => {
  it.each([
    [1234.5, 'USD', {}, '$1,234.50'],
    [1234.5, 'USD', { signed: true }, '+$1,234.50'],
    [-0.05, 'USD', { signed: true }, '\u2212$0.05'],
    [0, 'USD', { signed: true }, '$0.00'],
    [-1234, 'JPY', {}, '\u2212¥1,234'],
    [0.12345678, 'USDT', {}, '0.12345678 USDT'],
    [12345, 'USD', { short: 'compact' }, '$12.35K'],
    [-1250, 'USD', { short: 'compact' }, '\u2212$1.25K'], // the edge of a bin, not rounded
    [12345.67, 'USD', { short: 'whole' }, '$12,346'],
    ['123456789012345.12', 'USD', {}, '$123,456,789,012,345.12'],
    [null, 'USD', {}, write.nothing],
    ['', 'USD', {}, write.nothing],
  ] as const)('%s %s', (value, currency, style, want) => {
    expect(plain(write.money(value, currency, n, style))).toBe(want);
  });

  it.each([
    ['de-DE', 4390.4, '4,39K $'],
    ['de-DE', -12.5, '\u221212,5 $'],
    ['de-DE', 80000, '80K $'],
    ['fr-FR', 1_250_000, '1,25M $'],
    ['ja-JP', 12345, '$12.35K'],
  ])('in %s %d has an English suffix in short form', (locale, value, want) => {
    expect(plain(write.money(value, 'USD', { ...n, locale }, { short: 'compact' }))).toBe(want);
  });

  it('is hidden completely', () => {
    const hiding = { ...n, hideAmounts: true };
    expect(write.money(-5, 'USD', hiding, { signed: true })).toBe(write.hidden);
    expect(write.money(500000, 'USD', hiding)).toBe(write.hidden);
    expect(plain(write.r(1.5, hiding))).toBe('+1.50 R');
    expect(write.percent(2, hiding, true)).toBe('+2.00%');
  });
});

describe('other numbers', () => {
  it('keep their digits', () => {
    expect(write.price('1.09312', n)).toBe('1.09312');
    expect(write.price(100, n)).toBe('100.00');
    expect(write.quantity('0.000000012345678901', n)).toBe('0.000000012345678901');
  });

  it('shares are multiplied by 100, percentages are not', () => {
    expect(write.share(0.6667, n)).toBe('66.7%');
    expect(write.percent(66.67, n)).toBe('66.67%');
    expect(write.share(null, n)).toBe(write.nothing);
  });
});

describe('duration', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [192, '3 min 12 s'],
    [3600, '1 h'],
    [7260, '2 h 1 min'],
    [187200, '2 d 4 h'],
    [null, write.nothing],
  ])('%s', (seconds, want) => {
    expect(plain(write.duration(seconds))).toBe(want);
  });
});

describe('dates', () => {
  it('a day ignores the time zone, an instant does not', () => {
    expect(write.date('2026-03-02', n)).toBe('Mar 2, 2026');
    expect(write.date('2026-03-02T02:00:00Z', n)).toBe('Mar 1, 2026');
    expect(write.time('2026-03-02T02:00:00Z', { ...n, locale: 'en-GB' })).toBe('21:00');
    expect(write.time('2026-03-02T14:05:00Z', { ...n, locale: 'de-DE' })).toBe('09:05');
    expect(write.time('2026-03-02T14:05:00Z', n).replace(/\s/, ' ')).toBe('9:05 AM');
    expect(write.hour(14, n).replace(/\s/, ' ')).toBe('2 PM');
    expect(write.hour(9, { ...n, locale: 'de-DE' })).toBe('09:00');
  });

  it('a recent date has no year, one of another year has it', () => {
    const now = '2026-01-01T03:00:00Z'; // still 2025 in New York
    expect(write.recentDate('2025-12-16T15:00:00Z', n, now)).toBe('Dec 16');
    expect(write.recentDate('2026-01-01T15:00:00Z', n, now)).toBe('Jan 1, 2026');
    expect(write.recentDate('2025-03-02', n, now)).toBe('Mar 2');
    expect(write.recentDate(null, n, now)).toBe(write.nothing);
  });

  it('a range names what its days share once', () => {
    const german = { ...n, locale: 'de-DE' };
    const plainRange = (from: string, to: string, notation = n) =>
      write.dateRange(from, to, notation).replace(/\s+/g, ' ');
    expect(plainRange('2026-11-15', '2026-11-21')).toBe('Nov 15 – 21, 2026');
    expect(plainRange('2026-11-15', '2026-11-21', german)).toBe('15–21 Nov 2026');
    expect(plainRange('2025-12-29', '2026-01-04')).toBe('Dec 29, 2025 – Jan 4, 2026');
    expect(plainRange('2026-11-15', '2026-11-15')).toBe('Nov 15, 2026');
  });

  it.each([
    ['de-DE', 'Mon, 2 Mar', 'Monday, 2 March 2026', '2 Mar 2026', '14:05'],
    ['fr', 'Mon, 2 Mar', 'Monday, 2 March 2026', '2 Mar 2026', '14:05'],
    ['ja-JP', 'Mon, Mar 2', 'Monday, March 2, 2026', 'Mar 2, 2026', '14:05'],
    ['en-AU', 'Mon, 2 Mar', 'Monday 2 March 2026', '2 Mar 2026', '2:05 pm'],
  ])('%s has English names in its own order', (locale, weekday, long, medium, time) => {
    const own = { ...n, timeZone: 'UTC', locale };
    expect(write.date('2026-03-02', own, 'weekday')).toBe(weekday);
    expect(write.date('2026-03-02', own, 'long')).toBe(long);
    expect(write.date('2026-03-02', own)).toBe(medium);
    expect(write.time('2026-03-02T14:05:00Z', own).replace(/\s/, ' ')).toBe(time);
  });

  it('midnight is 00:00 in a locale with 24 hours', () => {
    expect(write.time('2026-03-02T00:05:00Z', { ...n, timeZone: 'UTC', locale: 'ja-JP' })).toBe('00:05');
  });

  it('invalid values are shown as missing', () => {
    expect(write.date('soon', n)).toBe(write.nothing);
    expect(write.dateTime(null, n)).toBe(write.nothing);
  });
});

describe('short amounts', () => {
  const german = { ...n, locale: 'de' };

  it.each([
    [843.25, '+843', '+843'],
    [-0.4, '0', '0'],
    [1234.5, '+1.23K', '+1,23K'],
    [-868031.25, '\u2212868K', '\u2212868K'],
    [-12_345_678, '\u221212.3M', '\u221212,3M'],
  ])('%d keeps its thousands in every language', (value, english, others) => {
    expect(write.tiny(value, n)).toBe(english);
    expect(write.tiny(value, german)).toBe(others);
  });

  it('can be hidden or missing', () => {
    expect(write.tiny(5, { ...n, hideAmounts: true })).toBe(write.hidden);
    expect(write.tiny(null, n)).toBe(write.nothing);
  });
});
