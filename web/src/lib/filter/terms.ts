// The conditions that are read from a typed text, and the words of the text.

import type { NumberSigns } from '../format/typed';
import type { Today } from './dateWords';
import type { Filter } from './filter';
import type { Days } from './periods';

/** What the page knows of the journal. */
export interface Journal extends Today {
  roots: string[];
  symbols: string[];
  setups: { id: string; name: string }[];
  tags: { id: string; name: string }[];
  /** The rules of all setups. */
  rules: string[];
  accounts: { id: string; name: string }[];
  /** How the user writes numbers. */
  signs: NumberSigns;
  /** Formats an hour of the day. */
  hour: (hour: number) => string;
  /** Formats days. */
  period: (days: Days) => string;
}

/** A condition that is read from a text. */
export interface Term {
  /** What it tests: "Root", "Weekday". */
  kind: string;
  /** The value: "NQ", "Friday". */
  label: string;
  change: Change;
}

/** A change of the filter. Lists are added to those of the filter. */
export type Change = Partial<Filter>;

/** A term at a place of the typed text. */
export interface Found {
  term: Term;
  length: number; // in tokens
  /** What it may mean as well. */
  others?: Term[];
}

export const term = (kind: string, label: string, change: Change): Term => ({ kind, label, change });

/** Words that join conditions and mean nothing alone. */
export const fillers = new Set([
  'all',
  'and',
  'in',
  'on',
  'with',
  'trades',
  'trade',
  'the',
  'a',
  'of',
  'my',
  'that',
  'are',
  'is',
]);

export const fold = (text: string) => text.toLowerCase().normalize('NFC');

/** Splits a text into words. Words in quotation marks stay together, with a mark before them. */
export function tokensOf(text: string): string[] {
  return text
    .split(/["“”„]/)
    .flatMap((part, i, all) =>
      i % 2 === 1 && i < all.length - 1
        ? part.trim()
          ? [`"${part.trim()}`]
          : []
        : part
            .replace(/(>=|<=|≥|≤|>|<)/g, ' $1 ')
            .replace(/(\d)\s+([ap]m)\b/gi, '$1$2')
            .replace(/(\d)\s*o[’']?clock\b/gi, '$1:00')
            .replaceAll('p&l', 'pnl')
            .replaceAll('P&L', 'pnl')
            .split(/\s+|,(?!\d)|(?<!\d),/),
    )
    .filter(Boolean);
}
