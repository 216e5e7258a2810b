// The note templates of the user, and their placeholders' values.

import { filter } from '../filter/filter.svelte';
import { endOf, startOf, type Day } from '../format/days';
import { dateLocale } from '../format/format';
import { contractTerms } from '../format/trade';
import { formats } from '../formats.svelte';
import { fillTemplate, findPlaceholders, type PlaceholderValues } from '../noteTemplates';
import { preferences } from '../preferences.svelte';
import { answer, api, type Schemas } from './client';
import { query } from './queries.svelte';

export type NoteTemplate = Schemas['NoteTemplate'];

export const readNoteTemplates = () =>
  query(() => ({
    key: ['notes', 'templates'],
    load: (signal) => answer(api.GET('/api/v1/note-templates', { signal })),
  }));

/**
 * Fills in a template for a note's days, which are of all accounts. While amounts are hidden, placeholders
 * for money stay as typed. So do those whose data can't be loaded, such as figures in several currencies.
 */
export async function fillForDays(body: string, from: Day, to: Day): Promise<string> {
  const names = findPlaceholders(body);
  const needs = (...wanted: string[]) => wanted.some((name) => names.has(name));
  const scope = { from: startOf(from, filter.timeZone), to: endOf(to, filter.timeZone) };
  const parts = await Promise.all(
    [
      daysOf(from, to),
      needs('net_pnl', 'trades', 'win_rate') ? figuresOf(scope) : {},
      needs('r') ? totalR(scope) : {},
      needs('trade_list') ? listTrades(scope) : {},
      needs('open_positions') ? listOpen() : {},
      needs('routine') ? routineOf(to) : {},
    ].map((part) => Promise.resolve(part).catch(() => ({}))),
  );
  return fillTemplate(body, Object.assign({}, ...parts) as PlaceholderValues);
}

interface Scope {
  from: string;
  to: string;
}

function daysOf(from: Day, to: Day): PlaceholderValues {
  const weekday = new Intl.DateTimeFormat(dateLocale(preferences.locale), {
    weekday: 'long',
    timeZone: 'UTC',
  });
  const date = formats.dateRange(from, to);
  return { date, weekday: weekday.format(new Date(`${from}T00:00:00Z`)) };
}

async function figuresOf(scope: Scope): Promise<PlaceholderValues> {
  const s = await answer(api.GET('/api/v1/analytics/summary', { params: { query: scope } }));
  return {
    trades: formats.count(s.total_trades),
    win_rate: s.total_trades === 0 ? '–' : formats.share(s.win_rate),
    ...(preferences.hideAmounts ? {} : { net_pnl: formats.money(s.net_pnl, s.currency, { signed: true }) }),
  };
}

async function totalR(scope: Scope): Promise<PlaceholderValues> {
  const r = await answer(api.GET('/api/v1/analytics/r', { params: { query: scope } }));
  return { r: r.trades_with_r === 0 ? '–' : formats.r(r.total_r) };
}

function describe(t: Schemas['Trade']): string {
  const terms = contractTerms(t, formats.notation);
  return [t.symbol, terms, t.direction].filter(Boolean).join(' ');
}

async function listTrades(scope: Scope): Promise<PlaceholderValues> {
  const query = { ...scope, status: 'closed' as const, limit: 100 };
  const trades = await answer(api.GET('/api/v1/trades', { params: { query } }));
  const line = (t: Schemas['Trade']) =>
    preferences.hideAmounts
      ? `- ${describe(t)}`
      : `- ${describe(t)}: ${formats.money(t.net_pnl, t.pnl_currency, { signed: true })}`;
  return { trade_list: trades.length === 0 ? 'No closed trades.' : trades.reverse().map(line).join('\n') };
}

async function listOpen(): Promise<PlaceholderValues> {
  const query = { status: 'open' as const, limit: 100 };
  const trades = await answer(api.GET('/api/v1/trades', { params: { query } }));
  const line = (t: Schemas['Trade']) =>
    `- ${describe(t)} ${formats.tradeQuantity(t.qty_remaining)} at ${formats.averagePrice(t.avg_entry_price)}` +
    (t.stop_price === null ? ', no stop' : `, stop ${formats.price(t.stop_price)}`);
  return { open_positions: trades.length === 0 ? 'No open positions.' : trades.map(line).join('\n') };
}

async function routineOf(day: Day): Promise<PlaceholderValues> {
  const routine = await answer(api.GET('/api/v1/routines/day/{day}', { params: { path: { day } } }));
  const line = (item: { done: boolean; title: string }) => `- [${item.done ? 'x' : ' '}] ${item.title}`;
  return { routine: routine.total === 0 ? 'No routine.' : routine.items.map(line).join('\n') };
}
