// The settings of earlier imports, by their files' layout, as /import-layouts stores them.

import type { Schemas } from '../../lib/api/client';

const maxAccounts = 20; // that the server stores with a layout

type Order = '' | 'day_first' | 'month_first';
type Preview = Schemas['ImportPreview'];

/** An account that files of a layout were imported into. */
export interface RememberedAccount {
  file: string; // the account the file names, '' if none
  id: string;
  name: string;
}

/** The settings of the last import of a layout. */
export interface Remembered {
  signature: string;
  name: string; // the broker, or the file's name
  at: string; // when a file was last imported with it, RFC 3339
  zone: string; // '' if the file or its format decides
  order: Order;
  mapping: Record<string, string> | null; // null uses the server's suggestion
  accounts: RememberedAccount[]; // the last one first
}

/** Returns stored layouts as the page uses them. */
export function readLayouts(
  stored: Schemas['ImportLayout'][],
  accounts: { id: string; name: string }[],
): Remembered[] {
  return stored.map((layout) => ({
    signature: layout.signature,
    name: layout.name,
    at: layout.used_at,
    zone: layout.source_tz ?? '',
    order: (layout.date_order ?? '') as Order,
    mapping: layout.column_mapping,
    accounts: layout.accounts.map(({ file_account, account_id }) => ({
      file: file_account,
      id: account_id,
      name: accounts.find((a) => a.id === account_id)?.name ?? '',
    })),
  }));
}

/** Returns the request that stores a layout's settings. */
export function toLayout(entry: Remembered): Schemas['LayoutFields'] {
  return {
    name: entry.name,
    source_tz: entry.zone || null,
    date_order: entry.order || null,
    column_mapping: entry.mapping,
    accounts: entry.accounts.map((a) => ({ file_account: a.file, account_id: a.id })),
  };
}

export function findRemembered(list: Remembered[], signature: string): Remembered | undefined {
  return signature === '' ? undefined : list.find((entry) => entry.signature === signature);
}

/** Returns the list with an entry first, which replaces that of the same layout. */
export function addRemembered(list: Remembered[], entry: Remembered): Remembered[] {
  return [entry, ...list.filter((e) => e.signature !== entry.signature)];
}

/** The settings a file was imported with. */
export interface UsedSettings {
  file: string; // the file's name
  at: string;
  account: { id: string; name: string };
  zone: string; // the chosen one
  assumedZone: string; // the one for times whose zone is unknown
  mapping: Record<string, string> | null;
}

/** Returns the entry for a layout after an import, from the imported preview. */
export function toRemembered(p: Preview, used: UsedSettings, before: Remembered | undefined): Remembered {
  const zones: Record<Preview['source_tz_from'], string> = {
    request: used.zone,
    unknown: used.assumedZone,
    format: '',
    file: before?.zone ?? '',
    days: before?.zone ?? '',
    '': '',
  };
  const isOrder = p.date_order === 'day_first' || p.date_order === 'month_first';
  const account = { file: p.file_account, ...used.account };
  // A named account belongs to one account, files without a name may belong to several.
  const others = (before?.accounts ?? []).filter(
    (a) => a.file !== account.file || (account.file === '' && a.id !== account.id),
  );
  return {
    signature: p.layout_signature,
    name: p.detected_broker || used.file,
    at: used.at,
    zone: zones[p.source_tz_from],
    order: isOrder ? (p.date_order as Order) : (before?.order ?? ''),
    mapping: used.mapping,
    accounts: [account, ...others].slice(0, maxAccounts),
  };
}

/** Why a remembered setting is not used. */
export type Unused =
  | { what: 'mapping'; column: string }
  | { what: 'zone' }
  | { what: 'order'; order: Order }
  | { what: 'account'; why: 'gone' | 'several' | 'new' | 'currency'; name: string }
  | { what: 'all' };

/** Returns the column of a remembered mapping a file does not have, '' if it has all. */
export function missingColumn(mapping: Record<string, string>, headers: string[]): string {
  return Object.values(mapping).find((column) => !column.startsWith('=') && !headers.includes(column)) ?? '';
}

export interface Matched {
  zone: string;
  order: Order;
  account: string; // '' if none is remembered that can be used
  unused: Unused[];
}

/** Returns the remembered settings that do not contradict a file, whose preview was made without them. */
export function matchSettings(
  entry: Remembered,
  p: Preview,
  accounts: { id: string; name: string }[],
): Matched {
  const unused: Unused[] = [];
  const namesZone = p.source_tz_from === 'file';
  if (entry.zone !== '' && namesZone) unused.push({ what: 'zone' });
  const isOpen = p.date_order === 'ambiguous';
  if (entry.order !== '' && p.date_order !== '' && !isOpen && p.date_order !== entry.order)
    unused.push({ what: 'order', order: p.date_order as Order });
  const found = matchAccount(entry, p.file_account, accounts);
  if (typeof found !== 'string') unused.push(found);
  return {
    zone: namesZone ? '' : entry.zone,
    order: isOpen ? entry.order : '',
    account: typeof found === 'string' ? found : '',
    unused,
  };
}

/** Returns the account a file of a layout belongs to, or why it is not known. */
function matchAccount(
  entry: Remembered,
  named: string,
  accounts: { id: string; name: string }[],
): string | Unused {
  const all = entry.accounts.filter((a) => a.file === named);
  const last = all[0];
  if (!last) return { what: 'account', why: 'new', name: named };
  if (all.length > 1) return { what: 'account', why: 'several', name: '' };
  const known = accounts.find((a) => a.id === last.id);
  return known?.id ?? { what: 'account', why: 'gone', name: last.name };
}
