// The kinds of channels and what they ask for, events and deliveries in words.

import type { Schemas } from '../../lib/api/client';

export type Channel = Schemas['Channel'];
export type ChannelKind = Channel['kind'];
export type Delivery = Schemas['ChannelDelivery'];

/** What a channel needs to reach its receiver; the server keeps it and never shows it again. */
export interface CredentialField {
  name: 'url' | 'topic' | 'token' | 'chat_id' | 'address';
  label: string;
  hint?: string;
  placeholder?: string;
  optional?: boolean;
  secret?: boolean;
}

interface KindInfo {
  label: string;
  fields: CredentialField[];
}

const url = (label: string, placeholder: string, hint?: string): CredentialField => ({
  name: 'url',
  label,
  placeholder,
  hint,
});

export const channelKinds: Record<ChannelKind, KindInfo> = {
  email: {
    label: 'Email',
    fields: [{ name: 'address', label: 'Email address', placeholder: 'you@example.org' }],
  },
  ntfy: {
    label: 'ntfy',
    fields: [
      url('Server', 'https://ntfy.sh'),
      { name: 'topic', label: 'Topic', hint: 'Anyone who knows it can read it: choose a long one.' },
      {
        name: 'token',
        label: 'Access token',
        optional: true,
        secret: true,
        hint: 'If the server needs one.',
      },
    ],
  },
  gotify: {
    label: 'Gotify',
    fields: [
      url('Server', 'https://gotify.example.org'),
      { name: 'token', label: 'Application token', secret: true, hint: 'Of an application under Apps.' },
    ],
  },
  telegram: {
    label: 'Telegram',
    fields: [
      { name: 'token', label: 'Bot token', secret: true, hint: 'From @BotFather.' },
      { name: 'chat_id', label: 'Chat ID', hint: 'Write to your bot first, so that it may answer.' },
    ],
  },
  discord: {
    label: 'Discord',
    fields: [url('Webhook URL', 'https://discord.com/api/webhooks/…', 'Channel settings, Integrations.')],
  },
  slack: {
    label: 'Slack',
    fields: [url('Webhook URL', 'https://hooks.slack.com/services/…', 'Of an app with incoming webhooks.')],
  },
  webhook: {
    label: 'Webhook',
    fields: [url('URL', 'https://example.org/fillbook', 'Receives signed JSON.')],
  },
};

export const events: { value: string; label: string }[] = [
  { value: 'alert.fired', label: 'Alerts' },
  { value: 'trade.opened', label: 'Trade opened' },
  { value: 'trade.closed', label: 'Trade closed' },
  { value: 'trade.changed', label: 'Trade changed' },
  { value: 'trade.reviewed', label: 'Trade reviewed' },
  { value: 'note.created', label: 'Note created' },
  { value: 'day.closed', label: 'Trading day ended' },
  { value: 'import.committed', label: 'Import finished' },
  { value: 'import.failed', label: 'Import failed' },
  { value: 'import.reversed', label: 'Import undone' },
  { value: 'connection.needs_attention', label: 'Connection needs attention' },
];

const single: Record<string, string> = { 'alert.fired': 'Alert', 'webhook.test': 'Test' };

/** Returns what one event is. */
export const eventLabel = (type: string): string =>
  single[type] ?? events.find((e) => e.value === type)?.label ?? type;

/** What is sent, in a few words. */
export function describeEvents(types: string[]): string {
  if (types.length === 0) return 'all events';
  if (types.length > 3) return `${types.length} kinds of events`;
  return events
    .filter((e) => types.includes(e.value))
    .map((e) => e.label.toLowerCase())
    .join(', ');
}

export const stateLabels: Record<
  Delivery['state'],
  { label: string; tone: 'plain' | 'gain' | 'warn' | 'loss' }
> = {
  pending: { label: 'Waiting', tone: 'plain' },
  delivered: { label: 'Delivered', tone: 'gain' },
  failed: { label: 'Failed', tone: 'loss' },
  held: { label: 'Held', tone: 'plain' },
  dropped: { label: 'Not sent', tone: 'warn' },
};
