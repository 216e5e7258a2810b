// How the page writes numbers, days and times. Amounts arrive exact and are
// only ever written, never added up: a figure that a screen needs is a figure
// that the API gives. Everything here is a plain function of what it is given;
// lib/formats.svelte.ts ties it to the preferences of the reader.

export type Amount = number | string;

export interface Notation {
  locale: string | undefined; // of the browser when undefined
  timeZone: string;
  hideAmounts: boolean;
}

/** Stands where there is no value, so that columns keep their rhythm. */
export const nothing = '–';

/** Stands for an amount that the reader has hidden. */
export const hidden = '•••';

const minus = '\u2212';

const cache = new Map<string, Intl.NumberFormat>();

function numberFormat(locale: string | undefined, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = (locale ?? '') + JSON.stringify(options);
  let found = cache.get(key);
  if (!found) {
    found = new Intl.NumberFormat(locale, options);
    cache.set(key, found);
  }
  return found;
}

// Intl takes exact decimal text, though the types of the language lag behind.
function write(format: Intl.NumberFormat, value: Amount): string {
  return format.format(value as number).replace('-', minus);
}

/** -1, 0 or 1, read from the text where it is text. */
export function signOf(value: Amount | null | undefined): -1 | 0 | 1 {
  if (value === null || value === undefined || value === '') return 0;
  const number = Number(value);
  return number > 0 ? 1 : number < 0 ? -1 : 0;
}

export interface MoneyStyle {
  /** Show + as well. Results do, balances and prices do not. */
  signed?: boolean;
  /** Without cents, or as 12.3K, for axes and calendars. */
  short?: 'whole' | 'compact';
}

/** An amount of money. Codes that Intl does not know, such as USDT, stand behind the number. */
export function money(
  value: Amount | null | undefined,
  currency: string,
  n: Notation,
  style: MoneyStyle = {},
): string {
  if (value === null || value === undefined || value === '') return nothing;
  if (n.hideAmounts) return hidden;
  const known = /^[A-Z]{3}$/.test(currency);
  const options: Intl.NumberFormatOptions = {
    ...(known ? { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } : {}),
    signDisplay: style.signed ? 'exceptZero' : 'negative',
    ...digits(style, known),
  };
  const text = write(numberFormat(n.locale, options), value);
  return known || currency === '' ? text : `${text}\u00a0${currency}`;
}

/** How many decimals an amount of a currency is written with. */
export function currencyDecimals(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 8;
  return numberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function digits(style: MoneyStyle, known: boolean): Intl.NumberFormatOptions {
  if (style.short === 'compact')
    return { notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 1 };
  if (style.short === 'whole') return { minimumFractionDigits: 0, maximumFractionDigits: 0 };
  return known ? {} : { minimumFractionDigits: 2, maximumFractionDigits: 8 };
}

/** A result where there is room for six characters: no currency, no cents, +843 or −1.23M. The letters are
    the same everywhere: some languages have long ones, and a number that lost its "thousand" is another. */
export function tiny(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  if (n.hideAmounts) return hidden;
  const short = Math.abs(Number(value)) >= 1000;
  const text = write(
    numberFormat('en', {
      signDisplay: 'exceptZero',
      ...(short ? { notation: 'compact', maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 }),
    }),
    value,
  );
  const mark = numberFormat(n.locale, {})
    .formatToParts(1.5)
    .find((p) => p.type === 'decimal');
  return short ? text.replace('.', mark?.value ?? '.') : text;
}

/** A price: as many decimals as it has, at least two, never an invented one. */
export function price(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  return write(numberFormat(n.locale, { minimumFractionDigits: 2, maximumFractionDigits: 12 }), value);
}

export function quantity(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  return write(numberFormat(n.locale, { maximumFractionDigits: 18 }), value);
}

export function count(value: number | null | undefined, n: Notation): string {
  if (value === null || value === undefined) return nothing;
  return write(numberFormat(n.locale, { maximumFractionDigits: 0 }), value);
}

/** A share between 0 and 1, such as a win rate. */
export function share(value: number | null | undefined, n: Notation, decimals = 1): string {
  if (value === null || value === undefined) return nothing;
  const options = {
    style: 'percent',
    maximumFractionDigits: decimals,
    minimumFractionDigits: decimals,
  } as const;
  return write(numberFormat(n.locale, options), value);
}

/** A value that is percent already, such as return_pct. */
export function percent(value: Amount | null | undefined, n: Notation, signed = false): string {
  if (value === null || value === undefined || value === '') return nothing;
  const options: Intl.NumberFormatOptions = {
    style: 'unit',
    unit: 'percent',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    signDisplay: signed ? 'exceptZero' : 'negative',
  };
  return write(numberFormat(n.locale, options), value);
}

/** A multiple of the risk: +1.50 R. */
export function r(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  const options = { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: 'exceptZero' } as const;
  return `${write(numberFormat(n.locale, options), value)}\u00a0R`;
}

/** A number with the decimals that it has, for the edges of bins. */
export function decimal(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  return write(numberFormat(n.locale, { maximumFractionDigits: 6 }), value);
}

/** A plain ratio, such as a profit factor; null means that it has no bound. */
export function ratio(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  return write(numberFormat(n.locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }), value);
}

const units: [string, number][] = [
  ['d', 86400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

/** A length of time in its two largest units: 2 d 4 h, 3 min 12 s. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return nothing;
  let rest = Math.round(Math.abs(seconds));
  const first = units.findIndex(([, size]) => rest >= size);
  if (first < 0) return '0 s';
  const parts: string[] = [];
  for (const [name, size] of units.slice(first, first + 2)) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(`${n}\u00a0${name}`);
  }
  return parts.join(' ');
}

function dateFormat(n: Notation, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(n.locale, { timeZone: n.timeZone, ...options });
}

export type DateStyle = 'month' | 'short' | 'medium' | 'long' | 'weekday';

const dateStyles: Record<DateStyle, Intl.DateTimeFormatOptions> = {
  month: { month: 'short', year: 'numeric' },
  short: { day: '2-digit', month: 'short' },
  medium: { day: '2-digit', month: 'short', year: 'numeric' },
  long: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  weekday: { weekday: 'short', day: '2-digit', month: 'short' },
};

/** A day (YYYY-MM-DD), which has no zone, or an instant in the zone of the reader. */
export function date(
  value: string | Date | null | undefined,
  n: Notation,
  style: DateStyle = 'medium',
): string {
  const at = parse(value);
  if (!at) return nothing;
  const isDay = typeof value === 'string' && value.length === 10;
  return dateFormat(isDay ? { ...n, timeZone: 'UTC' } : n, dateStyles[style]).format(at);
}

/** A month (YYYY-MM) with its year: Mar 2026, or March 2026. */
export function month(value: string, n: Notation, style: 'short' | 'long' = 'short'): string {
  const options = { month: style, year: 'numeric' } as const;
  return dateFormat({ ...n, timeZone: 'UTC' }, options).format(new Date(`${value}-01T00:00:00Z`));
}

export function time(value: string | Date | null | undefined, n: Notation, seconds = false): string {
  const at = parse(value);
  if (!at) return nothing;
  return dateFormat(n, {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
  }).format(at);
}

export function dateTime(value: string | Date | null | undefined, n: Notation): string {
  return parse(value) ? `${date(value, n)} ${time(value, n)}` : nothing;
}

function parse(value: string | Date | null | undefined): Date | null {
  if (!value) return null;
  const at = value instanceof Date ? value : new Date(value);
  return Number.isNaN(at.getTime()) ? null : at;
}
