// The figures of a summary: what they are called and how they are written. The
// API says how each came about; this only puts words to its names.

import { formats } from '../../lib/formats.svelte';
import { currencyDecimals, type Amount } from '../../lib/format/format';

export type Kind = 'result' | 'money' | 'bulk' | 'share' | 'percent' | 'ratio' | 'count' | 'duration' | 'r';

interface Words {
  label: string;
  kind: Kind;
}

const words = {
  total_trades: { label: 'Trades', kind: 'count' },
  wins: { label: 'Wins', kind: 'count' },
  losses: { label: 'Losses', kind: 'count' },
  breakeven: { label: 'Breakeven', kind: 'count' },
  win_rate: { label: 'Win rate', kind: 'share' },
  net_pnl: { label: 'Net P&L', kind: 'result' },
  gross_pnl: { label: 'Gross P&L', kind: 'result' },
  total_fees: { label: 'Fees', kind: 'money' },
  gross_profit: { label: 'Gross profit', kind: 'money' },
  gross_loss: { label: 'Gross loss', kind: 'money' },
  profit_factor: { label: 'Profit factor', kind: 'ratio' },
  payoff_ratio: { label: 'Average win over loss', kind: 'ratio' },
  avg_win: { label: 'Average win', kind: 'money' },
  avg_loss: { label: 'Average loss', kind: 'money' },
  avg_trade: { label: 'Average trade', kind: 'result' },
  expectancy: { label: 'Expectancy', kind: 'result' },
  median_win: { label: 'Median win', kind: 'money' },
  median_loss: { label: 'Median loss', kind: 'money' },
  median_trade: { label: 'Median trade', kind: 'result' },
  largest_win: { label: 'Largest win', kind: 'money' },
  largest_loss: { label: 'Largest loss', kind: 'money' },
  kelly_pct: { label: 'Kelly share', kind: 'percent' },
  sqn: { label: 'System quality', kind: 'ratio' },
  std_dev: { label: 'Standard deviation', kind: 'money' },
  sharpe: { label: 'Sharpe ratio', kind: 'ratio' },
  sortino: { label: 'Sortino ratio', kind: 'ratio' },
  max_drawdown: { label: 'Max drawdown', kind: 'money' },
  max_drawdown_pct: { label: 'Max drawdown', kind: 'percent' },
  max_consecutive_wins: { label: 'Longest run of wins', kind: 'count' },
  max_consecutive_losses: { label: 'Longest run of losses', kind: 'count' },
  avg_hold_secs: { label: 'Average hold', kind: 'duration' },
  avg_win_hold_secs: { label: 'Average hold of wins', kind: 'duration' },
  avg_loss_hold_secs: { label: 'Average hold of losses', kind: 'duration' },
  avg_r: { label: 'Average R', kind: 'r' },
  expectancy_r: { label: 'Expectancy', kind: 'r' },
  trades_with_r: { label: 'Trades with a risk', kind: 'count' },
  volume: { label: 'Volume', kind: 'bulk' },
  trading_days: { label: 'Days traded', kind: 'count' },
} satisfies Record<string, Words>;

export type Name = keyof typeof words;

export function labelOf(name: string): string {
  if (name === 'starting_balance') return 'Starting balance';
  return name in words ? words[name as Name].label : name.replaceAll('_', ' ');
}

export function kindOf(name: string): Kind {
  if (name === 'starting_balance') return 'money';
  return name in words ? words[name as Name].kind : 'ratio';
}

/** A value as its kind is written. */
export function written(value: Amount | null | undefined, kind: Kind, currency: string): string {
  switch (kind) {
    case 'result':
      return formats.money(value, currency, { signed: true });
    case 'money':
      return formats.money(value, currency);
    case 'bulk':
      return formats.money(value, currency, { short: 'compact' });
    case 'share':
      return formats.share(value as number | null);
    case 'percent':
      return formats.percent(value);
    case 'ratio':
      return formats.ratio(value);
    case 'count':
      return formats.count(value as number | null);
    case 'duration':
      return formats.duration(value as number | null);
    case 'r':
      return formats.r(value);
  }
}

/** How many decimals a kind is written with. */
export function decimalsOf(kind: Kind, currency: string): number {
  switch (kind) {
    case 'result':
    case 'money':
    case 'bulk':
      return currencyDecimals(currency);
    case 'share':
      return 3; // of one: 12.3 %
    case 'count':
    case 'duration':
      return 0;
    default:
      return 2;
  }
}

/** The difference of two figures as they are written, so that a reader who subtracts gets the same. */
export function roundedDifference(
  a: Amount | null | undefined,
  b: Amount | null | undefined,
  decimals: number,
): number | null {
  if (a === null || a === undefined || b === null || b === undefined) return null;
  const rounded = (value: Amount) =>
    Math.round(
      Number(
        new Intl.NumberFormat('en-US', { maximumFractionDigits: decimals, useGrouping: false }).format(
          value as number,
        ),
      ) *
        10 ** decimals,
    );
  return (rounded(a) - rounded(b)) / 10 ** decimals + 0; // no minus zero
}

/** A difference as its kind is written, with + for more. */
export function signed(value: number, kind: Kind, currency: string): string {
  const plus = value > 0 && kind !== 'result' && kind !== 'r' ? '+' : '';
  return plus + written(value, kind, currency);
}

/** A formula with the names of the page in the place of those of the API. */
export function readable(formula: string): string {
  const spelled = formula.replace(/[a-z]+(_[a-z]+)+|\bwins\b|\blosses\b/g, (name) =>
    name in words ? words[name as Name].label.toLowerCase() : name.replaceAll('_', ' '),
  );
  return spelled.replace(/ \/ /g, ' ÷ ').replace(/ \* /g, ' × ').replace(/ - /g, ' − ');
}

/** An axis says nothing rather than dots when amounts are hidden. */
export function axisMoney(currency: string): (value: number) => string {
  return (value) =>
    formats.notation.hideAmounts ? '' : formats.money(value, currency, { short: 'compact' });
}

export function trades(n: number): string {
  return `${formats.count(n)} ${n === 1 ? 'trade' : 'trades'}`;
}
