import { describe, expect, it } from 'vitest';
import { exportAddress, exportName, kinds } from '../../src/screens/export/kinds';

const kind = (id: string) => kinds.find((k) => k.id === id)!;

describe('exportAddress', () => {
  it('has the format, the rows and the accounts', () => {
    expect(exportAddress(kind('json'), [])).toBe('/api/v1/exports?format=json');
    expect(exportAddress(kind('fills'), ['a', 'b'])).toBe(
      '/api/v1/exports?format=csv&rows=executions&account_id=a&account_id=b',
    );
  });
});

describe('exportName', () => {
  it('has the content, the account and the day', () => {
    expect(exportName(kind('json'), '2026-03-02')).toBe('fillbook-2026-03-02.json');
    expect(exportName(kind('csv'), '2026-03-02')).toBe('fillbook-trades-2026-03-02.csv');
    expect(exportName(kind('fills'), '2026-03-02', 'Prop / 50K')).toBe(
      'fillbook-fills-prop-50k-2026-03-02.csv',
    );
  });

  it('keeps letters of any script', () => {
    expect(exportName(kind('zip'), '2026-03-02', 'Börse 東京!')).toBe('fillbook-börse-東京-2026-03-02.zip');
  });
});
