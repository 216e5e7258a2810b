import { describe, expect, it } from 'vitest';
import {
  destination,
  groupTargets,
  isQuestion,
  itemName,
  mappingNote,
  reasonName,
  targetName,
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
