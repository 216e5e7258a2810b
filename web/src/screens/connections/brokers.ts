// What the page says of connections to brokers.

import type { Schemas } from '../../lib/api/client';

export type Broker = Schemas['ConnectionProvider'];
export type Connection = Schemas['Connection'];
export type Run = Schemas['ConnectionRun'];
export type Schedule = Connection['schedule'];

type Tone = 'plain' | 'gain' | 'loss' | 'warn' | 'accent';

interface State {
  text: string;
  tone: Tone;
}

interface Formats {
  date: (value: string) => string;
  dateTime: (value: string) => string;
  time: (value: string) => string;
  plural: (n: number, one: string, many?: string) => string;
}

/** The state of a connection in a word or two, with its chip's tone. */
export function describeState(c: Connection, isOn: boolean, now = Date.now()): State {
  if (!isOn) return { text: 'Off', tone: 'plain' };
  switch (c.status) {
    case 'running':
      return { text: 'Syncing…', tone: 'accent' };
    case 'needs_attention':
      return { text: 'Needs you', tone: 'warn' };
    case 'failed':
      return { text: 'Failed', tone: 'loss' };
    case 'ok':
      return { text: 'Up to date', tone: 'gain' };
    default:
      if (isDue(c, now)) return { text: 'Starting…', tone: 'accent' };
      return { text: c.last_run_at ? 'Waiting' : 'Not run yet', tone: 'plain' };
  }
}

/** Reports whether nothing happens until the user enters something. */
export const needsUser = (c: Connection) => c.status === 'needs_attention' || !c.has_credentials;

/** Reports whether a connection runs now or within seconds. */
export const isDue = (c: Connection, now = Date.now()) =>
  c.status === 'running' || (c.next_run_at !== null && Date.parse(c.next_run_at) <= now);

export const schedules: { value: Schedule; label: string }[] = [
  { value: 'hourly', label: 'Every hour' },
  { value: 'daily', label: 'Every day' },
  { value: 'manual', label: 'Only when I ask' },
];

const scheduleFacts: Record<Schedule, string> = {
  hourly: 'every hour',
  daily: 'every day',
  manual: 'runs only when you ask',
};

/** What is known of a connection: the account at the broker and in the journal, and when it runs. */
export function listFacts(
  c: Connection,
  broker: Broker | undefined,
  account: string,
  formats: Formats,
  today: string,
  now = Date.now(),
): string[] {
  const next = !isDue(c, now) && c.next_run_at;
  const name = broker?.name ?? c.provider;
  return [
    c.name === name ? '' : name,
    `into ${account}`,
    c.identity ? c.identity.name || c.identity.account : '',
    c.identity?.expires_at ? `key ends ${formats.date(c.identity.expires_at)}` : '',
    scheduleFacts[c.schedule],
    next ? `next run ${describeTime(next, formats, today)}` : '',
  ].filter(Boolean);
}

/** A time, without its date if it is today. */
export function describeTime(at: string, formats: Formats, today: string): string {
  return formats.date(at) === formats.date(today) ? `today, ${formats.time(at)}` : formats.dateTime(at);
}

/** From when to when everything has been fetched, '' if nothing has. */
export function describeCoverage(
  c: Connection,
  broker: Broker | undefined,
  formats: Formats,
  today: string,
): string {
  if (!c.covers_from || !c.covers_to) return '';
  const to = describeTime(c.covers_to, formats, today);
  // Without a limit the first day is earlier than any fill.
  if (c.since === null && broker?.history_days === null) return `Complete up to ${to}`;
  return `Complete from ${formats.date(c.covers_from)} to ${to}`;
}

/** What a run brought. */
export function describeCounts(run: Run, formats: Formats): string {
  const counts = [
    run.inserted > 0 ? formats.plural(run.inserted, 'new fill') : '',
    run.cash_inserted > 0 ? formats.plural(run.cash_inserted, 'new cash transaction') : '',
    run.completed > 0 ? `${formats.plural(run.completed, 'fill')} corrected` : '',
    run.withdrawn > 0 ? `${formats.plural(run.withdrawn, 'fill')} canceled by the broker` : '',
    run.missing > 0 ? `${formats.plural(run.missing, 'fill')} no longer reported` : '',
    run.problems > 0 ? `${formats.plural(run.problems, 'record')} that couldn’t be read` : '',
  ].filter(Boolean);
  if (counts.length === 0) counts.push(run.outcome === 'ok' ? 'nothing new' : 'nothing fetched');
  if (run.skipped > 0) counts.push(`${formats.plural(run.skipped, 'fill')} already in your journal`);
  return counts.join(', ');
}

const outcomes: Record<Run['outcome'], State> = {
  running: { text: 'Running', tone: 'accent' },
  ok: { text: 'Complete', tone: 'gain' },
  waiting: { text: 'Tried again later', tone: 'plain' },
  failed: { text: 'Failed', tone: 'loss' },
  needs_attention: { text: 'Needed you', tone: 'warn' },
  interrupted: { text: 'Interrupted', tone: 'plain' },
};

/** A run's outcome in a word or two, with its chip's tone. */
export const describeOutcome = (run: Run) => outcomes[run.outcome];

/** How far back a broker goes. */
export function describeHistory(broker: Broker, formats: Formats): string {
  const days = broker.history_days;
  if (days === null) return 'Full history';
  if (days % 365 === 0) return days === 365 ? 'Last year' : `Last ${formats.plural(days / 365, 'year')}`;
  return `Last ${formats.plural(days, 'day')}`;
}

/** The brokers whose name or contents have all words of a text. */
export function searchBrokers(brokers: Broker[], text: string): Broker[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (b: Broker, word: string) =>
    `${b.name} ${b.covers} ${b.hosts.join(' ')}`.toLowerCase().includes(word);
  return brokers.filter((b) => words.every((word) => has(b, word)));
}

/** Whom the server calls for a connection, and what it does there. */
export function describeCalls(broker: Broker): string {
  return `Fillbook calls ${broker.hosts.join(', ')} from this server. It only reads: it can’t place orders or move money.`;
}

/** The names of what to copy at the broker. */
export const neededFields = (broker: Broker) =>
  broker.fields.filter((field) => field.required).map((field) => field.title);

/** The entered credentials. */
export const enteredCredentials = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));

/** A choice's value before the user changes it: the stored environment, or the default. */
export function initialChoice(field: Broker['fields'][number], environment: string | null): string {
  const stored = field.name === 'environment' && field.choices.find((c) => c.title === environment);
  return (stored || field.choices[0]!).value;
}

/** The credentials to send for a new key: those that were entered, with all choices; none without a new key. */
export function completeCredentials(
  broker: Broker,
  values: Record<string, string>,
  environment: string | null,
): Record<string, string> | null {
  const entered = enteredCredentials(values);
  if (Object.keys(entered).length === 0) return null;
  const choices = broker.fields.filter((field) => field.choices.length > 0);
  return {
    ...Object.fromEntries(choices.map((field) => [field.name, initialChoice(field, environment)])),
    ...entered,
  };
}

/** What happens when a connection is deleted. */
export function describeDisconnect(broker: Broker | undefined): string {
  const hasSecret = broker?.fields.some((field) => field.secret) ?? true;
  const stays = 'Nothing more is fetched. The fills that you have stay.';
  if (!hasSecret) return stays;
  return `${stays} Your key is deleted here. Revoke it at ${broker?.name ?? 'the broker'} too: Fillbook can’t do that.`;
}
