import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../src/lib/api/client';
import { describeBounds, listExits } from '../../src/screens/trades/excursion';

describe('excursions', () => {
  it('writes a known value once, else its bounds, and the lower one if bars are missing', () => {
    expect(describeBounds({ low: 5, high: 5 }, 1, String)).toBe('5');
    expect(describeBounds({ low: 5, high: 9 }, 1, String)).toBe('5 to 9');
    expect(describeBounds({ low: 5, high: 9 }, 0.95, String)).toBe('at least 5');
  });

  it('lists other exits with their results', () => {
    const both = (value: number) => ({ low: value, high: value });
    const exit = (kind: string, more: object) => ({
      ...{ kind, price: null, minutes: null, reached: null, at: null, pnl: null, difference: null },
      ...more,
    });
    const excursion = {
      coverage: 0.95,
      alternatives: [
        exit('stop', { price: 99, reached: 'no' }),
        exit('target', {
          price: 103,
          reached: 'maybe',
          at: '2026-03-03T15:10:00Z',
          pnl: { low: 1, high: 2 },
        }),
        exit('best', { pnl: { low: 300, high: 340 }, difference: { low: 100, high: 140 } }),
        exit('later', { minutes: 5, pnl: both(180), difference: both(-20) }),
        exit('session_end', { pnl: both(280), difference: both(80) }),
      ],
    } as unknown as Schemas['ExcursionAnswer'];
    const formats = {
      money: (v: number) => `${v} USD`,
      price: String,
      time: (at: Date) => at.toISOString().slice(11, 16),
      minutes: (n: number) => `${n} min`,
    };
    const rows = listExits(excursion, formats).map((row) => [row.name, row.result, row.difference]);
    expect(rows).toEqual([
      ['Stop at 99', 'not reached', ''],
      ['Target at 103, maybe 15:10', '1 USD to 2 USD', ''],
      ['Best price', 'at least 300 USD', 'at least 100 USD'],
      ['5 min later', '180 USD', '-20 USD'],
      ['End of the session', '280 USD', '80 USD'],
    ]);
    const orders = ['stop', 'target'].map((kind, i) =>
      exit(kind, { price: 99, reached: 'yes', at: `2026-03-03T15:1${i}:00Z`, pnl: both(1) }),
    );
    const planned = { coverage: 1, alternatives: orders } as unknown as Schemas['ExcursionAnswer'];
    expect(listExits(planned, formats).map((row) => row.name)).toEqual([
      'Stop at 99, 15:10',
      'Target at 99, 15:11, after the stop',
    ]);
    expect(listExits({ coverage: 0 } as Schemas['ExcursionAnswer'], formats)).toEqual([]);
  });
});
