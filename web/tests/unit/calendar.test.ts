import { describe, expect, it } from 'vitest';
import { groupByContract } from '../../src/screens/calendar/contracts';
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

describe('groupByContract', () => {
  const of = (id: string, symbol: string, direction: 'long' | 'short') => ({
    id,
    symbol,
    direction,
    instrument_type: 'stock',
    option_right: null,
    strike: null,
    expiry: null,
  });
  const fill = (id: string, at: string, side: 'buy' | 'sell', ...trade_ids: string[]) => ({
    id,
    trade_ids,
    side,
    executed_at: `2026-03-02T${at}Z`,
    price: 1,
    quantity: 1,
  });

  it('has the fills of listed trades by symbol, and which of them open', () => {
    const contracts = groupByContract(
      [of('a', 'AAPL', 'long'), of('b', 'MSFT', 'short'), of('c', 'MSFT', 'long')],
      [
        fill('3', '10:00:00', 'buy', 'b', 'c'), // a reversal
        fill('1', '09:30:00', 'buy', 'a'),
        fill('2', '09:40:00', 'sell', 'b'),
        fill('4', '11:00:00', 'sell', 'c'),
        fill('5', '11:00:00', 'sell', 'unlisted'),
      ],
    );
    expect(contracts.map((c) => [c.instrument.symbol, c.fills.map((f) => f.fill.id + f.opens)])).toEqual([
      ['MSFT', ['2true', '3true', '4false']],
      ['AAPL', ['1true']],
    ]);
    expect(contracts[0]!.last - contracts[0]!.first).toBe(80 * 60);
  });
});
