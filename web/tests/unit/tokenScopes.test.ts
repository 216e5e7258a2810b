import { expect, test } from 'vitest';
import { parseAddresses, scopeTexts } from '../../src/lib/tokenScopes';

test('addresses are separated by commas, spaces, semicolons or lines', () => {
  expect(parseAddresses('')).toEqual([]);
  expect(parseAddresses(' , ;\n')).toEqual([]);
  expect(parseAddresses('203.0.113.7')).toEqual(['203.0.113.7']);
  expect(parseAddresses('10.0.0.0/8, 2001:db8::/32;::1\n192.0.2.1  192.0.2.2,')).toEqual([
    '10.0.0.0/8',
    '2001:db8::/32',
    '::1',
    '192.0.2.1',
    '192.0.2.2',
  ]);
});

test('every scope says in whole sentences what it can and cannot do', () => {
  for (const { label, can, cannot } of Object.values(scopeTexts)) {
    expect(label).toMatch(/^[A-Z][a-z ]+$/);
    expect(can).toMatch(/^[A-Z].*\.$/);
    expect(cannot).toMatch(/^[A-Z].*\.$/);
  }
});
