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

  money = (value: Amount | null | undefined, currency: string, style?: MoneyStyle) =>
    write.money(value, currency, this.notation, style);
  tiny = (value: Amount | null | undefined) => write.tiny(value, this.notation);
  price = (value: Amount | null | undefined) => write.price(value, this.notation);
  quantity = (value: Amount | null | undefined) => write.quantity(value, this.notation);
  count = (value: number | null | undefined) => write.count(value, this.notation);
  share = (value: number | null | undefined, decimals?: number) =>
    write.share(value, this.notation, decimals);
  percent = (value: Amount | null | undefined, signed?: boolean) =>
    write.percent(value, this.notation, signed);
  r = (value: Amount | null | undefined) => write.r(value, this.notation);
  decimal = (value: Amount | null | undefined) => write.decimal(value, this.notation);
  ratio = (value: Amount | null | undefined) => write.ratio(value, this.notation);
  averagePrice = (value: Amount | null | undefined) => trade.averagePrice(value, this.notation);
  tradeQuantity = (value: Amount | null | undefined) => trade.tradeQuantity(value, this.notation);
  /** An option's terms, which stay on one line. */
  contractTerms = (of: trade.Contract) => trade.contractTerms(of, this.notation).replaceAll(' ', '\u00a0');
  contractName = (of: trade.Contract) => trade.contractName(of, this.notation);
  /** Formats a count with its noun: "1 fill", "3 fills". */
  plural = (n: number, one: string, many = `${one}s`) => `${this.count(n)} ${n === 1 ? one : many}`;
  duration = write.duration;
  date = (value: string | Date | null | undefined, style?: DateStyle) =>
    write.date(value, this.notation, style);
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
  month = (month: string, style: 'short' | 'long' = 'short') => write.month(month, this.notation, style);
  /** Formats a tick of a time axis: the month for a long span, the day for a short one. */
  axisDay = (ms: number, span: number) =>
    this.date(new Date(ms), span > 300 * 86_400_000 ? 'month' : 'short');
  time = (value: string | Date | null | undefined, seconds?: boolean) =>
    write.time(value, this.notation, seconds);
  hour = (value: number) => write.hour(value, this.notation);
  dateTime = (value: string | Date | null | undefined) => write.dateTime(value, this.notation);
}

export const formats = new Formats();
