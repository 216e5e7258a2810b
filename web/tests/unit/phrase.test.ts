import { describe, expect, it } from 'vitest';
import { describeFilter, describeHours } from '../../src/lib/filter/describe';
import { emptyFilter, type Filter } from '../../src/lib/filter/filter';
import { applyTerms, parsePhrase } from '../../src/lib/filter/phrase';
import { suggest } from '../../src/lib/filter/suggest';
import type { Journal } from '../../src/lib/filter/terms';
import { parseHold } from '../../src/lib/filter/timeWords';

const journal: Journal = {
  roots: ['NQ', 'MNQ', 'AAPL', 'ON'],
  symbols: ['NQZ6', 'NQH7', 'MNQZ6', 'AAPL', 'ON'],
  setups: [
    { id: 's1', name: 'Opening drive' },
    { id: 's2', name: 'Short squeeze' },
    { id: 's3', name: 'Pullback to the 20 EMA' },
  ],
  tags: [
    { id: 't1', name: 'FOMO' },
    { id: 't2', name: 'Gap up' },
    { id: 't3', name: 'Gap down' },
  ],
  rules: ['Wait for the retest', 'Small size'],
  accounts: [{ id: 'a1', name: 'Futures live' }],
  signs: { decimal: '.', group: ',' },
  hour: (hour) => `${hour}:00`,
  period: ({ from, to }) => `${from}..${to}`,
  today: '2026-11-18', // a Wednesday
  weekStart: 1,
  lastTradingDay: '2026-11-16',
};
const empty = emptyFilter as Filter;
const words = {
  name: (id: string) => ({ s1: 'Opening drive', s2: 'Short squeeze', t1: 'FOMO' })[id] ?? id,
  number: (n: string) => n,
  hour: (hour: number) => `${hour}:00`,
};

/** Returns the filter a text makes, without what is empty. */
function read(text: string, now: Filter = empty) {
  return applyTerms(now, parsePhrase(text, journal).terms);
}
const unknown = (text: string) => parsePhrase(text, journal).unknown;
const sentence = (f: Partial<Filter>) =>
  describeFilter({ ...empty, ...f }, words)
    .map((part) => part.text)
    .join(' ');
const afternoon = Array.from({ length: 10 }, (_, i) => String(14 + i));

describe('a typed phrase', () => {
  it('holds several conditions', () => {
    const filter = read('all losing NQ shorts on Fridays after 14:00 with setup opening drive');
    expect(filter).toEqual({
      outcomes: ['loss'],
      roots: ['NQ'],
      side: 'short',
      weekdays: ['5'],
      hours: afternoon,
      setups: ['s1'],
    });
    expect(sentence(filter)).toBe('Losing shorts in NQ on Fridays after 14:00 with setup Opening drive');
  });

  it.each<[string, Partial<Filter>]>([
    ['nq', { roots: ['NQ'] }],
    ['symbol nq', { symbols: ['NQ'] }],
    ['NQZ6', { symbols: ['NQZ6'] }],
    ['fri', { weekdays: ['5'] }],
    ['tues thursdays', { weekdays: ['2', '4'] }],
    ['14:00', { hours: afternoon }],
    ['2pm', { hours: afternoon }],
    ['after 2 PM', { hours: afternoon }],
    ['before 2am', { hours: ['0', '1'] }],
    ["after 14 o'clock", { hours: afternoon }],
    ['between 9 and 11am', { hours: ['9', '10'] }],
    ['at 10am', { hours: ['10'] }],
    ['from 9:00 to 11:00', { hours: ['9', '10'] }],
    ['9:00-11:00', { hours: ['9', '10'] }],
    ['r > 2', { rMin: '2' }],
    ['r>=2 r<3.5', { rMin: '2', rMax: '3.5' }],
    ['pnl < -100', { pnlMax: '-100' }],
    ['P&L > 1,250.50', { pnlMin: '1250.50' }],
    ['hold < 5m', { holdMax: '300' }],
    ['held over 2 h', { holdMin: '7200' }],
    ['dte <= 7', { dteMax: '7' }],
    ['0dte puts', { dteMin: '0', dteMax: '0', rights: ['put'] }],
    ['grade >= 4', { grades: ['4', '5'] }],
    ['graded 2 or 3', { grades: ['2', '3'] }],
    ['rth', { sessions: ['rth'] }],
    ['after hours', { sessions: ['afterhours'] }],
    ['short squeeze', { setups: ['s2'] }],
    ['without tag fomo', { tags: ['t1'], tagMode: 'none' }],
    ['fomo', { tags: ['t1'] }],
    ['futures live', { accounts: ['a1'] }],
    ['futures', { types: ['future'] }],
    ['no setup', { setups: [], setupMode: 'none' }],
    ['without mistakes', { mistake: 'false' }],
    ['has note with a screenshot', { hasNote: 'true', hasAttachment: 'true' }],
    ['broke a rule', { ruleStates: ['broken'], rule: '' }],
    ['followed small size', { ruleStates: ['followed'], rule: 'Small size' }],
    [
      'shorts that broke wait for the retest',
      { side: 'short', ruleStates: ['broken'], rule: 'Wait for the retest' },
    ],
    ['feeling calm', { emotions: ['calm'] }],
    ['shorts on fridays', { side: 'short', weekdays: ['5'] }],
    ['shorts ON', { side: 'short', roots: ['ON'] }],
    ['losing "gap fill"', { outcomes: ['loss'], q: 'gap fill' }],
    ['mentioning gap', { q: 'gap' }],
    ['pullback losers', { outcomes: ['loss'], setups: ['s3'] }],
    ['20 ema', { setups: ['s3'] }],
    ['setup pull', { setups: ['s3'] }],
    ['held over 1 hour', { holdMin: '3600' }],
    ['held for more than an hour', { holdMin: '3600' }],
    ['under 5 min', { holdMax: '300' }],
    ['losers held less than 90 seconds', { outcomes: ['loss'], holdMax: '90' }],
    ['held 5 to 30 min', { holdMin: '300', holdMax: '1800' }],
    ['held between 1h and 2h', { holdMin: '3600', holdMax: '7200' }],
    ['over 2r', { rMin: '2' }],
    ['at least 1.5 R', { rMin: '1.5' }],
    ['no mistakes', { mistake: 'false' }],
    ['after 2 losses', { afterLosses: '2' }],
    ['after two straight losses', { afterLosses: '2' }],
    ['after a loss', { afterLosses: '1' }],
    ['after a win', { afterWins: '1' }],
    ['after 3 wins in a row', { afterWins: '3' }],
    ['after a losing trade', { afterLosses: '1' }],
    ['first trade of the day', { nthMin: '1', nthMax: '1' }],
    ['the first trade', { nthMin: '1', nthMax: '1' }],
    ['third or later', { nthMin: '3', nthMax: '' }],
    ['3rd trade of the day or later', { nthMin: '3', nthMax: '' }],
    ['2nd to 4th trade', { nthMin: '2', nthMax: '4' }],
    ['first two trades', { nthMin: '', nthMax: '2' }],
    [
      'Friday losers in NQ after two losses',
      { weekdays: ['5'], outcomes: ['loss'], roots: ['NQ'], afterLosses: '2' },
    ],
  ])('%s', (text, filter) => expect(read(text)).toEqual(filter));

  const custom = (from: string, to: string) => ({ range: 'custom', from, to });
  const named = (range: string) => ({ range, from: '', to: '' });
  it.each<[string, object]>([
    ['today', named('today')],
    ['yesterday', named('yesterday')],
    ['last trading day', custom('2026-11-16', '2026-11-16')],
    ['this week', named('week')],
    ['last week', named('last_week')],
    ['this month', named('month')],
    ['last month', named('last_month')],
    ['this quarter', named('quarter')],
    ['last quarter', named('last_quarter')],
    ['this year', named('ytd')],
    ['year to date', named('ytd')],
    ['ytd', named('ytd')],
    ['last year', named('last_year')],
    ['last 30 days', named('30d')],
    ['last 10 days', custom('2026-11-09', '2026-11-18')],
    ['past two weeks', custom('2026-11-05', '2026-11-18')],
    ['last 3 months', custom('2026-08-19', '2026-11-18')],
    ['since monday', custom('2026-11-16', '')],
    ['since wed', custom('2026-11-18', '')],
    ['last friday', custom('2026-11-13', '2026-11-13')],
    ['in march', custom('2026-03-01', '2026-03-31')],
    ['december', custom('2025-12-01', '2025-12-31')],
    ['march 2024', custom('2024-03-01', '2024-03-31')],
    ['since march', custom('2026-03-01', '')],
    ['nov 11', custom('2026-11-11', '2026-11-11')],
    ['11 nov 2025', custom('2025-11-11', '2025-11-11')],
    ['nov 30th', custom('2025-11-30', '2025-11-30')],
    ['2026-11-11', custom('2026-11-11', '2026-11-11')],
    ['2024', custom('2024-01-01', '2024-12-31')],
    ['2025', named('last_year')],
    ['q1', custom('2026-01-01', '2026-03-31')],
    ['q4 2025', custom('2025-10-01', '2025-12-31')],
    ['before march', custom('', '2026-02-28')],
    ['after nov 11', custom('2026-11-12', '')],
    ['until 2026-06-30', custom('', '2026-06-30')],
    ['from jan 5 to feb 3', custom('2026-01-05', '2026-02-03')],
    ['losing nq last month', { outcomes: ['loss'], roots: ['NQ'], ...named('last_month') }],
  ])('dates: %s', (text, filter) => {
    expect(read(text)).toEqual(filter);
    expect(unknown(text)).toEqual([]);
  });

  it.each<[string, Partial<Filter>, string[]]>([
    ['losing gap fill', { outcomes: ['loss'] }, ['gap', 'fill']], // gap may be two tags
    ['zebra', {}, ['zebra']],
    ['after 14', {}, ['after 14']], // not a time without a colon, am or pm
    ['nq before 2', { roots: ['NQ'] }, ['before 2']],
    ['after 9:30', {}, ['after 9:30']], // whole hours only
    ['not friday', {}, ['not friday']], // never the opposite
    ['losing except on friday', { outcomes: ['loss'] }, ['except on friday']],
    ['held over 5', {}, ['held over 5']],
    ['over 500', {}, ['over 500']],
    ['hold 5', {}, ['hold 5']],
    ['nov 31', {}, ['nov 31']],
    ['last 0 days', {}, ['last 0 days']],
    ['after 0 losses', {}, ['after 0 losses']],
    ['after 30 losses', {}, ['after 30 losses']],
    ['first', {}, ['first']],
    ['fat finger losers on monday', { outcomes: ['loss'], weekdays: ['1'] }, ['fat finger']],
  ])('not understood: %s', (text, filter, words) => {
    const reading = parsePhrase(text, journal);
    expect(applyTerms(empty, reading.terms)).toEqual(filter);
    expect(reading.unknown).toEqual(words);
  });

  it('offers a choice of names that begin alike', () => {
    const { choices } = parsePhrase('losing gap', journal);
    expect(choices).toHaveLength(1);
    expect(choices[0]!.options.map((o) => o.label)).toEqual(['Gap up', 'Gap down']);
    expect(suggest('losing gap', journal).slice(0, 3)).toMatchObject([
      { label: 'Losing', unknown: ['gap'] },
      { label: 'Losing · Gap up', unknown: [] },
      { label: 'Losing · Gap down', unknown: [] },
    ]);
  });

  it('drops no word, wherever it stands', () => {
    const known = [
      ...['losing', 'nq', 'friday', 'after', '2', 'losses', 'not', 'held', 'over', '1', 'hour', 'last'],
      ...['month', 'pullback', 'r', '>', '14:00', 'since', 'march', 'the', 'first', 'no', 'or', 'trade'],
    ];
    const strange = ['zebra', 'yak', 'lynx'];
    let seed = 1;
    const next = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
    for (let i = 0; i < 500; i++) {
      const typed = Array.from({ length: next(6) }, () => known[next(known.length)]!);
      for (const word of strange) typed.splice(next(typed.length + 1), 0, word);
      const { unknown, terms } = parsePhrase(typed.join(' '), journal);
      const shown = unknown.join(' ').split(' ');
      for (const word of strange) expect(shown, typed.join(' ')).toContain(word);
      if (terms.length === 0)
        for (const word of typed.filter((w) => !['the', 'trade', '>'].includes(w)))
          expect(shown, typed.join(' ')).toContain(word);
    }
  });

  it('never searches notes by itself', () => {
    for (const text of ['zebra', 'losing zebra', 'wait for it', 'nq after 2', 'last zebra'])
      expect(parsePhrase(text, journal).terms.some((t) => t.kind === 'Notes')).toBe(false);
  });

  it('adds to what is there', () => {
    expect(read('monday', { ...empty, weekdays: ['5'] })).toEqual({ weekdays: ['5', '1'] });
    expect(read('"gap"', { ...empty, q: 'late' })).toEqual({ q: 'late gap' });
    expect(read('fomo', { ...empty, tags: ['t2'], tagMode: 'none' })).toEqual({
      tags: ['t1'],
      tagMode: 'any',
    });
  });

  it('decimal commas', () => {
    const german: Journal = { ...journal, signs: { decimal: ',', group: '.' } };
    expect(applyTerms(empty, parsePhrase('r > 1,5', german).terms)).toEqual({ rMin: '1.5' });
    expect(applyTerms(empty, parsePhrase('pnl > 1.250', german).terms)).toEqual({ pnlMin: '1250' });
    expect(suggest('r > 1.5', german)[0]).toMatchObject({ label: '≥ 1,5 R' });
  });

  it('holding times', () => {
    expect(['90s', '5', '1.5h', '2 d', 'x'].map(parseHold)).toEqual(['90', '300', '5400', '172800', '']);
  });
});

describe('suggestions', () => {
  const first = (text: string) => suggest(text, journal).map((s) => `${s.kind} ${s.label}`);

  it('offers roots and symbols', () => {
    expect(first('nq')).toEqual([
      'Root NQ',
      'Symbol NQZ6',
      'Symbol NQH7',
      'Notes Search notes for “nq”',
      'Symbol NQ',
    ]);
  });

  it('completes words, names and unknown symbols', () => {
    expect(first('fri')[0]).toBe('Weekday Friday');
    expect(first('loss')[0]).toBe('Outcome Losing');
    expect(first('drive')[0]).toBe('Setup Opening drive');
    expect(first('zzz')).toEqual([
      'Not understood zzz',
      'Notes Search notes for “zzz”',
      'Root ZZZ',
      'Symbol ZZZ',
    ]);
  });

  it('writes hours as the user does', () => {
    const american = { ...journal, hour: (hour: number) => `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}` };
    const label = (text: string) => suggest(text, american)[0]!.label;
    expect(label('after 14:00')).toBe('After 2 PM');
    expect(label('9:00-11:00')).toBe('From 9 AM to 11 AM');
    expect(label('before 2 pm')).toBe('Before 2 PM');
    expect(label('afternoon')).toBe('After noon');
  });

  it('offers a phrase as a whole', () => {
    expect(first('losing shorts')[0]).toBe('All of these Losing · Short');
    expect(first('').length).toBeGreaterThan(5);
  });
});

describe('the filter in words', () => {
  it.each<[Partial<Filter>, string]>([
    [{}, ''],
    [{ outcomes: ['loss'] }, 'Losing trades'],
    [{ status: 'closed', side: 'long', types: ['option'] }, 'Closed long options'],
    [{ outcomes: ['win', 'breakeven'], rights: ['put'] }, 'Winning or breakeven puts'],
    [{ reviewed: 'false', symbols: ['AAPL', 'MSFT'] }, 'Unreviewed trades in symbol AAPL or MSFT'],
    [{ setups: ['s1', 's2'], setupMode: 'all' }, 'With setups Opening drive and Short squeeze'],
    [{ tags: ['t1'], tagMode: 'none', hasNote: 'false' }, 'Without tag FOMO without a note'],
    [{ setupMode: 'none' }, 'Without a setup'],
    [{ pnlMin: '-100', pnlMax: '100', rMin: '2' }, 'With P&L of -100 to 100 with 2 R or more'],
    [{ holdMax: '300', dteMin: '0', dteMax: '0' }, 'Held 5\u00a0min or less expiring the same day'],
    [{ grades: ['4', '5'], mistake: 'true', q: 'gap' }, 'With a mistake graded 4 or 5 mentioning “gap”'],
    [{ side: 'short', ruleStates: ['broken'] }, 'Shorts that broke a rule'],
    [{ ruleStates: ['followed', 'broken'], rule: 'Wait' }, 'That followed or broke “Wait”'],
    [
      { outcomes: ['loss'], afterLosses: '2', nthMin: '3' },
      'Losing trades after 2 losses third or later of the day',
    ],
    [{ side: 'long', afterWins: '1', nthMax: '1' }, 'Longs after a win first trade of the day'],
    [{ ruleStates: ['not_applicable'] }, 'To which a rule did not apply'],
    [{ rule: 'Wait', trades: ['a', 'b'] }, 'With an answer to “Wait” 2 selected trades'],
    [
      { sessions: ['premarket', 'overnight'], tz: 'America/New_York' },
      'In pre-market or overnight in America/New York time',
    ],
  ])('%o', (filter, text) => expect(sentence(filter)).toBe(text));

  it('hours', () => {
    const hours = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
    const text = (of: string[]) => describeHours(of, words.hour);
    expect(text(hours(0, 9))).toBe('before 10:00');
    expect(text(['9'])).toBe('from 9:00 to 10:00');
    expect(text(['15', '9'])).toBe('at 9:00 or 15:00');
    expect(text(hours(0, 23))).toBe('at any hour');
  });

  it('a part clears itself', () => {
    const full = { ...empty, setups: ['s1'], setupMode: 'all' as const, rMin: '1', rMax: '2' };
    const cleared = describeFilter(full, words).reduce(
      (f, part) => ({ ...f, ...part.clear }),
      full as Filter,
    );
    expect(cleared).toEqual(empty);
  });
});
