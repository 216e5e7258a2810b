import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../src/lib/api/client';
import { describeBounds, listAlternatives } from '../../src/screens/trades/excursion';

describe('excursions', () => {
  it('writes a known value once, else its bounds, and the lower one if bars are missing', () => {
    expect(describeBounds({ low: 5, high: 5 }, 1, String)).toBe('5');
    expect(describeBounds({ low: 5, high: 9 }, 1, String)).toBe('5 to 9');
    expect(describeBounds({ low: 5, high: 9 }, 0.95, String)).toBe('at least 5');
  });

  it('lists the exits that the bars can tell', () => {
    const excursion = {
      coverage: 1,
      best_exit: { low: 300, high: 340 },
      after_exit: [
        { minutes: 5, pnl: -20, at: '' },
        { minutes: 60, pnl: null, at: '' },
        { minutes: null, pnl: 80, at: '' },
      ],
    } as unknown as Schemas['ExcursionAnswer'];
    const formats = { money: (v: number) => `${v} USD`, minutes: (n: number) => `${n} min` };
    expect(listAlternatives(excursion, formats)).toEqual([
      { name: 'Best exit before the session ended', text: '300 USD to 340 USD before costs' },
      { name: 'Exit 5 min later', text: '-20 USD compared with your exit' },
      { name: 'Exit at the end of the session', text: '80 USD compared with your exit' },
    ]);
    expect(listAlternatives({ coverage: 0 } as Schemas['ExcursionAnswer'], formats)).toEqual([]);
  });
});
