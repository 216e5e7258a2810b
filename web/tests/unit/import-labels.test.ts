import { describe, expect, it } from 'vitest';
import {
  destination,
  groupTargets,
  isQuestion,
  itemName,
  mappingNote,
  reasonName,
  targetName,
  zoneHint,
} from '../../src/screens/import/labels';

describe('targetName', () => {
  it('prefers the label of the preview', () => {
    const targets = [{ name: 'fees', label: 'Exchange fees', required: false }] as never[];
    expect(targetName('fees', targets)).toBe('Exchange fees');
    expect(targetName('fees')).toBe('Fees');
    expect(targetName('net_pnl')).toBe('Net P&L');
    expect(targetName('open_price')).toBe('Open price');
  });
});

describe('groupTargets', () => {
  it('separates fills, trades and annotations, without empty groups', () => {
    const targets = ['symbol', 'open_price', 'notes', 'brand_new'].map((name) => ({ name, label: name }));
    const groups = groupTargets(targets as never[]);
    expect(groups.map((g) => [g.title, g.targets.map((t) => t.name)])).toEqual([
      ['Fills', ['symbol', 'brand_new']],
      ['One row per trade', ['open_price']],
      ['Annotations', ['notes']],
    ]);
    expect(groupTargets([]).length).toBe(0);
  });
});

describe('isQuestion', () => {
  it.each([
    ['time_zone_unknown', true],
    ['date_order_unknown', true],
    ['mapping_ignored', true],
    ['currency_not_converted', false],
    ['', false],
  ] as const)('%j: %s', (code, asks) => {
    expect(isQuestion({ code, text: 'Read as UTC.', field: '' })).toBe(asks);
  });
});

describe('zoneHint', () => {
  it.each([
    ['unknown', 'request', 'Asia/Tokyo', 'Your time zone (the file doesn’t state one)'],
    ['unknown', 'settings', 'Asia/Tokyo', 'Your time zone (the file doesn’t state one)'],
    ['unknown', 'market', 'America/Chicago', 'The exchange’s time zone (the file doesn’t state one)'],
    ['unknown', 'utc', 'UTC', 'UTC (the file doesn’t state one)'],
    ['days', 'settings', 'Asia/Tokyo', 'Your time zone (the file has only dates)'],
    ['days', 'utc', '', 'No time zone needed: the file has only dates.'],
    ['file', '', 'UTC-06:00', 'From the file'],
    ['file', '', '', 'No time zone needed: each time in this file has its own.'],
    ['format', '', 'Europe/Athens', 'Default for this broker'],
    ['request', '', 'Asia/Tokyo', 'Chosen by you'],
    ['', '', 'UTC', 'Match the columns first; the time zone shows when the times are read.'],
  ] as const)('%s, %s, %s', (source_tz_from, default_tz_from, suggested_source_tz, hint) => {
    expect(zoneHint({ source_tz_from, default_tz_from, suggested_source_tz })).toBe(hint);
  });
});

describe('destination', () => {
  const name = (id: string) => `account ${id}`;
  const p = { source: 'csv', account_id: 'a1', pending_account: null, journal_summary: null } as const;
  const several = {
    ...p,
    source: 'backup',
    account_id: '',
    journal_summary: { accounts: 2 } as never,
  } as const;
  it.each([
    [p, 'account a1'],
    [{ ...p, source: 'backup' } as const, 'account a1'],
    [{ ...p, source: 'backup', pending_account: { name: 'Prop' } as never } as const, 'Prop'],
    [several, '2 accounts'],
    [{ ...several, journal_summary: null }, 'your journal'],
  ])('%o: %s', (preview, text) => {
    expect(destination(preview, name)).toBe(text);
  });
});

describe('mappingNote', () => {
  it('says why columns can’t be changed or have to be matched', () => {
    const p = { source: 'csv', accepts_column_mapping: true, suggested_mapping: { price: 'At' } } as const;
    expect(mappingNote(p)).toBe('');
    expect(mappingNote({ ...p, suggested_mapping: {} })).toContain('Match the columns');
    expect(mappingNote({ ...p, accepts_column_mapping: false })).toContain('can’t be changed');
    expect(mappingNote({ ...p, source: 'backup', accepts_column_mapping: false })).toBe('');
  });
});

describe('reasons and items', () => {
  it('are written for the page', () => {
    expect(reasonName('duplicate')).toBe('Already imported');
    expect(reasonName('cancelled order')).toBe('Cancelled order');
    expect(itemName('closed_pnl')).toBe('Closed P&L');
    expect(itemName('other_income')).toBe('Other income');
  });
});
