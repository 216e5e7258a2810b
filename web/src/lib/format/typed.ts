// Converts numbers as people type them to the form that the API reads: digits with
// a decimal point. Ambiguous input stays as it was typed, so that the user sees and
// corrects it instead of saving another number by accident.

/** Reports whether the locale writes a comma before the decimals. */
export function hasDecimalComma(locale: string | undefined): boolean {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  return parts.some((p) => p.type === 'decimal' && p.value === ',');
}

/**
 * Removes group separators and writes a decimal point: 1,5 becomes 1.5, 1,250.50 and 1.250,50 become 1250.50.
 * The meaning of 1,250 depends on commaIsDecimal.
 */
export function normalizeNumber(typed: string, commaIsDecimal: boolean): string {
  const text = typed
    .trim()
    .replace(/[\s'\u2019]/g, '')
    .replace('\u2212', '-');
  const found = /^([-+]?)([\d.,]*)$/.exec(text);
  if (!found) return text;
  const [, sign, digits] = found as unknown as [string, string, string];
  const decimal = findDecimalSeparator(digits, commaIsDecimal);
  const [whole, rest, ...more] = decimal ? digits.split(decimal) : [digits];
  const group = decimal === ',' ? '.' : decimal === '.' ? ',' : digits.includes(',') ? ',' : '.';
  if (more.length > 0 || rest?.includes(group) || !isGrouped(whole!, group)) return text;
  return sign + whole!.replaceAll(group, '') + (rest === undefined ? '' : `.${rest}`);
}

/** Returns the decimal separator, '' if the number has no decimals. */
function findDecimalSeparator(digits: string, commaIsDecimal: boolean): string {
  const [comma, point] = [digits.lastIndexOf(','), digits.lastIndexOf('.')];
  if (comma >= 0 && point >= 0) return comma > point ? ',' : '.'; // the last of the two
  if (point >= 0) return digits.indexOf('.') === point ? '.' : '';
  if (comma < 0 || digits.indexOf(',') !== comma) return '';
  const thousands = /^[1-9]\d{0,2},\d{3}$/.test(digits);
  return thousands && !commaIsDecimal ? '' : ',';
}

/** Reports whether the separators split the digits into groups of three. */
function isGrouped(whole: string, group: string): boolean {
  if (!whole.includes(group)) return true;
  const [first, ...rest] = whole.split(group);
  return /^\d{1,3}$/.test(first!) && rest.every((part) => /^\d{3}$/.test(part));
}
