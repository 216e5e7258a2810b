// Exact numbers. A price or an amount a person types is sent to the API as
// text, because a JavaScript number would round it. The Decimal type marks such
// text, so no other string ends up in a number's place.

declare const brand: unique symbol;

/** A number's text, with a point before the decimals. */
export type Decimal = string & { readonly [brand]: 'Decimal' };

/** Reports whether text is a number the API accepts. */
export function isDecimal(text: string): text is Decimal {
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text);
}

/** Marks what was typed into a number field as a number. The server rejects what is not a number. */
export function toDecimal(typed: string): Decimal {
  return typed.trim() as Decimal;
}

/** Is toDecimal for a field that may be empty: an empty one is null, which clears the stored value. */
export function toDecimalOrNull(typed: string): Decimal | null {
  return typed.trim() === '' ? null : toDecimal(typed);
}

/** Writes a number of the API as the value of a number field: without an exponent, '' if none. */
export function decimalText(value: number | null | undefined): string {
  if (value == null) return '';
  const text = String(value);
  const [, sign, whole, decimals = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([-+]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole! + decimals;
  const point = whole!.length + Number(exponent);
  return point > 0 ? sign + digits.padEnd(point, '0') : `${sign}0.${'0'.repeat(-point)}${digits}`;
}

/** T with a Decimal allowed wherever it has a number: a request's body. */
export type WithDecimals<T> = T extends number
  ? T | Decimal
  : T extends object
    ? { [K in keyof T]: WithDecimals<T[K]> }
    : T;
