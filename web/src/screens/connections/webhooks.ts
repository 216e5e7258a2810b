// What the page says of webhooks.

import type { Schemas } from '../../lib/api/client';

export type Hook = Schemas['Hook'];

interface Formats {
  dateTime: (value: string) => string;
  plural: (count: number, noun: string) => string;
}

/** What is known of a webhook: its account, and what arrived last. */
export function listFacts(hook: Hook, account: string, formats: Formats): string[] {
  const last = hook.last_delivery;
  if (!last) return [account, 'nothing received yet'];
  const counts = [
    last.accepted > 0 ? `${formats.plural(last.accepted, 'fill')} accepted` : '',
    last.skipped > 0 ? `${last.skipped} already known` : '',
    last.quarantined > 0 ? `${last.quarantined} not stored` : '',
  ].filter(Boolean);
  return [account, `last delivery ${formats.dateTime(last.at)}`, counts.join(', ')].filter(Boolean);
}

/** The address with the secret, for senders that cannot set headers. */
export const withSecret = (url: string, secret: string) => `${url}?secret=${encodeURIComponent(secret)}`;

/** The message of a TradingView alert. Numbers are texts, because a placeholder without a value is not a number. */
export function tradingViewMessage(name: string): string {
  const message = {
    symbol: '{{ticker}}',
    instrument_type: 'future',
    side: '{{strategy.order.action}}',
    quantity: '{{strategy.order.contracts}}',
    price: '{{strategy.order.price}}',
    executed_at: '{{timenow}}',
    external_id: `${name} {{strategy.order.id}} {{timenow}}`,
  };
  return JSON.stringify(message);
}
