// Converts numbers as people type them to the form the API reads, which is
// digits with a decimal point, and back. Ambiguous input stays as it was typed, so
// that the user sees and corrects it instead of saving another number by accident.

import { isDecimal } from './decimal';

/** The signs a locale puts between a number's digits. */
export interface NumberSigns {
  decimal: '.' | ',';
  group: string;
}

/** Returns a locale's signs; those of the browser's locale if it is undefined. */
export function numberSigns(locale: string | undefined): NumberSigns {
  const parts = new Intl.NumberFormat(locale).formatToParts(1234567.5);
  const sign = (type: string) => parts.find((p) => p.type === type)?.value ?? '';
  return { decimal: sign('decimal') === ',' ? ',' : '.', group: sign('group') };
}

// Follows a number that can be read in two ways. The API refuses it, so such a number is never saved.
const ambiguousMark = '?';

/**
 * Removes group separators and writes a decimal point: 1,5 becomes 1.5, 1,250.50 and 1.250,50 become 1250.50.
 * The meaning of 1,250 and 1.250 depends on the locale. One it leaves open gets a mark, which isDecimal and the
 * API refuse.
 */
export function normalizeNumber(typed: string, signs: NumberSigns): string {
  const text = typed
    .trim()
    .replace(/[\s'\u2019]/g, '')
    .replace('\u2212', '-');
  const found = /^([-+]?)([\d.,]*)$/.exec(text);
  if (!found) return text;
  const [, sign, digits] = found as unknown as [string, string, string];
  if (isAmbiguous(digits, signs)) return text + ambiguousMark;
  const decimal = findDecimalSeparator(digits, signs);
  const [whole, rest, ...more] = decimal ? digits.split(decimal) : [digits];
  const group = decimal === ',' ? '.' : decimal === '.' ? ',' : digits.includes(',') ? ',' : '.';
  if (more.length > 0 || rest?.includes(group) || !isGrouped(whole!, group)) return text;
  return sign + whole!.replaceAll(group, '') + (rest === undefined ? '' : `.${rest}`);
}

/** Writes a number of the API, or what was typed in its place, as a field shows it: 1.5 is 1,5 in German. */
export function showNumber(value: string, signs: NumberSigns): string {
  return isDecimal(value) ? value.replace('.', signs.decimal) : withoutMark(value);
}

/** Returns the two numbers an ambiguous text may mean, as a field shows them; null for any other text. */
export function findReadings(value: string, signs: NumberSigns): [string, string] | null {
  if (!value.endsWith(ambiguousMark)) return null;
  const text = withoutMark(value);
  return [text.replace(/[.,]/, ''), text.replace(/[.,]/, signs.decimal)];
}

function withoutMark(text: string): string {
  return text.endsWith(ambiguousMark) ? text.slice(0, -ambiguousMark.length) : text;
}

/** Reports whether digits are one to three, a separator and three more, as in 1,250 or 1.085. */
function looksGrouped(digits: string): boolean {
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits);
}

/**
 * Reports whether digits can be read in two ways. A point may be a group separator in German, or that of a price
 * which was copied from a trading platform. A comma may be either in a locale that does not use it, such as de-CH.
 */
function isAmbiguous(digits: string, signs: NumberSigns): boolean {
  if (!looksGrouped(digits) || digits.includes(signs.decimal)) return false;
  return digits.includes('.') ? signs.group === '.' : signs.group !== ',';
}

/** Returns the decimal separator, '' if the number has no decimals. */
function findDecimalSeparator(digits: string, signs: NumberSigns): string {
  const [comma, point] = [digits.lastIndexOf(','), digits.lastIndexOf('.')];
  if (comma >= 0 && point >= 0) return comma > point ? ',' : '.'; // the last of the two
  if (point >= 0) return digits.indexOf('.') === point ? '.' : '';
  if (comma < 0 || digits.indexOf(',') !== comma) return '';
  return looksGrouped(digits) && signs.decimal !== ',' ? '' : ',';
}

/** Reports whether the separators split the digits into groups of three. */
function isGrouped(whole: string, group: string): boolean {
  if (!whole.includes(group)) return true;
  const [first, ...rest] = whole.split(group);
  return /^\d{1,3}$/.test(first!) && rest.every((part) => /^\d{3}$/.test(part));
}
