// The kinds of alerts in words, grouped as the settings show them.

import type { Schemas } from './api/client';

export type Alert = Schemas['Alert'];
export type AlertKind = Alert['kind'];
export type AlertSettings = Schemas['AlertSettings'];

export interface AlertKindInfo {
  kind: AlertKind;
  label: string;
  hint: string; // when it fires
}

export interface AlertGroup {
  title: string;
  link?: { text: string; href: string }; // where the limits are set
  kinds: AlertKindInfo[];
}

export const alertGroups: AlertGroup[] = [
  {
    title: 'Trading rules',
    link: { text: 'Rules', href: '/rules' },
    kinds: [
      { kind: 'rule_broken', label: 'Rule broken', hint: 'A trade breaks one of your rules.' },
      { kind: 'daily_loss', label: 'Daily loss', hint: 'At 50%, 75% and 100% of a daily loss limit.' },
      { kind: 'loss_streak', label: 'Losses in a row', hint: 'A rule says to stop after this loss.' },
    ],
  },
  {
    title: 'Prop firm programs',
    link: { text: 'Programs', href: '/programs' },
    kinds: [
      { kind: 'program_warning', label: 'Close to a limit', hint: '80% of a limit is used, once a day.' },
      { kind: 'program_breached', label: 'Limit breached', hint: 'The account failed, or the day is over.' },
      { kind: 'target_reached', label: 'Target reached', hint: 'The balance has reached the profit target.' },
      { kind: 'payout_ready', label: 'Payout available', hint: 'All conditions of a payout are met.' },
    ],
  },
  {
    title: 'Goals',
    link: { text: 'Goals', href: '/rules' },
    kinds: [
      { kind: 'goal_behind', label: 'Behind a goal', hint: 'Once a week while the pace is too low.' },
      { kind: 'goal_reached', label: 'Goal reached', hint: 'Once in each period.' },
    ],
  },
  {
    title: 'Trades',
    kinds: [
      {
        kind: 'unreviewed',
        label: 'Trades to review',
        hint: 'Five or more trades of the last days, once a week.',
      },
      {
        kind: 'option_expires',
        label: 'Option expires',
        hint: 'Seven days before, the day before and on the day.',
      },
    ],
  },
  {
    title: 'Imports and connections',
    link: { text: 'Connections', href: '/connections' },
    kinds: [
      {
        kind: 'import_failed',
        label: 'Import failed',
        hint: 'Fills that arrived without you were not stored.',
      },
      {
        kind: 'import_summary',
        label: 'Import of old trades',
        hint: 'What an import of history would have fired.',
      },
      {
        kind: 'connection_needs_attention',
        label: 'Connection stopped',
        hint: 'A connection waits for you.',
      },
      { kind: 'missing_fills', label: 'Missing fills', hint: 'A broker no longer reports some fills.' },
    ],
  },
  {
    title: 'Account',
    kinds: [
      { kind: 'backup_old', label: 'Old backup', hint: 'The last one you downloaded is 30 days old.' },
      { kind: 'signed_in_new_device', label: 'New device', hint: 'Someone signed in with another browser.' },
    ],
  },
];

const labels = new Map(alertGroups.flatMap((g) => g.kinds).map((k) => [k.kind, k.label]));

export const alertLabel = (kind: AlertKind): string => labels.get(kind) ?? kind;

const lateMillis = 10 * 60_000;

/** Reports whether an alert was found long after it happened, as with fills that are imported in the evening. */
export const isLate = (alert: Alert): boolean =>
  Date.parse(alert.fired_at) - Date.parse(alert.at) > lateMillis;

/** Reports whether an alert is neither read nor snoozed. */
export const isUnread = (alert: Alert, now: number): boolean =>
  alert.read_at === null && (alert.snoozed_until === null || Date.parse(alert.snoozed_until) <= now);
