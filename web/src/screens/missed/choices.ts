// The reasons and outcomes of missed trades, with their labels.

import type { Schemas } from '../../lib/api/client';

export type Missed = Schemas['MissedTrade'];

export const reasons: { value: Missed['reason']; label: string }[] = [
  { value: '', label: 'No reason given' },
  { value: 'hesitated', label: 'Hesitated' },
  { value: 'away', label: 'Away' },
  { value: 'rules', label: 'Against my rules' },
  { value: 'other', label: 'Other' },
];

export const outcomes: { value: Missed['outcome']; label: string }[] = [
  { value: 'unknown', label: 'Not known yet' },
  { value: 'target', label: 'Reached the target' },
  { value: 'stop', label: 'Hit the stop' },
  { value: 'no_trigger', label: 'Never triggered' },
];

export function reasonLabel(reason: string): string {
  return reasons.find((r) => r.value === reason)?.label ?? reason;
}

export function outcomeLabel(outcome: string): string {
  return outcomes.find((o) => o.value === outcome)?.label ?? outcome;
}
