// What access tokens may do, in words.
import type { Schemas } from './api/client';

export type TokenScope = Schemas['AccessToken']['scope'];

/** What an assistant may do; other scopes are refused. Each includes the ones before it. */
export const assistantScopes = ['analytics', 'read', 'write'] as const satisfies TokenScope[];

interface ScopeText {
  label: string;
  can: string;
  cannot: string;
}

/** The scopes, those that may do least first. */
export const scopeTexts: Record<TokenScope, ScopeText> = {
  analytics: {
    label: 'See figures',
    can: 'See reports, price bars, and the names of accounts, setups and tags.',
    cannot: 'See trades or notes, or change anything.',
  },
  import: {
    label: 'Import files',
    can: 'Upload files of trades and prices, see its own imports, and list your accounts.',
    cannot: 'See trades, notes or figures, or undo an import.',
  },
  read: {
    label: 'Read everything',
    can: 'See and export everything you can see.',
    cannot: 'Change anything.',
  },
  write: {
    label: 'Read and write the journal',
    can: 'See and change trades, notes, accounts and imports.',
    cannot: 'See or change users, tokens, devices, share links or price providers.',
  },
  full: {
    label: 'Everything',
    can: 'Do almost everything you can, including administration.',
    cannot: 'Create tokens, or change your password or two-factor sign-in.',
  },
};

/** The addresses and ranges of a text, which separates them by commas, spaces or lines. */
export function parseAddresses(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}
