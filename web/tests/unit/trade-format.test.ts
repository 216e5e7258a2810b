import { describe, expect, it } from 'vitest';
import { lastDayOf } from '../../src/lib/format/days';
import { month, type Notation } from '../../src/lib/format/format';
import { averagePrice, contractName, contractTerms, tradeQuantity } from '../../src/lib/format/trade';

const notation: Notation = { locale: 'en-US', timeZone: 'America/New_York', hideAmounts: false };
const german: Notation = { ...notation, locale: 'de-DE' };
const stock = { symbol: 'AAPL', option_right: null, strike: null, expiry: null };
const put = { symbol: 'AAPL', option_right: 'put', strike: 255, expiry: '2026-12-18' };

describe('contractTerms and contractName', () => {
  it('add nothing to a stock', () => {
    expect(contractTerms(stock, notation)).toBe('');
    expect(contractName(stock, notation)).toBe('AAPL');
  });

  it('show strike, right and expiry of an option', () => {
    expect(contractTerms(put, notation)).toBe('255P Dec 18');
    expect(contractName(put, notation)).toBe('AAPL 255 put Dec 18');
    expect(contractTerms({ ...put, strike: 5872.5 }, german)).toBe('5872,5P 18 Dec');
  });

  it('omit what an option does not state', () => {
    expect(contractTerms({ ...put, strike: null, expiry: null }, notation)).toBe('P');
    expect(contractName({ ...put, expiry: null }, notation)).toBe('AAPL 255 put');
  });
});

describe('averagePrice', () => {
  it('limits decimals by the size of the price', () => {
    expect(averagePrice('1234.56789', notation)).toBe('1,234.57');
    expect(averagePrice('12.3456789', notation)).toBe('12.3457');
    expect(averagePrice('0.123456789', notation)).toBe('0.12346');
    expect(averagePrice('0.000012345678912', notation)).toBe('0.0000123457');
  });

  it('has at least two decimals and the separators of the locale', () => {
    expect(averagePrice(1250, german)).toBe('1.250,00');
    expect(averagePrice(-5, notation)).toBe('\u22125.00');
  });

  it('shows a dash for a missing price', () => {
    expect(averagePrice(null, notation)).toBe('–');
    expect(averagePrice(undefined, notation)).toBe('–');
  });
});

describe('tradeQuantity', () => {
  it('is hidden together with amounts', () => {
    expect(tradeQuantity(1500, notation)).toBe('1,500');
    expect(tradeQuantity(1500, { ...notation, hideAmounts: true })).toBe('•••');
    expect(tradeQuantity(null, { ...notation, hideAmounts: true })).toBe('–');
  });
});

describe('months', () => {
  it('are written without a shift by the time zone', () => {
    expect(month('2026-03', notation)).toBe('Mar 2026');
    expect(month('2026-03', german, 'long')).toBe('March 2026');
  });

  it('end on their last day', () => {
    expect(lastDayOf('2026-02')).toBe('2026-02-28');
    expect(lastDayOf('2024-02')).toBe('2024-02-29');
    expect(lastDayOf('2026-12')).toBe('2026-12-31');
  });
});
