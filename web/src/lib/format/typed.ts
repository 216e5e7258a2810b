// Numbers as people type them, brought to the one form that the API reads: digits
// with a point. Nothing is guessed that could make another number of it without
// being seen: what cannot be told for sure stays as it was typed.

/** Whether a comma is what stands before the decimals where the reader lives. */
export function commaDecimals(locale: string | undefined): boolean {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  return parts.some((p) => p.type === 'decimal' && p.value === ',');
}

/** 1,5 is 1.5; 1,250.50 and 1.250,50 are 1250.50; 1,250 is what the reader's locale makes of it. */
export function tidyNumber(typed: string, commaIsDecimal: boolean): string {
  const text = typed
    .trim()
    .replace(/[\s'\u2019]/g, '')
    .replace('\u2212', '-');
  const found = /^([-+]?)([\d.,]*)$/.exec(text);
  if (!found) return text;
  const [, sign, digits] = found as unknown as [string, string, string];
  const decimal = decimalMark(digits, commaIsDecimal);
  const [whole, rest, ...more] = decimal ? digits.split(decimal) : [digits];
  const group = decimal === ',' ? '.' : decimal === '.' ? ',' : digits.includes(',') ? ',' : '.';
  if (more.length > 0 || rest?.includes(group) || !grouped(whole!, group)) return text;
  return sign + whole!.replaceAll(group, '') + (rest === undefined ? '' : `.${rest}`);
}

/** The mark before the decimals, '' when there are none. */
function decimalMark(digits: string, commaIsDecimal: boolean): string {
  const [comma, point] = [digits.lastIndexOf(','), digits.lastIndexOf('.')];
  if (comma >= 0 && point >= 0) return comma > point ? ',' : '.'; // the last of the two
  if (point >= 0) return digits.indexOf('.') === point ? '.' : '';
  if (comma < 0 || digits.indexOf(',') !== comma) return '';
  const thousands = /^[1-9]\d{0,2},\d{3}$/.test(digits);
  return thousands && !commaIsDecimal ? '' : ',';
}

function grouped(whole: string, group: string): boolean {
  if (!whole.includes(group)) return true;
  const [first, ...rest] = whole.split(group);
  return /^\d{1,3}$/.test(first!) && rest.every((part) => /^\d{3}$/.test(part));
}
