import { describe, expect, it } from 'vitest';
import { exportAddress, exportName, kinds, type Kind } from '../../src/screens/export/kinds';
import { periodQuery, taxYear, taxYearName, taxYears } from '../../src/screens/export/periods';

const kind = (id: string) => kinds.find((k) => k.id === id)!;
const name = (id: string, day: string, account?: string) =>
  exportName(kind(id), kind(id).format, day, account);
const address = (id: string, accounts: string[], period = {}, format: Kind['format'] = kind(id).format) =>
  exportAddress({ kind: kind(id), format, accounts, period });

describe('exportAddress', () => {
  it('has the format, the rows, the accounts and the period', () => {
    expect(address('json', [], { from: 'x' })).toBe('/api/v1/exports?format=json'); // a backup has no period
    expect(address('fills', ['a', 'b'])).toBe(
      '/api/v1/exports?format=csv&rows=executions&account_id=a&account_id=b',
    );
    expect(address('gains', [], { from: '2025-01-01' }, 'xlsx')).toBe(
      '/api/v1/exports?format=xlsx&rows=realized-gains&from=2025-01-01',
    );
  });
});

describe('exportName', () => {
  it('has the content, the account and the day', () => {
    expect(name('json', '2026-03-02')).toBe('fillbook-2026-03-02.json');
    expect(name('csv', '2026-03-02')).toBe('fillbook-trades-2026-03-02.csv');
    expect(name('fills', '2026-03-02', 'Prop / 50K')).toBe('fillbook-fills-prop-50k-2026-03-02.csv');
    expect(name('gains', '2025')).toBe('fillbook-realized-gains-2025.csv');
  });

  it('keeps letters of any script', () => {
    expect(name('zip', '2026-03-02', 'Börse 東京!')).toBe('fillbook-börse-東京-2026-03-02.zip');
  });
});

describe('tax years', () => {
  it('start on the chosen day', () => {
    expect(taxYear(2025, '01-01')).toEqual({ from: '2025-01-01', to: '2025-12-31' });
    expect(taxYear(2023, '03-01')).toEqual({ from: '2023-03-01', to: '2024-02-29' });
    expect(taxYearName(2025, '01-01')).toBe('2025');
    expect(taxYearName(1999, '04-06')).toBe('1999/00');
  });

  it('reach from the first trade to today', () => {
    expect(taxYears('2024-04-05', '2026-04-06', '04-06')).toEqual([2026, 2025, 2024, 2023]);
    expect(taxYears('2026-01-01', '2026-01-01', '01-01')).toEqual([2026]);
  });

  it('are cut in the time zone of the user', () => {
    expect(periodQuery(taxYear(2025, '01-01'), 'America/New_York')).toEqual({
      from: '2025-01-01T05:00:00.000Z',
      to: '2026-01-01T04:59:59.999999Z',
    });
    expect(periodQuery({ from: '', to: '' }, 'UTC')).toEqual({});
  });
});
