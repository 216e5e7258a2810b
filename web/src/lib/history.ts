// The history of what was stored: the words for records, actions and actors, and the
// address of a record.

import type { Schemas } from './api/client';
import { tradeFields } from './labels';

export type Change = Schemas['HistoryChange'];
export type ChangedObject = Change['objects'][number];
export type Actor = Change['actor'];

/** The types of records in the order of the filter, with their names. */
export const recordNames: Record<string, string> = {
  trade: 'Trade',
  execution: 'Fill',
  cash_transaction: 'Cash transaction',
  corporate_action: 'Corporate action',
  note: 'Note',
  tag: 'Tag',
  setup: 'Setup',
  account: 'Account',
  import: 'Import',
  attachment: 'Attachment',
  missed_trade: 'Missed trade',
  routine_item: 'Routine item',
  routine_day: 'Routine day',
  note_template: 'Note template',
  view: 'View',
  strategy: 'Strategy',
  enrollment: 'Enrollment',
  prop_program: 'Program',
  share_link: 'Share link',
  connection: 'Connection',
  hook: 'Webhook',
  bar_import: 'Price import',
  price_source: 'Price source',
  position_mark: 'Position price',
  instrument: 'Instrument',
  layout: 'Import layout',
  preferences: 'Preferences',
  access_token: 'Access token',
  session: 'Session',
  user: 'User',
  change: 'History entry',
};

export const recordName = (type: string) => recordNames[type] ?? inWords(type);

export const actionNames: Record<string, string> = {
  create: 'Created',
  update: 'Edited',
  delete: 'Deleted',
  bulk: 'Edited together',
  import: 'Imported',
  reverse: 'Import undone',
  restore: 'Restored from a backup',
  run: 'Fetched from a broker',
  deliver: 'Received by webhook',
  undo: 'Undone',
  settings: 'Settings',
  security: 'Security',
};

/** All actions but those of security, which are shown only when asked for. */
export const shownActions = Object.keys(actionNames).filter((a) => a !== 'security');

const actorNames: Record<string, string> = {
  session: 'You',
  token: 'Access token',
  connection: 'Connection',
  hook: 'Webhook',
  watch: 'Watched folder',
  cli: 'Server operator',
};

/** Who made a change, such as "You" or "Access token “Notebook”". */
export function actorLabel(actor: Actor): string {
  const kind = actorNames[actor.kind] ?? inWords(actor.kind);
  return actor.name && actor.kind !== 'session' ? `${kind} “${actor.name}”` : kind;
}

export const actorKinds = Object.entries(actorNames).map(([value, label]) => ({ value, label }));

const fieldNames: Record<string, string> = {
  ...tradeFields,
  body: 'Text',
  tag_ids: 'Tags',
  setup_ids: 'Setups',
  account_id: 'Account',
  trade_id: 'Trade',
  executed_at: 'Time',
  occurred_at: 'Date',
  reviewed_at: 'Reviewed',
  reviewed: 'Reviewed',
  fee: 'Fees',
  is_mistake: 'Mistake',
};

/** A field's label, from its name in the API. */
export function fieldLabel(name: string): string {
  return fieldNames[name] ?? inWords(name);
}

function inWords(name: string): string {
  const text = name.replaceAll('_', ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The address of a record's own page, '' if it has none. */
export function recordHref({ type, id, action }: ChangedObject): string {
  if (action === 'deleted') return '';
  const place = {
    account: '/accounts/',
    trade: '/trades/',
    note: '/notes/',
    import: '/import/',
    setup: '/setups/',
    routine_day: '/calendar/',
  }[type];
  return place ? place + encodeURIComponent(id) : '';
}

/** Why a change can't be undone, '' if it can. */
export function refusalText(change: Change): string {
  switch (change.not_undoable) {
    case null:
    case undefined:
      return '';
    case 'expired':
      return 'Too old to undo';
    case 'erased':
      return 'Erased';
    case 'already_undone':
      return 'Undone';
    case 'security':
      return 'Security changes can’t be undone';
    case 'permanent':
      return 'Permanent';
    default:
      return 'Can’t be undone';
  }
}
