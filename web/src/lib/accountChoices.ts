// The account types and currencies that forms offer. The API accepts other values as well.

export const accountTypes = [
  { value: 'cash', label: 'Cash' },
  { value: 'margin', label: 'Margin' },
  { value: 'prop', label: 'Prop firm' },
  { value: 'paper', label: 'Paper' },
  { value: 'crypto', label: 'Crypto' },
];

export function accountTypeLabel(type: string): string {
  return accountTypes.find((t) => t.value === type)?.label ?? type;
}

/** Returns a broker's name; the demo account has none. */
export function brokerLabel(broker: string): string {
  return broker === 'Made up by Fillbook' ? 'Sample data' : broker;
}

const codes =
  'USD EUR GBP JPY CHF AUD CAD NZD SEK NOK DKK PLN CZK HUF HKD SGD CNY INR KRW BRL MXN ZAR TRY ILS USDT USDC BTC ETH';

export const currencies = codes
  .split(' ')
  .map((code) => ({ value: code, label: code, hint: currencyName(code) }));

function currencyName(code: string): string {
  try {
    const name = new Intl.DisplayNames('en', { type: 'currency' }).of(code);
    return name && name !== code ? name : '';
  } catch {
    return '';
  }
}
