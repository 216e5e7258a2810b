// Formats numbers, days and times. Amounts are exact and are only formatted, never
// added up: every figure comes from the API. These are pure functions;
// lib/formats.svelte.ts applies the user's preferences.

export type Amount = number | string;

export interface Notation {
  locale: string | undefined; // undefined for that of the browser
  timeZone: string;
  hideAmounts: boolean;
}

/** Shown in place of a missing value. */
export const nothing = '–';

/** Shown in place of a hidden amount. */
export const hidden = '•••';

const minus = '\u2212';

/** Returns a function that remembers its results: Intl objects are slow to create. */
function remember<Options, Result>(create: (locale: string | undefined, options?: Options) => Result) {
  const cache = new Map<string, Result>();
  return (locale: string | undefined, options?: Options): Result => {
    const key = `${locale} ${JSON.stringify(options)}`;
    if (!cache.has(key)) cache.set(key, create(locale, options));
    return cache.get(key)!;
  };
}

const numberFormat = remember<Intl.NumberFormatOptions, Intl.NumberFormat>(
  (locale, options) => new Intl.NumberFormat(locale, options),
);

// Intl formats decimal text exactly; TypeScript's types do not allow it yet.
function write(format: Intl.NumberFormat, value: Amount): string {
  return format.format(value as number).replace('-', minus);
}

/** Returns an amount's sign: -1, 0 or 1. */
export function signOf(value: Amount | null | undefined, decimals?: number): -1 | 0 | 1 {
  if (value === null || value === undefined || value === '') return 0;
  const number = decimals === undefined ? Number(value) : Number(Number(value).toFixed(decimals));
  return number > 0 ? 1 : number < 0 ? -1 : 0;
}

/** Writes a value for a program, without notation; '' if it is missing. */
export function plain(value: Amount | Date | null | undefined): string {
  if (value === null || value === undefined) return '';
  return value instanceof Date ? value.toISOString() : String(value);
}

export interface MoneyStyle {
  /** Show + as well. Results do, balances and prices do not. */
  signed?: boolean;
  /** Without cents, or as 12.3K, for axes and calendars. */
  short?: 'whole' | 'compact';
}

/** Formats an amount of money. A code that Intl does not know, such as USDT, follows the number. */
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
  const format = numberFormat(n.locale, options);
  const text = style.short === 'compact' ? compact(format, value) : write(format, value);
  return known || currency === '' ? text : `${text}\u00a0${currency}`;
}

/** Formats a number with an English suffix, as in 12.35K: the page is in English, whatever the number's notation. */
function compact(format: Intl.NumberFormat, value: Amount): string {
  const english = numberFormat('en', { notation: 'compact', maximumFractionDigits: 2, useGrouping: false });
  const parts = english.formatToParts(Number(value));
  const suffix = parts.find((part) => part.type === 'compact')?.value ?? '';
  const digits = parts.filter((part) => part.type !== 'compact').map((part) => part.value);
  const shown = format.formatToParts(Number(digits.join('')));
  const last = shown.findLastIndex((part) => part.type === 'integer' || part.type === 'fraction');
  return shown
    .map((part, i) => part.value + (i === last ? suffix : ''))
    .join('')
    .replace('-', minus);
}

/** Returns the number of decimals of a currency. */
export function currencyDecimals(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 8;
  return numberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function digits(style: MoneyStyle, known: boolean): Intl.NumberFormatOptions {
  if (style.short === 'compact') return { minimumFractionDigits: 0, maximumFractionDigits: 2 };
  if (style.short === 'whole') return { minimumFractionDigits: 0, maximumFractionDigits: 0 };
  return known ? {} : { minimumFractionDigits: 2, maximumFractionDigits: 8 };
}

/**
 * Formats a result in at most six characters: no currency, no cents, +843 or −1.23M. The suffixes are the English
 * ones in every locale: those of other languages may be too long, and a cut off suffix changes the number.
 */
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
  const separator = numberFormat(n.locale, {})
    .formatToParts(1.5)
    .find((p) => p.type === 'decimal');
  return short ? text.replace('.', separator?.value ?? '.') : text;
}

/** Formats a price with all of its decimals, at least two. */
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

/** Formats a share between 0 and 1, such as a win rate, as percent. */
export function share(value: number | null | undefined, n: Notation, decimals = 1): string {
  if (value === null || value === undefined) return nothing;
  const options = {
    style: 'percent',
    maximumFractionDigits: decimals,
    minimumFractionDigits: decimals,
  } as const;
  return write(numberFormat(n.locale, options), value);
}

/** Formats a value that is already in percent, such as return_pct. */
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

/** Formats an R multiple: +1.50 R. */
export function r(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  const options = { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: 'exceptZero' } as const;
  return `${write(numberFormat(n.locale, options), value)}\u00a0R`;
}

/** Formats a number with its own decimals, for the edges of bins. */
export function decimal(value: Amount | null | undefined, n: Notation): string {
  if (value === null || value === undefined || value === '') return nothing;
  return write(numberFormat(n.locale, { maximumFractionDigits: 6 }), value);
}

/** Formats a ratio, such as a profit factor. */
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

/** Formats a duration in its two largest units: 2 d 4 h, 3 min 12 s. */
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

/** Returns the English locale with a locale's order of day and month: names of months and days are English. */
export const dateLocale = remember((locale) => {
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const own = format.resolvedOptions().locale;
  if (own.startsWith('en')) return own;
  const first = format.formatToParts(0).find((part) => part.type === 'day' || part.type === 'month');
  return first?.type === 'day' ? 'en-150' : 'en-US';
});

/** Reports whether a locale counts hours up to 12: these have no leading zero. */
const hasTwelveHours = remember(
  (locale) => new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 === true,
);

const dateTimeFormat = remember<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>((locale, options) => {
  const hourCycle = hasTwelveHours(locale) ? 'h12' : 'h23';
  return new Intl.DateTimeFormat(dateLocale(locale), { hourCycle, ...options });
});

function dateFormat(n: Notation, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return dateTimeFormat(n.locale, { timeZone: n.timeZone, ...options });
}

export type DateStyle = 'year' | 'month' | 'short' | 'medium' | 'long' | 'weekday';

const dateStyles: Record<DateStyle, Intl.DateTimeFormatOptions> = {
  year: { year: 'numeric' },
  month: { month: 'short', year: 'numeric' },
  short: { day: 'numeric', month: 'short' },
  medium: { day: 'numeric', month: 'short', year: 'numeric' },
  long: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
};

/** Formats a day (YYYY-MM-DD), which has no time zone, or an instant in the user's time zone. */
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

/** Formats a day or an instant, without the year if it is this year's. */
export function recentDate(
  value: string | Date | null | undefined,
  n: Notation,
  now: string | Date = new Date(),
): string {
  return date(value, n, date(value, n, 'year') === date(now, n, 'year') ? 'short' : 'medium');
}

/** Formats a range of days (YYYY-MM-DD), with what they share only once: Nov 15 – 21, 2026. */
export function dateRange(from: string, to: string, n: Notation): string {
  const [first, last] = [parse(from), parse(to)];
  if (!first || !last) return nothing;
  return dateFormat({ ...n, timeZone: 'UTC' }, dateStyles.medium).formatRange(first, last);
}

/** Formats a month (YYYY-MM) with its year: Mar 2026, or March 2026. */
export function month(value: string, n: Notation, style: 'short' | 'long' = 'short'): string {
  const options = { month: style, year: 'numeric' } as const;
  return dateFormat({ ...n, timeZone: 'UTC' }, options).format(new Date(`${value}-01T00:00:00Z`));
}

export function time(value: string | Date | null | undefined, n: Notation, seconds = false): string {
  const at = parse(value);
  if (!at) return nothing;
  return dateFormat(n, {
    hour: hasTwelveHours(n.locale) ? 'numeric' : '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
  })
    .format(at)
    .replace(/\s/g, '\u00a0'); // 12:10 PM stays on one line
}

/** Formats an hour of the day: 14:00, or 2 PM in a locale that counts hours up to 12. */
export function hour(value: number, n: Notation): string {
  const at = new Date(Date.UTC(2023, 0, 1, value));
  const options: Intl.DateTimeFormatOptions = hasTwelveHours(n.locale)
    ? { hour: 'numeric' }
    : { hour: '2-digit', minute: '2-digit' };
  return dateFormat({ ...n, timeZone: 'UTC' }, options).format(at);
}

export function dateTime(value: string | Date | null | undefined, n: Notation): string {
  return parse(value) ? `${date(value, n)} ${time(value, n)}` : nothing;
}

function parse(value: string | Date | null | undefined): Date | null {
  if (!value) return null;
  const at = value instanceof Date ? value : new Date(value);
  return Number.isNaN(at.getTime()) ? null : at;
}
