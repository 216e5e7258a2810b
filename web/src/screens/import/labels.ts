// The labels of the import screen: targets of a mapping, states of a batch, items
// of a reconciliation, reasons for skipped rows, notes about a preview.

import type { Schemas } from '../../lib/api/client';
import { tradeFields } from '../../lib/labels';
import type { Unused } from './memory';
import type { UsedMemory } from './wizard.svelte';

/** Help for the targets whose label does not explain itself. */
const hints: Record<string, string> = {
  symbol: 'AAPL, ESZ6, BTC-USD',
  side: 'Buy or sell; if missing, a negative quantity is a sell',
  quantity: 'Shares, contracts or lots',
  price: 'Per unit',
  executed_at: 'In one column',
  date: 'If the time has its own column',
  time: 'If the date has its own column',
  swap: 'Overnight financing',
  external_id: 'The most reliable way to spot duplicates',
  order_id: 'Shows which option legs were traded together',
  instrument_type: 'Stock, option, future, forex, crypto',
  status: 'Rows that were not filled are skipped',
  account: 'Warns if the file has several',
  open_date: 'If the time has its own column',
  close_date: 'If the time has its own column',
  tags: 'Separated by semicolons',
};

export function targetHint(name: string): string {
  return hints[name] ?? '';
}

/** The constants a target offers. */
export const constants: Record<string, { value: string; label: string }[]> = {
  side: [
    { value: '=buy', label: 'Every row is a buy' },
    { value: '=sell', label: 'Every row is a sell' },
  ],
  status: [{ value: '=filled', label: 'Every row is filled' }],
};

/** The targets that nearly every file has; the others are shown on request. */
export const commonTargets = ['symbol', 'side', 'quantity', 'price', 'executed_at', 'fees', 'commission'];

const roundTrip = 'open_time open_date open_price close_time close_date close_price pnl net_pnl'.split(' ');
const annotations =
  'tags setup notes initial_risk stop_price target_price last_stop mae mfe confidence emotional_state trade_quality reviewed_at'.split(
    ' ',
  );

export interface TargetGroup {
  title: string;
  targets: Schemas['MappingTarget'][];
}

/** Groups the targets of a preview for the mapping form. Targets that are not listed here belong to fills. */
export function groupTargets(targets: Schemas['MappingTarget'][]): TargetGroup[] {
  const groups: TargetGroup[] = [
    { title: 'Fills', targets: [] },
    { title: 'One row per trade', targets: [] },
    { title: 'Annotations', targets: [] },
  ];
  for (const target of targets) {
    const at = roundTrip.includes(target.name) ? 1 : annotations.includes(target.name) ? 2 : 0;
    groups[at]!.targets.push(target);
  }
  return groups.filter((g) => g.targets.length > 0);
}

/** Names of targets that are no fields of a trade, and that sentenceCase would not write well. */
const targetNames: Record<string, string> = {
  executed_at: 'Date and time',
  external_id: 'Broker’s ID',
  order_id: 'Order ID',
  pnl: tradeFields.gross_pnl,
};

const fieldNames: Record<string, string> = tradeFields;

/** Returns a target's label, from a preview's targets if given, otherwise from its name. */
export function targetName(name: string, targets: Schemas['MappingTarget'][] = []): string {
  return (
    targets.find((t) => t.name === name)?.label ?? targetNames[name] ?? fieldNames[name] ?? sentenceCase(name)
  );
}

function sentenceCase(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type Status = Schemas['ImportBatch']['status'];

export const statusNames: Record<Status, string> = {
  pending: 'Not finished',
  committed: 'Imported',
  failed: 'Failed',
  reversed: 'Undone',
};

export const statusTones: Record<Status, 'plain' | 'accent' | 'warn' | 'loss'> = {
  pending: 'warn',
  committed: 'accent',
  failed: 'loss',
  reversed: 'plain',
};

export const stageNames: Record<Schemas['ImportProgress']['stage'], string> = {
  checking: 'Checking for duplicates',
  writing: 'Saving fills and grouping trades',
  annotating: 'Adding notes and tags',
};

/** The kinds an unknown word in a file can mean. */
export const rowKinds = [
  { value: 'deposit', label: 'Deposit' },
  { value: 'withdrawal', label: 'Withdrawal' },
  { value: 'transfer', label: 'Transfer' },
  { value: 'fee', label: 'Fee' },
  { value: 'interest', label: 'Interest' },
  { value: 'dividend', label: 'Dividend' },
  { value: 'withholding', label: 'Withholding tax' },
  { value: 'tax', label: 'Tax' },
  { value: 'adjustment', label: 'Adjustment' },
  { value: 'ignore', label: 'Ignore these rows' },
];

export function rowKindName(kind: string): string {
  return rowKinds.find((k) => k.value === kind)?.label ?? sentenceCase(kind);
}

const items: Record<string, string> = {
  closed_pnl: 'Closed P&L',
  commission: 'Commission',
  swap: 'Swap',
  fees: 'Fees',
  deposits: 'Deposits and withdrawals',
  balance: 'Balance',
};

export function itemName(item: string): string {
  return items[item] ?? sentenceCase(item);
}

const skipReasons: Record<string, string> = {
  duplicate: 'Already imported',
  completed: 'Completes an imported fill',
};

export function reasonName(reason: string): string {
  return skipReasons[reason] ?? sentenceCase(reason);
}

/** Returns a note about a file's columns, '' if none. */
export function mappingNote(
  p: Pick<Schemas['ImportPreview'], 'source' | 'accepts_column_mapping' | 'suggested_mapping'>,
): string {
  if (p.source === 'backup') return '';
  if (!p.accepts_column_mapping) return 'This file has a reader of its own, so its columns can’t be changed.';
  return Object.keys(p.suggested_mapping).length === 0
    ? 'No column of this file was recognized. Match the columns below.'
    : '';
}

type Zones = Pick<Schemas['ImportPreview'], 'suggested_source_tz' | 'source_tz_from' | 'default_tz_from'>;

const defaultZones: Record<Zones['default_tz_from'], string> = {
  '': 'UTC',
  request: 'Your time zone',
  import: 'The time zone of your last import from this broker',
  settings: 'Your time zone',
  market: 'The exchange’s time zone',
  utc: 'UTC',
};

/** Returns where the time zone of a file comes from, in words. */
export function zoneHint(p: Zones): string {
  const assumed = defaultZones[p.default_tz_from];
  switch (p.source_tz_from) {
    case '':
      return 'Match the columns first; the time zone shows when the times are read.';
    case 'request':
      return 'Chosen by you';
    case 'format':
      return 'Default for this broker';
    case 'unknown':
      return `${assumed} (the file doesn’t state one)`;
    case 'days':
      return p.suggested_source_tz
        ? `${assumed} (the file has only dates)`
        : 'No time zone needed: the file has only dates.';
    case 'file':
      return p.suggested_source_tz
        ? 'From the file'
        : 'No time zone needed: each time in this file has its own.';
  }
}

/** Returns where the rows of a file go, in words. */
export function destination(
  p: Pick<Schemas['ImportPreview'], 'source' | 'account_id' | 'pending_account' | 'journal_summary'>,
  accountName: (id: string) => string,
): string {
  if (p.pending_account) return p.pending_account.name;
  if (p.source !== 'backup' || p.account_id !== '') return accountName(p.account_id);
  const count = p.journal_summary?.accounts ?? 0;
  return count === 0 ? 'your journal' : `${count} accounts`;
}

/** Reports whether a warning is about a setting the user should confirm. Currency asks about its own. */
export function isQuestion({ code }: Schemas['WarningDetail']): boolean {
  return code !== '' && code !== 'currency_not_converted';
}

/** Returns a warning in words, as a question if the user should confirm it. */
export function questionText(w: Schemas['WarningDetail'], zone: string): string {
  if (w.code === 'time_zone_unknown')
    return `The times in this file have no time zone. Read them as ${zoneName(zone)}?`;
  return isQuestion(w) ? `${w.text} Is that right?` : w.text;
}

/** Returns a time zone in words: New York time. */
export function zoneName(zone: string): string {
  const place = zone.includes('/') ? zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ') : '';
  return place ? `${place} time` : zone;
}

const orderNames = { '': '', day_first: 'DD/MM', month_first: 'MM/DD' };

/** Returns the remembered settings a file is read with, in words. */
export function usedTexts({ entry, ...used }: UsedMemory, accountName: string): string[] {
  return [
    used.zone ? zoneName(entry.zone) : '',
    used.order ? `dates ${orderNames[entry.order]}` : '',
    used.mapping ? 'your columns' : '',
    used.account ? `account ${accountName}` : '',
  ].filter(Boolean);
}

/** Returns why a remembered setting is not used. */
export function unusedText(unused: Unused): string {
  switch (unused.what) {
    case 'mapping':
      return `The column “${unused.column}” is missing, so your columns are not used. Match the columns again.`;
    case 'zone':
      return 'The file states its time zone, so the remembered one is not used.';
    case 'order':
      return `The dates in this file are ${orderNames[unused.order]}, so the remembered date format is not used.`;
    case 'all':
      return 'The settings of your last import of this kind of file don’t fit. Check the settings below.';
    case 'account':
      return accountTexts[unused.why](unused.name);
  }
}

const accountTexts: Record<'gone' | 'several' | 'new' | 'currency', (name: string) => string> = {
  gone: (name) => `The account ${name} no longer exists. Choose another one.`,
  several: () => 'You import this kind of file into several accounts. Check the account.',
  new: (name) =>
    name
      ? `The file is of account ${name}, which you haven’t imported yet. Check the account.`
      : 'The file names no account. Check the account.',
  currency: (name) => `The currency of account ${name} is not that of the file. Check the account.`,
};

export type FileAction = Schemas['FileAction'];

/** Returns what becomes of a corporate action that the file states. */
export function actionState(
  { state }: Pick<FileAction, 'state'>,
  isIgnored: boolean,
): { text: string; tone: 'plain' | 'warn' | 'accent'; note: string } {
  switch (state) {
    case 'new':
      return isIgnored
        ? { text: 'Left out', tone: 'plain', note: '' }
        : { text: 'Will be recorded', tone: 'accent', note: '' };
    case 'known':
      return { text: 'Already recorded', tone: 'plain', note: '' };
    case 'contradicts':
      return {
        text: 'Not recorded',
        tone: 'warn',
        note: 'Another ratio is recorded for about that day. Check it under Corporate actions.',
      };
    case 'unclear':
      return {
        text: 'Not recorded',
        tone: 'warn',
        note: 'What it changes does not follow from the file. Record it under Corporate actions.',
      };
  }
}
