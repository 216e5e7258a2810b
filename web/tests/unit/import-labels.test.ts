import { describe, expect, it } from 'vitest';
import {
  groupTargets,
  ignoresMapping,
  isCurrencyWarning,
  itemName,
  noteText,
  parseWarning,
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

describe('parseWarning', () => {
  it('drops the sentence about the form field and names the setting', () => {
    expect(parseWarning('Times were read as UTC. Send source_tz to change it.')).toEqual({
      text: 'Times were read as UTC.',
      about: 'zone',
    });
    expect(parseWarning('Dates were read day first, e.g. 5.3.2026. Send date_order if not.')).toEqual({
      text: 'Dates were read day first, e.g. 5.3.2026.',
      about: 'order',
    });
  });

  it('keeps a warning that needs no answer', () => {
    const text = 'Row 3 has no fees.';
    expect(parseWarning(text)).toEqual({ text, about: null });
  });

  it('keeps a warning that is only about a form field', () => {
    expect(parseWarning('column_mapping is required')).toEqual({
      text: 'column_mapping is required',
      about: 'mapping',
    });
  });
});

describe('notes and reasons', () => {
  it('are written for the page', () => {
    expect(noteText('Name the columns first; the rest follows.')).toBe(
      'Match the columns first; the rest follows.',
    );
    expect(ignoresMapping('This format is known, so column_mapping is ignored')).toBe(true);
    expect(ignoresMapping('Check the columns')).toBe(false);
    expect(isCurrencyWarning('The file is in EUR; amounts were taken as they are')).toBe(true);
    expect(reasonName('duplicate')).toBe('Already imported');
    expect(reasonName('cancelled order')).toBe('Cancelled order');
    expect(itemName('closed_pnl')).toBe('Closed P&L');
    expect(itemName('other_income')).toBe('Other income');
  });
});
