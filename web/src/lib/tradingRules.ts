// The words for trading rules and goals: names of kinds, and rules as sentences.

import type { Schemas } from './api/client';
import { decimalText, toDecimal } from './format/decimal';
import { formats } from './formats.svelte';

export type TradingRule = Schemas['TradingRule'];
export type RuleKind = TradingRule['kind'];
export type RuleParams = Schemas['Params'];
export type Goal = Schemas['Goal'];

/** A parameter as the form asks for it. */
export interface ParamField {
  name: keyof RuleParams & string;
  label: string;
  type: 'count' | 'number' | 'percent' | 'time' | 'setups' | 'tags' | 'text' | 'unit';
  optional?: boolean;
  hint?: string;
}

export interface KindInfo {
  label: string;
  params: ParamField[];
  oneOf?: boolean; // a rule has one of the parameters
}

const n = (label: string): ParamField => ({ name: 'n', label, type: 'count' });
const unit: ParamField = {
  name: 'unit',
  label: 'Count',
  type: 'unit',
  optional: true,
  hint: 'Strategies you accepted or made yourself count as one each.',
};
const amount: ParamField = { name: 'amount', label: 'Amount', type: 'number' };

/** The kinds in the order of the form, the most common ones first. */
export const ruleKinds: Record<RuleKind, KindInfo> = {
  max_daily_loss: { label: 'Daily loss limit', params: [amount] },
  max_trades: { label: 'Trades a day', params: [n('Trades'), unit] },
  stop_after_losses: { label: 'Stop after losses in a row', params: [n('Losses in a row'), unit] },
  max_losses: { label: 'Losses a day', params: [n('Losses'), unit] },
  stop_at_profit: { label: 'Stop at a profit', params: [amount] },
  give_back: {
    label: 'Stop after giving back profit',
    params: [
      {
        name: 'share',
        label: 'Percent of the day’s peak',
        type: 'percent',
      },
      { name: 'min_peak', label: 'Only after a peak of', type: 'number', optional: true },
    ],
  },
  cool_down: {
    label: 'Pause after a loss',
    params: [
      { name: 'minutes', label: 'Minutes', type: 'number' },
      { name: 'n', label: 'After losses in a row', type: 'count', optional: true },
      unit,
    ],
  },
  no_trading: {
    label: 'No trading at times',
    params: [
      { name: 'before', label: 'Before', type: 'time', optional: true },
      { name: 'after', label: 'From', type: 'time', optional: true },
      { name: 'between', label: 'Between', type: 'text', optional: true, hint: 'Such as 11:30-13:00.' },
    ],
  },
  max_size: {
    label: 'Largest position',
    params: [
      { name: 'quantity', label: 'Quantity', type: 'number' },
      { name: 'notional', label: 'Notional value', type: 'number' },
      { name: 'risk', label: 'Initial risk', type: 'number' },
      { name: 'equity_pct', label: 'Percent of equity', type: 'number' },
    ],
    oneOf: true,
  },
  max_open: { label: 'Open trades', params: [n('Trades'), unit] },
  max_open_risk: { label: 'Open risk', params: [amount] },
  only_setups: {
    label: 'Only some setups',
    params: [{ name: 'setup_ids', label: 'Setups', type: 'setups' }],
  },
  avoid_setups: { label: 'Avoid setups', params: [{ name: 'setup_ids', label: 'Setups', type: 'setups' }] },
  avoid_tags: { label: 'Avoid tags', params: [{ name: 'tag_ids', label: 'Tags', type: 'tags' }] },
  only_symbols: {
    label: 'Only some symbols',
    params: [{ name: 'symbols', label: 'Symbols', type: 'text', hint: 'Separated by commas.' }],
  },
  min_reward_risk: {
    label: 'Reward for the risk',
    params: [{ name: 'ratio', label: 'Reward / risk', type: 'number' }],
  },
  stop_set: { label: 'Stop set', params: [] },
  no_adding_to_losers: { label: 'No adding to losers', params: [] },
  review_by: { label: 'Review in time', params: [{ name: 'hours', label: 'Hours', type: 'number' }] },
};

/** What a rule's text needs besides its parameters. */
export interface RuleWords {
  currency?: string;
  nameOf?: (id: string) => string | undefined; // the name of a setup or tag
}

/** Returns a rule's name: the user's, or the rule as a sentence. */
export const nameRule = (
  rule: Pick<TradingRule, 'kind' | 'name' | 'params'>,
  words: RuleWords = {},
): string => rule.name ?? describeRule(rule, words);

/** Returns a rule as a sentence. */
export function describeRule(
  { kind, params: p }: Pick<TradingRule, 'kind' | 'params'>,
  words: RuleWords = {},
): string {
  const money = (value: number | null | undefined) => formats.money(value ?? 0, words.currency ?? '');
  const names = (ids: string[] | undefined, noun: string) => {
    const known = (ids ?? []).map((id) => words.nameOf?.(id)).filter((name) => name !== undefined);
    return known.length > 0 ? known.join(', ') : formats.plural(ids?.length ?? 0, noun);
  };
  const n = p.n ?? 1;
  const [one, many] = p.unit === 'strategy' ? ['strategy', 'strategies'] : ['trade', 'trades'];
  const counted = p.unit === 'strategy' ? ', counted in strategies' : '';
  switch (kind) {
    case 'max_daily_loss':
      return `Lose at most ${money(p.amount)} a day`;
    case 'max_trades':
      return `At most ${formats.plural(n, one, many)} a day`;
    case 'stop_after_losses':
      return `Stop after ${n === 1 ? 'a loss' : `${formats.count(n)} losses in a row`}${counted}`;
    case 'max_losses':
      return `At most ${formats.plural(n, 'loss', 'losses')} a day${counted}`;
    case 'stop_at_profit':
      return `Stop at a profit of ${money(p.amount)} a day`;
    case 'give_back':
      return `Stop after giving back ${formats.share(p.share ?? 0)} of the day’s peak`;
    case 'cool_down':
      return `Pause ${formats.plural(p.minutes ?? 0, 'minute')} after ${n === 1 ? 'a loss' : `${formats.count(n)} losses in a row`}${counted}`;
    case 'no_trading':
      return `No trading${describeTimes(p)}`;
    case 'max_size':
      return `Position of at most ${describeSize(p, money)}`;
    case 'max_open':
      return `At most ${formats.plural(n, `open ${one}`, `open ${many}`)}`;
    case 'max_open_risk':
      return `Open risk of at most ${money(p.amount)}`;
    case 'only_setups':
      return `Only ${names(p.setup_ids, 'setup')}`;
    case 'avoid_setups':
      return `Never ${names(p.setup_ids, 'setup')}`;
    case 'avoid_tags':
      return `Never tagged ${names(p.tag_ids, 'tag')}`;
    case 'only_symbols':
      return `Only ${(p.symbols ?? []).join(', ')}`;
    case 'min_reward_risk':
      return `Reward of at least ${formats.ratio(p.ratio ?? 0)} times the risk`;
    case 'stop_set':
      return 'Always set a stop';
    case 'no_adding_to_losers':
      return 'No adding to losers';
    case 'review_by':
      return `Review within ${formats.plural(p.hours ?? 0, 'hour')}`;
  }
}

function describeTimes(p: RuleParams): string {
  const parts = [
    ...(p.before ? [`before ${p.before}`] : []),
    ...(p.between ?? []).map((range) => range.replace('-', ' to ')),
    ...(p.after ? [`from ${p.after}`] : []),
  ];
  return parts.length > 0 ? ` ${parts.join(', ')}` : ' on these days';
}

function describeSize(p: RuleParams, money: (value: number) => string): string {
  if (p.notional) return money(p.notional);
  if (p.risk) return `${money(p.risk)} risk`;
  if (p.equity_pct) return `${formats.share(p.equity_pct / 100)} of equity`;
  return formats.quantity(p.quantity ?? 0);
}

/** Whether results can be recomputed with the rule enforced. */
export const canEnforce = (kind: RuleKind) => kind !== 'no_adding_to_losers' && kind !== 'review_by';

/** Whether a limit's numbers are money. */
export const isMoneyKind = (kind: RuleKind) =>
  kind === 'max_daily_loss' || kind === 'stop_at_profit' || kind === 'max_open_risk';

const metricNames: Record<Goal['metric'], string> = {
  net_pnl: 'Net P&L',
  r: 'Result in R',
  win_rate: 'Win rate',
  profit_factor: 'Profit factor',
  trades: 'Trades',
  reviewed: 'Trades reviewed',
  days_kept: 'Days that keep a rule',
};

const limitNames: Partial<Record<Goal['metric'], string>> = {
  net_pnl: 'Loss limit',
  r: 'Loss limit in R',
  trades: 'Trade limit',
};

/** Returns a goal's name by its metric and period. */
export const describeGoal = ({ kind, metric, period }: Pick<Goal, 'kind' | 'metric' | 'period'>): string =>
  `${(kind === 'limit' && limitNames[metric]) || metricNames[metric]} per ${period}`;

export const paceNames = { ahead: 'Ahead', on: 'On pace', behind: 'Behind', done: 'Done', missed: 'Missed' };

/** Whether a metric's value is a share. */
export const isShare = (metric: Goal['metric']) =>
  metric === 'win_rate' || metric === 'reviewed' || metric === 'days_kept';

/** Writes a share as a percentage's text for a field, and back, without rounding. */
export const shareToPercent = (share: number) => movePoint(decimalText(share), 2);
export const percentToShare = (percent: string) => toDecimal(movePoint(percent.trim(), -2));

function movePoint(text: string, by: number): string {
  const match = /^(\d*)\.?(\d*)$/.exec(text);
  if (text === '' || !match) return text;
  const digits = `00${match[1]}${match[2]}00`;
  const point = 2 + match[1]!.length + by;
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const decimals = digits.slice(point).replace(/0+$/, '');
  return decimals ? `${whole || '0'}.${decimals}` : whole || '0';
}
