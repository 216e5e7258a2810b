// The currency that all amounts are converted into, if the user chose one.

/** Returns the accounts' currencies, those of most accounts first. */
export function currenciesOf(accounts: { base_currency: string }[] | undefined): string[] {
  const counts = new Map<string, number>();
  for (const { base_currency: code } of accounts ?? []) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([code]) => code);
}

/** Returns the choices of a currency, none if all accounts have the same one and none is chosen. */
export function currencyChoices(accounts: { base_currency: string }[] | undefined, chosen: string) {
  const own = currenciesOf(accounts);
  if (own.length < 2 && !chosen) return [];
  const codes = [...new Set([...own, ...(chosen ? [chosen] : [])])];
  return [
    { value: '', label: 'Own currencies' },
    ...codes.map((code) => ({ value: code, label: `In ${code}` })),
  ];
}

/** Returns a currency code as a preference has it; '' for any other value. */
export function validCurrency(stored: unknown): string {
  return typeof stored === 'string' && /^[A-Z0-9]{3,5}$/.test(stored) ? stored : '';
}
