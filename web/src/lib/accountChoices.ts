// What forms about accounts offer. The API takes other words as well.

export const accountTypes = [
  { value: 'cash', label: 'Cash' },
  { value: 'margin', label: 'Margin' },
  { value: 'prop', label: 'Prop firm' },
  { value: 'paper', label: 'Paper' },
  { value: 'crypto', label: 'Crypto' },
];

const codes =
  'USD EUR GBP JPY CHF AUD CAD NZD SEK NOK DKK PLN CZK HUF HKD SGD CNY INR KRW BRL MXN ZAR TRY ILS USDT USDC BTC ETH';

export const currencies = codes.split(' ').map((code) => ({ value: code, label: code, hint: nameOf(code) }));

function nameOf(code: string): string {
  try {
    const name = new Intl.DisplayNames(undefined, { type: 'currency' }).of(code);
    return name && name !== code ? name : '';
  } catch {
    return '';
  }
}
