import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../src/lib/api/client';
import { unusedText, usedTexts, zoneName } from '../../src/screens/import/labels';
import {
  addRemembered,
  findRemembered,
  matchSettings,
  missingColumn,
  readLayouts,
  toLayout,
  toRemembered,
  type Remembered,
} from '../../src/screens/import/memory';

const entry = (change: Partial<Remembered> = {}): Remembered => ({
  signature: 's1',
  name: 'fills.csv',
  at: '2026-03-02T12:00:00Z',
  zone: 'America/New_York',
  order: 'day_first',
  mapping: null,
  accounts: [{ file: '', id: 'a1', name: 'Main' }],
  ...change,
});
const preview = (change: Partial<Schemas['ImportPreview']> = {}) =>
  ({
    layout_signature: 's1',
    detected_broker: '',
    source_tz_from: 'unknown',
    date_order: 'ambiguous',
    file_account: '',
    ...change,
  }) as Schemas['ImportPreview'];
const accounts = [
  { id: 'a1', name: 'Main' },
  { id: 'a2', name: 'Prop' },
];

describe('the list of remembered layouts', () => {
  it('is read from the API and written to it', () => {
    const layout = {
      signature: 's1',
      name: 'fills.csv',
      used_at: '2026-03-02T12:00:00Z',
      source_tz: 'America/New_York',
      date_order: 'day_first',
      column_mapping: null,
      accounts: [{ file_account: '', account_id: 'a1' }],
    };
    expect(readLayouts([layout], accounts)).toEqual([entry()]);
    const { signature, used_at, ...sent } = layout;
    expect([signature, used_at]).toEqual(['s1', entry().at]);
    expect(toLayout(entry())).toEqual(sent);
    expect(toLayout(entry({ zone: '', order: '' }))).toMatchObject({ source_tz: null, date_order: null });
  });

  it('has one entry for each layout, the newest first', () => {
    const list = addRemembered([entry({ signature: 's2' }), entry()], entry({ zone: 'UTC' }));
    expect(list.map((e) => e.signature)).toEqual(['s1', 's2']);
    expect(findRemembered(list, 's1')?.zone).toBe('UTC');
    expect(findRemembered([entry({ signature: '' })], ''), 'a backup has no layout').toBeUndefined();
  });
});

describe('toRemembered', () => {
  const used = {
    file: 'fills.csv',
    at: '2026-04-01T12:00:00Z',
    account: { id: 'a2', name: 'Prop' },
    zone: 'Asia/Tokyo',
    assumedZone: 'Europe/Berlin',
    mapping: { price: 'At' },
  };

  it.each([
    ['request', 'Asia/Tokyo'],
    ['unknown', 'Europe/Berlin'],
    ['format', ''],
    ['file', 'America/New_York'],
    ['days', 'America/New_York'],
  ] as const)('a zone from %s is stored as %o', (from, zone) => {
    expect(toRemembered(preview({ source_tz_from: from }), used, entry()).zone).toBe(zone);
  });

  it('has the order that the dates were read with, or the earlier one', () => {
    expect(toRemembered(preview({ date_order: 'month_first' }), used, entry()).order).toBe('month_first');
    expect(toRemembered(preview({ date_order: '' }), used, entry()).order).toBe('day_first');
    expect(toRemembered(preview({ date_order: '' }), used, undefined).order).toBe('');
  });

  it('has all accounts of files without a name, and one for each name', () => {
    const ids = (e: Remembered) => e.accounts.map((a) => [a.file, a.id]);
    const several = toRemembered(preview(), used, entry());
    expect(ids(several)).toEqual([
      ['', 'a2'],
      ['', 'a1'],
    ]);
    expect(ids(toRemembered(preview(), used, several))).toEqual(ids(several));
    const named = toRemembered(preview({ file_account: 'U1' }), used, entry());
    const moved = toRemembered(preview({ file_account: 'U1' }), { ...used, account: accounts[0]! }, named);
    expect(ids(moved)).toEqual([
      ['U1', 'a1'],
      ['', 'a1'],
    ]);
  });
});

describe('matchSettings', () => {
  const match = (e: Partial<Remembered>, p: Partial<Schemas['ImportPreview']>) =>
    matchSettings(entry(e), preview(p), accounts);

  it('uses what the file leaves open', () => {
    expect(match({}, {})).toEqual({
      zone: 'America/New_York',
      order: 'day_first',
      account: 'a1',
      unused: [],
    });
    expect(match({}, { source_tz_from: 'format' }).zone, 'a choice beats the default').toBe(
      'America/New_York',
    );
  });

  it('does not use what the file contradicts', () => {
    expect(match({}, { source_tz_from: 'file' })).toMatchObject({ zone: '', unused: [{ what: 'zone' }] });
    expect(match({}, { date_order: 'month_first' })).toMatchObject({
      order: '',
      unused: [{ what: 'order', order: 'month_first' }],
    });
    expect(match({}, { date_order: 'day_first' })).toMatchObject({ order: '', unused: [] });
  });

  it('finds the account by its id', () => {
    const of = (...list: Remembered['accounts']) => match({ accounts: list }, {});
    expect(of({ file: '', id: 'a2', name: 'Renamed' }).account).toBe('a2');
    expect(of({ file: '', id: 'old', name: 'Gone' })).toMatchObject({
      account: '',
      unused: [{ what: 'account', why: 'gone', name: 'Gone' }],
    });
    expect(of({ file: '', id: 'a1', name: 'Main' }, { file: '', id: 'a2', name: 'Prop' })).toMatchObject({
      account: '',
      unused: [{ why: 'several' }],
    });
    const twins = [...accounts, { id: 'a3', name: 'Prop' }];
    const old = entry({ accounts: [{ file: '', id: 'old', name: 'Prop' }] });
    expect(matchSettings(old, preview(), twins).account, 'two have the name').toBe('');
  });

  it('tells accounts apart by the name in the file', () => {
    const list = [
      { file: 'U1', id: 'a1', name: 'Main' },
      { file: 'U2', id: 'a2', name: 'Prop' },
    ];
    expect(match({ accounts: list }, { file_account: 'U2' }).account).toBe('a2');
    expect(match({ accounts: list }, { file_account: 'U3' })).toMatchObject({
      account: '',
      unused: [{ what: 'account', why: 'new', name: 'U3' }],
    });
  });

  it('finds a column that is missing', () => {
    expect(missingColumn({ price: 'At', side: '=buy' }, ['At'])).toBe('');
    expect(missingColumn({ price: 'At', fees: 'Cost' }, ['At'])).toBe('Cost');
  });
});

describe('the texts', () => {
  it('name what was used', () => {
    const used = { entry: entry(), zone: true, order: true, mapping: true, account: true };
    expect(usedTexts(used, 'Main')).toEqual(['New York time', 'dates DD/MM', 'your columns', 'account Main']);
    expect(usedTexts({ ...used, zone: false, order: false, mapping: false }, 'Main')).toEqual([
      'account Main',
    ]);
    expect(['Asia/Ho_Chi_Minh', 'UTC', '+02:00'].map(zoneName)).toEqual([
      'Ho Chi Minh time',
      'UTC',
      '+02:00',
    ]);
  });

  it('say why something was not used', () => {
    expect(unusedText({ what: 'order', order: 'month_first' })).toMatch(/MM\/DD/);
    expect(unusedText({ what: 'account', why: 'new', name: 'U3' })).toMatch(/account U3/);
    expect(unusedText({ what: 'mapping', column: 'Cost' })).toMatch(/“Cost”/);
  });
});
