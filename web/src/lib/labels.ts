// The names of figures and of a trade's fields, by their name in the API. Lists,
// reports, charts and tooltips take them from here, so a figure has one name
// on the whole page. docs/metrics.md defines each figure.

export type FigureKind =
  'result' | 'money' | 'compact' | 'share' | 'percent' | 'ratio' | 'count' | 'duration' | 'r' | 'text';

/** A summary's figures, all of them: the label, and how the value is written. */
export const figures = {
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
  payoff_ratio: { label: 'Avg win / avg loss', kind: 'ratio' },
  avg_win: { label: 'Average win', kind: 'money' },
  avg_loss: { label: 'Average loss', kind: 'money' },
  avg_trade: { label: 'Average trade', kind: 'result' },
  expectancy: { label: 'Expectancy', kind: 'result' },
  median_win: { label: 'Median win', kind: 'money' },
  median_loss: { label: 'Median loss', kind: 'money' },
  median_trade: { label: 'Median trade', kind: 'result' },
  largest_win: { label: 'Largest win', kind: 'money' },
  largest_loss: { label: 'Largest loss', kind: 'money' },
  kelly_pct: { label: 'Kelly %', kind: 'percent' },
  sqn: { label: 'SQN', kind: 'ratio' },
  std_dev: { label: 'Standard deviation', kind: 'money' },
  sharpe: { label: 'Sharpe ratio', kind: 'ratio' },
  sortino: { label: 'Sortino ratio', kind: 'ratio' },
  basis: { label: 'Basis', kind: 'text' },
  max_drawdown: { label: 'Max drawdown', kind: 'money' },
  max_drawdown_pct: { label: 'Max drawdown %', kind: 'percent' },
  max_consecutive_wins: { label: 'Longest winning streak', kind: 'count' },
  max_consecutive_losses: { label: 'Longest losing streak', kind: 'count' },
  avg_hold_secs: { label: 'Average holding time', kind: 'duration' },
  avg_win_hold_secs: { label: 'Average holding time of wins', kind: 'duration' },
  avg_loss_hold_secs: { label: 'Average holding time of losses', kind: 'duration' },
  avg_r: { label: 'Average R', kind: 'r' },
  expectancy_r: { label: 'Expectancy (R)', kind: 'r' },
  trades_with_r: { label: 'Trades with a defined risk', kind: 'count' },
  volume: { label: 'Volume', kind: 'compact' },
  trading_days: { label: 'Trading days', kind: 'count' },
  starting_balance: { label: 'Starting balance', kind: 'money' },
} satisfies Record<string, { label: string; kind: FigureKind }>;

export type FigureName = keyof typeof figures;

/** A trade's fields, its annotations included. */
export const tradeFields = {
  symbol: 'Symbol',
  instrument_type: 'Instrument',
  direction: 'Direction',
  account: 'Account',
  opened_at: 'Opened',
  closed_at: 'Closed',
  quantity: 'Quantity',
  avg_entry: 'Entry',
  avg_exit: 'Exit',
  hold_secs: 'Holding time',
  net_pnl: 'Net P&L',
  gross_pnl: 'Gross P&L',
  fees: 'Fees',
  return_pct: 'Return',
  r_multiple: 'R multiple',
  stop_price: 'Stop',
  target_price: 'Target',
  last_stop: 'Final stop',
  initial_risk: 'Initial risk',
  mae: 'MAE',
  mfe: 'MFE',
  trade_quality: 'Trade quality',
  confidence: 'Confidence',
  emotional_state: 'Emotional state',
  setups: 'Setups',
  tags: 'Tags',
  notes: 'Notes',
} as const;

/** Returns a figure's label; one the table lacks gets its API name in words. */
export function figureLabel(name: string): string {
  return name in figures ? figures[name as FigureName].label : name.replaceAll('_', ' ');
}

export function figureKind(name: string): FigureKind {
  return name in figures ? figures[name as FigureName].kind : 'ratio';
}
