// The formatters with the user's preferences applied. They read reactive state, so
// that the page changes as soon as a preference does.
//
//   {formats.money(trade.net_pnl, trade.pnl_currency, { signed: true })}

import { filter } from './filter/filter.svelte';
import * as write from './format/format';
import * as trade from './format/trade';
import type { Amount, DateStyle, MoneyStyle, Notation } from './format/format';
import { preferences } from './preferences.svelte';

class Formats {
  readonly notation: Notation = $derived({
    locale: preferences.locale,
    timeZone: filter.timeZone,
    hideAmounts: preferences.hideAmounts,
  });

  // While it writes a file, values are as programs read them.
  #isPlain = false;

  /** Calls make with plain values: 1234.5 for money, 0.25 for a share, seconds for a duration, ISO dates and times. */
  asPlain<T>(make: () => T): T {
    this.#isPlain = true;
    try {
      return make();
    } finally {
      this.#isPlain = false;
    }
  }

  #write<V extends Amount | Date | null | undefined>(value: V, text: (value: V) => string): string {
    return this.#isPlain ? write.plain(value) : text(value);
  }
  #amount = (value: Amount | null | undefined, text: (value: Amount | null | undefined) => string) =>
    this.notation.hideAmounts ? text(value) : this.#write(value, text);

  money = (value: Amount | null | undefined, currency: string, style?: MoneyStyle) =>
    this.#amount(value, (v) => write.money(v, currency, this.notation, style));
  tiny = (value: Amount | null | undefined) => this.#amount(value, (v) => write.tiny(v, this.notation));
  price = (value: Amount | null | undefined) => this.#write(value, (v) => write.price(v, this.notation));
  quantity = (value: Amount | null | undefined) =>
    this.#write(value, (v) => write.quantity(v, this.notation));
  count = (value: number | null | undefined) => this.#write(value, (v) => write.count(v, this.notation));
  share = (value: number | null | undefined, decimals?: number) =>
    this.#write(value, (v) => write.share(v, this.notation, decimals));
  percent = (value: Amount | null | undefined, signed?: boolean) =>
    this.#write(value, (v) => write.percent(v, this.notation, signed));
  r = (value: Amount | null | undefined) => this.#write(value, (v) => write.r(v, this.notation));
  decimal = (value: Amount | null | undefined) => this.#write(value, (v) => write.decimal(v, this.notation));
  ratio = (value: Amount | null | undefined) => this.#write(value, (v) => write.ratio(v, this.notation));
  averagePrice = (value: Amount | null | undefined) => trade.averagePrice(value, this.notation);
  tradeQuantity = (value: Amount | null | undefined) => trade.tradeQuantity(value, this.notation);
  /** An option's terms, which stay on one line. */
  contractTerms = (of: trade.Contract) => trade.contractTerms(of, this.notation).replaceAll(' ', '\u00a0');
  contractName = (of: trade.Contract) => trade.contractName(of, this.notation);
  /** Formats a count with its noun: "1 fill", "3 fills". */
  plural = (n: number, one: string, many = `${one}s`) => `${this.count(n)} ${n === 1 ? one : many}`;
  duration = (seconds: number | null | undefined) => this.#write(seconds, write.duration);
  date = (value: string | Date | null | undefined, style?: DateStyle) =>
    this.#write(value, (v) => write.date(v, this.notation, style));
  /** Formats a date, without the year if it is this one. */
  recentDate = (value: string | Date | null | undefined) =>
    this.#write(value, (v) => write.recentDate(v, this.notation));
  dateRange = (from: string, to: string) => write.dateRange(from, to, this.notation);
  /** Formats a range of days of which either end may be open. */
  period = ({ from, to }: { from: string; to: string }) =>
    from && to
      ? this.dateRange(from, to)
      : from
        ? `since ${this.date(from)}`
        : to
          ? `until ${this.date(to)}`
          : 'all time';
  /** A month (YYYY-MM) with its year. */
  month = (month: string, style: 'short' | 'long' = 'short') =>
    this.#write(month, (m) => write.month(m, this.notation, style));
  /** Formats a tick of a time axis: the month for a long span, the day for a short one. */
  axisDay = (ms: number, span: number) =>
    this.date(new Date(ms), span > 300 * 86_400_000 ? 'month' : 'short');
  time = (value: string | Date | null | undefined, seconds?: boolean) =>
    write.time(value, this.notation, seconds);
  hour = (value: number) => write.hour(value, this.notation);
  dateTime = (value: string | Date | null | undefined) =>
    this.#write(value, (v) => write.dateTime(v, this.notation));
}

export const formats = new Formats();
