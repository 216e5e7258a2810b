import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../src/lib/api/client';
import {
  describeFills,
  describeGaps,
  describeOverlaps,
  describeRange,
  isSameReading,
} from '../../src/screens/prices/describe';

import { describeSent, describeState, listFacts, splitSymbols } from '../../src/screens/prices/providers';

const formats = {
  count: (n: number) => String(n),
  plural: (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`,
};

const series = {
  fills_checked: 12,
  fills_inside: 11,
  similar: false,
  overlaps: 0,
  conflicts: 0,
  gap_days: 0,
  tz: 'UTC',
  stamp: 'open',
  price_scale: 1,
  proposed: null,
} as unknown as Schemas['BarPreviewSeries'];

describe('the preview of bars', () => {
  it('counts fills, overlaps and gaps', () => {
    expect(describeFills(series, formats)).toBe('11 of 12 inside');
    expect(describeFills({ ...series, similar: true }, formats)).toBe('11 of 12 inside (other contract)');
    expect(describeFills({ ...series, fills_checked: 0 }, formats)).toBe('none in this range');
    expect(describeFills({ ...series, price_kind: 'reference' }, formats)).toBe('not compared');
    expect(describeOverlaps(series, formats)).toBe('none');
    expect(describeOverlaps({ ...series, overlaps: 5 }, formats)).toBe('5');
    expect(describeOverlaps({ ...series, overlaps: 5, conflicts: 2 }, formats)).toBe(
      '5, 2 with other values that are replaced',
    );
    expect(describeGaps({ ...series, gap_days: 1 }, formats)).toBe('1 day');
  });

  it('writes a range of one day once', () => {
    const day = (at: string) => at.slice(0, 10);
    expect(describeRange('2026-03-02T14:30:00Z', '2026-03-02T20:59:00Z', day)).toBe('2026-03-02');
    expect(describeRange('2026-03-02T14:30:00Z', '2026-03-03T20:59:00Z', day)).toBe(
      '2026-03-02 – 2026-03-03',
    );
  });

  it('compares the proposal with what is used', () => {
    const proposed = {
      tz: 'UTC',
      stamp: 'open' as const,
      price_scale: 1,
      fills_checked: 12,
      fills_inside: 12,
      certain: true,
    };
    expect(isSameReading({ ...series, proposed })).toBe(true);
    expect(isSameReading({ ...series, proposed: { ...proposed, stamp: 'close' } })).toBe(false);
    expect(isSameReading(series)).toBe(false);
  });
});

const source = {
  provider: 'alpaca',
  enabled: true,
  symbols: [] as string[],
  since: null,
  status: 'ok',
  last_run_at: null,
  next_run_at: '2026-03-02T15:00:00Z',
} as unknown as Schemas['BarSource'];

const provider = {
  name: 'Alpaca',
  hosts: ['data.alpaca.markets'],
  charges: false,
  fields: [{ secret: true }],
} as unknown as Schemas['BarProvider'];

const days = { date: (at: string) => `on ${at}`, dateTime: (at: string) => `at ${at}` };

describe('price providers', () => {
  it('has a word for each state', () => {
    expect(describeState(source).text).toBe('Up to date');
    expect(describeState({ ...source, enabled: false }).text).toBe('Off');
    expect(describeState({ ...source, status: 'waiting' }).text).toBe('Not run yet');
    const ran = { ...source, last_run_at: '2026-03-02T14:00:00Z' };
    expect(describeState({ ...ran, status: 'waiting' }).text).toBe('Waiting');
    expect(describeState({ ...source, status: 'needs_attention', enabled: false })).toEqual({
      text: 'Needs attention',
      tone: 'warn',
    });
  });

  it('says what is fetched and when', () => {
    expect(listFacts(source, provider, days)).toEqual([
      'All symbols you traded',
      'next run at 2026-03-02T15:00:00Z',
    ]);
    const limited = { ...source, symbols: ['AAPL', 'ES'], since: '2026-01-01', status: 'running' as const };
    expect(listFacts(limited, provider, days)).toEqual(['AAPL, ES', 'since on 2026-01-01']);
    expect(listFacts(source, { ...provider, charges: true }, days)).toContain('runs only when you ask');
    const rates = { ...provider, rates: true };
    expect(listFacts(source, rates, days)).toContain('Currencies of your accounts');
    expect(listFacts({ ...source, symbols: ['CHF'] }, rates, days)).toContain(
      'Currencies of your accounts, CHF',
    );
  });

  it('says what is sent', () => {
    expect(describeSent(provider)).toContain('Alpaca (data.alpaca.markets) your key, the symbols');
    expect(describeSent({ ...provider, fields: [] })).not.toContain('key');
    expect(describeSent({ ...provider, rates: true })).toContain('the names of currencies and days');
  });

  it('splits symbols', () => {
    expect(splitSymbols(' AAPL, ES;MSFT  AAPL ')).toEqual(['AAPL', 'ES', 'MSFT']);
    expect(splitSymbols('')).toEqual([]);
  });
});
