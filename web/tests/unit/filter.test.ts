import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  daysOf,
  emptyFilter,
  countActive,
  parseFilter,
  scopeOf,
  writeFilter,
  type Filter,
} from '../../src/lib/filter/filter';
import { stepRange, type Range } from '../../src/lib/filter/periods';
import { endOf, instantOf, isDay, startOf, wallClock } from '../../src/lib/format/days';

const full: Filter = {
  accounts: ['a1', 'a2'],
  range: 'custom',
  from: '2026-01-05',
  to: '2026-02-28',
  basis: 'open',
  pnl: 'realized',
  tz: 'Asia/Tokyo',
  unit: 'r',
  view: 'v1',
  status: 'closed',
  symbols: ['ES', 'BRK/B'],
  roots: ['NQ'],
  side: 'short',
  types: ['future', 'option'],
  rights: ['put'],
  dteMin: '0',
  dteMax: '7',
  outcomes: ['loss', 'breakeven'],
  pnlMin: '-100.50',
  pnlMax: '250',
  rMin: '-2',
  rMax: '3.5',
  hasR: 'true',
  holdMin: '60',
  holdMax: '300',
  maeRMin: '0.5',
  maeRMax: '2',
  mfeRMin: '0.5',
  mfeRMax: '2',
  exitEfficiencyMin: '0.5',
  exitEfficiencyMax: '2',
  atrPctMin: '0.5',
  atrPctMax: '2',
  gapPctMin: '0.5',
  gapPctMax: '2',
  relativeVolumeMin: '0.5',
  relativeVolumeMax: '2',
  openingRangeMin: '0.5',
  openingRangeMax: '2',
  hasExcursion: 'true',
  weekdays: ['1', '5'],
  hours: ['14', '15'],
  sessions: ['rth', 'overnight'],
  afterLosses: '2',
  afterWins: '1',
  nthMin: '1',
  nthMax: '3',
  zone: 'America/New_York',
  setups: ['s1'],
  setupMode: 'all',
  tags: ['t1', 't2'],
  tagMode: 'none',
  ruleStates: ['broken'],
  rulesBroken: ['r1'],
  rulesKept: ['r2'],
  rule: 'Wait, then enter',
  mistake: 'false',
  grades: ['4', '5'],
  emotions: ['calm'],
  reviewed: 'false',
  hasNote: 'true',
  hasAttachment: 'false',
  batch: 'b1',
  trades: ['x1', 'x2'],
  q: 'gap up',
};

describe('the filter in the address', () => {
  it.each([
    ['empty', emptyFilter as Filter],
    ['full', full],
    ['a preset', { ...emptyFilter, range: '90d', unit: 'percent' } as Filter],
  ])('comes back as it went: %s', (_, filter) => {
    expect(parseFilter(new URLSearchParams(writeFilter(filter).toString()))).toEqual(filter);
  });

  it('writes nothing for the empty filter', () => {
    expect(writeFilter(emptyFilter as Filter).toString()).toBe('');
    expect(countActive(emptyFilter as Filter)).toBe(0);
    expect(countActive(full)).toBe(60);
  });

  it('ignores invalid values', () => {
    const odd =
      'range=never&from=2026-02-30&basis=x&tz=Mars/Base&side=up&unit=pips&symbol=,,es,ES' +
      '&hour=24,x&weekday=7&r_min=two&has_note=maybe&tag_mode=some&q=%2B&filter_tz=Mars/Base&trade_quality=6';
    expect(parseFilter(new URLSearchParams(odd))).toEqual({ ...emptyFilter, symbols: ['ES'] });
  });

  it('accepts the names of the API', () => {
    const query = 'account_id=a1&setup_id=s1&tag_id=t1&import_batch_id=b1&date_basis=open';
    const read = parseFilter(new URLSearchParams(query));
    expect(writeFilter(read).toString()).toBe('account=a1&basis=open&setup=s1&tag=t1&import=b1');
  });

  it('has a condition for every parameter of the API', () => {
    const description = readFileSync('../api/openapi.yaml', 'utf8');
    const names = [...description.matchAll(/^ {4}filter\.(\w+):/gm)]
      .map((found) => found[1])
      .filter((name) => name !== 'currency'); // a preference, not a condition
    const known = Object.keys(scopeOf(full, 'UTC', 1)).filter((name) => name !== 'tz');
    expect(names.length).toBeGreaterThan(30);
    expect(known.sort()).toEqual(names.sort());
  });

  it('swaps the days of a reversed range', () => {
    const { from, to } = parseFilter(new URLSearchParams('range=custom&from=2026-03-01&to=2026-01-01'));
    expect([from, to]).toEqual(['2026-01-01', '2026-03-01']);
  });
});

describe('ranges', () => {
  it.each([
    ['today', '2026-11-15', '2026-11-15'],
    ['week', '2026-11-09', '2026-11-15'], // a Sunday, in weeks that begin on Monday
    ['month', '2026-11-01', '2026-11-15'],
    ['30d', '2026-10-17', '2026-11-15'],
    ['90d', '2026-08-18', '2026-11-15'],
    ['ytd', '2026-01-01', '2026-11-15'],
    ['1y', '2025-11-16', '2026-11-15'],
    ['yesterday', '2026-11-14', '2026-11-14'],
    ['last_week', '2026-11-02', '2026-11-08'],
    ['last_month', '2026-10-01', '2026-10-31'],
    ['quarter', '2026-10-01', '2026-11-15'],
    ['last_quarter', '2026-07-01', '2026-09-30'],
    ['last_year', '2025-01-01', '2025-12-31'],
    ['all', '', ''],
  ] as const)('%s', (range, from, to) => {
    expect(daysOf({ ...emptyFilter, range } as Filter, 'UTC', 1, '2026-11-15')).toEqual({ from, to });
  });

  it('a week can start on Sunday', () => {
    expect(daysOf({ ...emptyFilter, range: 'week' } as Filter, 'UTC', 0, '2026-11-15').from).toBe(
      '2026-11-15',
    );
  });
});

describe('the period before and after', () => {
  const step = (range: Range, by: -1 | 1, from = '', to = '') => {
    const next = stepRange({ range, from, to }, by, '2026-11-18', 1);
    return next && [next.range, next.from, next.to].join(' ').trim();
  };

  it.each<[Range, -1 | 1, string | null]>([
    ['today', -1, 'yesterday'],
    ['yesterday', 1, 'today'],
    ['yesterday', -1, 'custom 2026-11-16 2026-11-16'],
    ['today', 1, null],
    ['week', -1, 'last_week'],
    ['last_week', -1, 'custom 2026-11-02 2026-11-08'],
    ['month', -1, 'last_month'],
    ['last_month', 1, 'month'],
    ['last_month', -1, 'custom 2026-09-01 2026-09-30'],
    ['last_quarter', -1, 'custom 2026-04-01 2026-06-30'],
    ['ytd', -1, 'last_year'],
    ['last_year', -1, 'custom 2024-01-01 2024-12-31'],
    ['30d', -1, 'custom 2026-09-20 2026-10-19'],
    ['all', -1, null],
  ])('%s by %i', (range, by, expected) => expect(step(range, by)).toBe(expected));

  it('keeps the kind of chosen days', () => {
    expect(step('custom', 1, '2026-09-01', '2026-09-30')).toBe('last_month');
    expect(step('custom', -1, '2026-02-01', '2026-02-28')).toBe('custom 2026-01-01 2026-01-31');
    expect(step('custom', 1, '2026-11-05', '2026-11-09')).toBe('custom 2026-11-10 2026-11-14');
    expect(step('custom', -1, '2026-11-05', '')).toBeNull();
  });
});

describe('the query parameters', () => {
  it('have the names of the API and instants in the time zone', () => {
    expect(scopeOf(full, 'UTC', 1)).toEqual({
      account_id: ['a1', 'a2'],
      from: '2026-01-04T15:00:00.000Z',
      to: '2026-02-28T14:59:59.999999Z',
      date_basis: 'open',
      status: 'closed',
      symbol: ['ES', 'BRK/B'],
      root: ['NQ'],
      side: 'short',
      instrument_type: ['future', 'option'],
      option_right: ['put'],
      dte_min: 0,
      dte_max: 7,
      outcome: ['loss', 'breakeven'],
      pnl_min: '-100.50',
      pnl_max: '250',
      r_min: '-2',
      r_max: '3.5',
      has_r: true,
      hold_min: '60',
      hold_max: '300',
      mae_r_min: '0.5',
      mae_r_max: '2',
      mfe_r_min: '0.5',
      mfe_r_max: '2',
      exit_efficiency_min: '0.5',
      exit_efficiency_max: '2',
      atr_pct_min: '0.5',
      atr_pct_max: '2',
      gap_pct_min: '0.5',
      gap_pct_max: '2',
      relative_volume_min: '0.5',
      relative_volume_max: '2',
      opening_range_min: '0.5',
      opening_range_max: '2',
      has_excursion: true,
      weekday: [1, 5],
      hour: [14, 15],
      after_losses: 2,
      after_wins: 1,
      nth_of_day_min: 1,
      nth_of_day_max: 3,
      session: ['rth', 'overnight'],
      filter_tz: 'America/New_York',
      rule_state: ['broken'],
      rule_broken: ['r1'],
      rule_kept: ['r2'],
      rule: 'Wait, then enter',
      trade_id: ['x1', 'x2'],
      setup_id: ['s1'],
      setup_mode: 'all',
      tag_id: ['t1', 't2'],
      tag_mode: 'none',
      mistake: false,
      trade_quality: [4, 5],
      emotional_state: ['calm'],
      reviewed: false,
      has_note: true,
      has_attachment: false,
      import_batch_id: 'b1',
      q: 'gap up',
      tz: 'Asia/Tokyo',
    });
    expect(scopeOf({ ...emptyFilter, hours: ['9'] } as Filter, 'Asia/Kolkata', 1).filter_tz).toBe(
      'Asia/Kolkata',
    );
    expect(scopeOf(emptyFilter as Filter, 'UTC', 1)).toEqual({ tz: 'UTC' });
  });
});

describe('days and instants', () => {
  it('days of 23 and 25 hours', () => {
    expect(startOf('2026-03-08', 'America/New_York')).toBe('2026-03-08T05:00:00.000Z');
    expect(endOf('2026-03-08', 'America/New_York')).toBe('2026-03-09T03:59:59.999999Z');
    expect(startOf('2026-11-01', 'America/New_York')).toBe('2026-11-01T04:00:00.000Z');
    expect(endOf('2026-11-01', 'America/New_York')).toBe('2026-11-02T04:59:59.999999Z');
  });

  it('a day without midnight starts at one', () => {
    expect(startOf('2026-09-06', 'America/Santiago')).toBe('2026-09-06T04:00:00.000Z');
    expect(endOf('2026-09-05', 'America/Santiago')).toBe('2026-09-06T03:59:59.999999Z');
    expect(startOf('2026-03-29', 'Asia/Beirut')).toBe('2026-03-28T22:00:00.000Z');
    expect(startOf('2026-11-01', 'America/Havana')).toBe('2026-11-01T04:00:00.000Z'); // comes twice
  });

  it('a skipped time is moved forward', () => {
    expect(instantOf('2026-03-08', '02:30', 'America/New_York').toISOString()).toBe(
      '2026-03-08T07:30:00.000Z',
    );
  });

  it('wallClock reverses instantOf', () => {
    for (const zone of ['UTC', 'Asia/Kolkata', 'America/New_York', 'Pacific/Apia']) {
      const at = instantOf('2026-07-04', '09:30:15', zone).toISOString();
      expect(wallClock(at, zone)).toBe('2026-07-04T09:30:15');
    }
  });

  it('isDay accepts only days that exist', () => {
    expect(isDay('2024-02-29')).toBe(true);
    for (const odd of ['2026-02-29', '2026-13-01', '2026-1-1', '', 'today']) expect(isDay(odd)).toBe(false);
  });
});
