// Prop firm programs in words: rules, phases and states.

import type { Schemas } from './api/client';
import { formats } from './formats.svelte';

export type Enrollment = Schemas['Enrollment'];
export type Status = Schemas['EnrollmentStatus'];
export type Program = Schemas['PropProgram'];
export type RuleState = Status['rules'][number];
export type Day = Schemas['ProgramDay'];

export const ruleNames: Record<string, string> = {
  max_loss: 'Max loss',
  daily_loss: 'Daily loss',
  profit_target: 'Profit target',
  consistency: 'Consistency',
  min_days: 'Minimum days',
  min_profit_days: 'Profitable days',
  max_days: 'Maximum days',
  max_contracts: 'Max contracts',
  scaling_plan: 'Scaling plan',
  flat_by: 'Flat by',
  inactivity: 'Inactivity',
  payout: 'Payout',
};

export const ruleName = (kind: string) => ruleNames[kind] ?? kind;

export const phaseNames: Record<string, string> = {
  evaluation: 'Evaluation',
  verification: 'Verification',
  funded: 'Funded',
  live: 'Live',
};

type Tone = 'plain' | 'gain' | 'loss' | 'warn' | 'accent';

const states: Record<Enrollment['state'], { name: string; tone: Tone }> = {
  active: { name: 'Active', tone: 'accent' },
  passed: { name: 'Passed', tone: 'gain' },
  failed: { name: 'Failed', tone: 'loss' },
  closed: { name: 'Closed', tone: 'plain' },
};

/** The label of an enrollment: its state, or what needs attention. */
export function stateOf(enrollment: Enrollment, status?: Status): { name: string; tone: Tone } {
  if (status?.state === 'active' && status.rules.some((r) => r.state === 'warning'))
    return { name: 'Close to a limit', tone: 'warn' };
  if (enrollment.state === 'failed' && enrollment.ended_at === null)
    return { name: 'Breached', tone: 'loss' };
  return states[enrollment.state];
}

/** The color of a rule's meter. */
export function meterTone(rule: Pick<RuleState, 'state' | 'met'>): 'accent' | 'warn' | 'loss' | 'gain' {
  if (rule.met !== null) return rule.met ? 'gain' : 'accent';
  return rule.state === 'breached' ? 'loss' : rule.state === 'warning' ? 'warn' : 'accent';
}

/** What a rule's state is based on. */
export const evidenceNames: Record<RuleState['evidence'], string> = {
  exact: 'Closed results',
  bounded: 'Price bars',
  snapshot: 'The firm’s dashboard',
  not_evaluated: 'Not known',
};

export const costNames = {
  fee: 'Fee',
  reset: 'Reset',
  activation: 'Activation',
  subscription: 'Subscription',
};

/** The floor as steps halfway between two days, because it is fixed during a day or rises within one. */
export function floorSteps(days: Pick<Day, 'day' | 'floor'>[]): { x: number[]; y: (number | null)[] } {
  const x: number[] = [];
  const y: (number | null)[] = [];
  days.forEach((day, i) => {
    const at = Date.parse(day.day);
    if (i > 0) {
      const halfway = (x.at(-1)! + at) / 2;
      x.push(halfway, halfway);
      y.push(y.at(-1)!, day.floor);
    }
    x.push(at);
    y.push(day.floor);
  });
  return { x, y };
}

/** The state of a rule: of a limit, or whether a requirement is met. */
export function ruleState(rule: Pick<RuleState, 'state' | 'met'>): { name: string; tone: Tone } {
  if (rule.met !== null) return rule.met ? { name: 'Met', tone: 'gain' } : { name: 'Not yet', tone: 'plain' };
  return limitStates[rule.state]!;
}

export const limitStates: Record<string, { name: string; tone: Tone }> = {
  ok: { name: 'OK', tone: 'plain' },
  warning: { name: 'Close', tone: 'warn' },
  breached: { name: 'Breached', tone: 'loss' },
  unknown: { name: 'Unknown', tone: 'warn' },
};

const amounts = ['max_loss', 'daily_loss', 'profit_target', 'payout'];

/** A value of a rule with its unit: money, a share, or a number of days or contracts. */
export function ruleValue(kind: string, value: number | null, currency: string): string {
  if (value === null) return '–';
  if (amounts.includes(kind)) return formats.money(value, currency);
  if (kind === 'consistency') return formats.share(value);
  return formats.quantity(value);
}

/** The worst state of a day's rules, and the rules that have it. */
export function dayState(day: Day): { name: string; tone: Tone } {
  for (const state of ['breached', 'warning', 'unknown']) {
    const kinds = Object.entries(day.states).filter(([, s]) => s === state);
    if (kinds.length > 0)
      return {
        name: `${limitStates[state]!.name}: ${kinds.map(([kind]) => ruleName(kind)).join(', ')}`,
        tone: limitStates[state]!.tone,
      };
  }
  return limitStates.ok!;
}
