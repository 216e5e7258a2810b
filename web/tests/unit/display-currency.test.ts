import { describe, expect, it } from 'vitest';
import { currenciesOf, currencyChoices, validCurrency } from '../../src/lib/displayCurrency';

const accounts = (...codes: string[]) => codes.map((base_currency) => ({ base_currency }));

describe('the display currency', () => {
  it('lists the currencies of most accounts first', () => {
    expect(currenciesOf(accounts('USD', 'EUR', 'CHF', 'EUR'))).toEqual(['EUR', 'CHF', 'USD']);
    expect(currenciesOf(undefined)).toEqual([]);
  });

  it('offers no choice with one currency, unless another one is chosen', () => {
    expect(currencyChoices(accounts('USD', 'USD'), '')).toEqual([]);
    expect(currencyChoices(accounts('USD'), 'EUR').map((c) => c.value)).toEqual(['', 'USD', 'EUR']);
    expect(currencyChoices(accounts('USD', 'EUR'), 'EUR').map((c) => c.value)).toEqual(['', 'EUR', 'USD']);
  });

  it('ignores a preference that is no currency', () => {
    expect(validCurrency('EUR')).toBe('EUR');
    for (const bad of [null, 7, 'eur', 'E', 'EUROPE']) expect(validCurrency(bad)).toBe('');
  });
});
