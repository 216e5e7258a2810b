// The words for strategies of trades.

import type { Schemas } from './api/client';

export type Strategy = Schemas['Strategy'];
export type StrategyLeg = Strategy['legs'][number];

/** The names of the kinds. */
export const strategyKinds: Record<string, string> = {
  single: 'Single',
  covered_call: 'Covered call',
  protective_put: 'Protective put',
  collar: 'Collar',
  vertical: 'Vertical',
  straddle: 'Straddle',
  strangle: 'Strangle',
  guts: 'Guts',
  iron_condor: 'Iron condor',
  iron_butterfly: 'Iron butterfly',
  butterfly: 'Butterfly',
  broken_wing_butterfly: 'Broken-wing butterfly',
  condor: 'Condor',
  ratio: 'Ratio spread',
  backspread: 'Backspread',
  calendar: 'Calendar',
  diagonal: 'Diagonal',
  double_calendar: 'Double calendar',
  double_diagonal: 'Double diagonal',
  jade_lizard: 'Jade lizard',
  risk_reversal: 'Risk reversal',
  conversion: 'Conversion',
  box: 'Box',
  synthetic: 'Synthetic',
  custom: 'Custom',
};

const directions: Record<string, string> = { long: 'Long', short: 'Short', bull: 'Bull', bear: 'Bear' };

/** The strategy's name: the user's, or its direction and kind. */
export function nameStrategy(s: Strategy): string {
  if (s.name) return s.name;
  const kind = strategyKinds[s.kind] ?? s.kind;
  return s.direction ? `${directions[s.direction]} ${kind.toLowerCase()}` : kind;
}

/** Why trades are proposed together. */
export const evidenceNames: Record<Strategy['evidence'], string> = {
  order: 'One order',
  instant: 'Same second',
  window: 'Within 5 minutes',
  day: 'Same day',
  cover: 'Covered by shares',
  user: 'Made by you',
};

/** The leg's contract, such as Put 95. */
export function nameLeg(leg: StrategyLeg, strike: (value: number) => string): string {
  if (leg.right === null || leg.strike === null) return leg.role === 'cover' ? 'Shares (cover)' : 'Shares';
  return `${leg.right === 'call' ? 'Call' : 'Put'} ${strike(leg.strike)}`;
}

export type Grouping = 'strategy_kind' | 'dte_at_open' | 'credit_debit' | 'ended_by';

/** The dimensions of results. */
export const groupings: { value: Grouping; label: string }[] = [
  { value: 'strategy_kind', label: 'Kind' },
  { value: 'dte_at_open', label: 'Days to expiry' },
  { value: 'credit_debit', label: 'Premium' },
  { value: 'ended_by', label: 'Ended by' },
];

const groupNames: Partial<Record<Grouping, Record<string, string>>> = {
  strategy_kind: strategyKinds,
  dte_at_open: {
    '2-7': '2–7',
    '8-21': '8–21',
    '22-45': '22–45',
    '46-90': '46–90',
    'over-90': 'Over 90',
  },
  credit_debit: { credit: 'Credit', debit: 'Debit', even: 'Even' },
  ended_by: {
    trade: 'A trade',
    expiry: 'Expiry',
    assignment: 'Assignment',
    exercise: 'Exercise',
    settlement: 'Settlement',
    removal: 'Transfer',
  },
};

/** Returns a group's label. */
export const groupName = (by: Grouping, key: string): string => groupNames[by]?.[key] ?? key;
