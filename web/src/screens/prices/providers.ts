// What the page says of price providers.

import type { Schemas } from '../../lib/api/client';

export type Provider = Schemas['BarProvider'];
export type Source = Schemas['BarSource'];

type Tone = 'plain' | 'warn' | 'accent';

/** The state of a source in a word or two, with its chip's tone. */
export function describeState(source: Source): { text: string; tone: Tone } {
  switch (source.status) {
    case 'running':
      return { text: 'Getting prices…', tone: 'accent' };
    case 'needs_attention':
      return { text: 'Needs attention', tone: 'warn' };
    case 'failed':
      return { text: 'Failed', tone: 'warn' };
    case 'ok':
      return { text: source.enabled ? 'Up to date' : 'Off', tone: 'plain' };
    default:
      return {
        text: source.enabled ? (source.last_run_at ? 'Waiting' : 'Not run yet') : 'Off',
        tone: 'plain',
      };
  }
}

interface Formats {
  date: (value: string) => string;
  dateTime: (value: string) => string;
}

/** What is known of a source: what it fetches, and when it ran and will run. */
export function listFacts(source: Source, provider: Provider | undefined, formats: Formats): string[] {
  return [
    describeSymbols(source, provider),
    source.since ? `since ${formats.date(source.since)}` : '',
    source.last_run_at ? `last run ${formats.dateTime(source.last_run_at)}` : '',
    provider?.charges ? 'runs only when you ask' : nextRun(source, formats),
  ].filter(Boolean);
}

function describeSymbols(source: Source, provider: Provider | undefined): string {
  if (provider?.rates) return ['Currencies of your accounts', ...source.symbols].join(', ');
  return source.symbols.length > 0 ? source.symbols.join(', ') : 'All symbols you traded';
}

function nextRun(source: Source, formats: Formats): string {
  if (source.status === 'running') return '';
  return source.next_run_at ? `next run ${formats.dateTime(source.next_run_at)}` : '';
}

/** A text's symbols, separated by commas or spaces. */
export function splitSymbols(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
}

/** What leaves the server, as a sentence. */
export function describeSent(provider: Provider): string {
  const to = `Fillbook sends ${provider.name} (${provider.hosts.join(', ')})`;
  if (provider.rates)
    return `${to} the names of currencies and days. Amounts and trades stay on this server.`;
  const key = provider.fields.some((field) => field.secret) ? 'your key, ' : '';
  return `${to} ${key}the symbols that you traded and the days around your trades. Sizes, prices and results stay on this server.`;
}
