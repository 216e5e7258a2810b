// The formats that the journal can be exported to.

export interface Kind {
  id: string; // in the address of the screen
  format: 'json' | 'zip' | 'xlsx' | 'csv';
  rows?: 'trades' | 'executions';
  backup?: boolean; // can be restored
  title: string;
  about: string;
}

export const kinds: Kind[] = [
  {
    id: 'json',
    format: 'json',
    backup: true,
    title: 'Backup',
    about:
      'Everything except attachments. You can restore it here or on another server; restoring never creates duplicates.',
  },
  {
    id: 'zip',
    format: 'zip',
    backup: true,
    title: 'Backup with attachments',
    about: 'The complete backup, with screenshots and PDFs.',
  },
  {
    id: 'xlsx',
    format: 'xlsx',
    title: 'Workbook',
    about: 'For Excel, LibreOffice or Numbers, or for your accountant.',
  },
  {
    id: 'csv',
    format: 'csv',
    rows: 'trades',
    title: 'Trades',
    about: 'One row per trade, with P&L, fees, R, setups and tags. For scripts and spreadsheets.',
  },
  {
    id: 'fills',
    format: 'csv',
    rows: 'executions',
    title: 'Fills',
    about: 'One row per fill, as your broker reported it. For tax software and other journals.',
  },
];

export function exportAddress(kind: Kind, accounts: string[]): string {
  const query = new URLSearchParams({ format: kind.format });
  if (kind.rows) query.set('rows', kind.rows);
  for (const id of accounts) query.append('account_id', id);
  return `/api/v1/exports?${query}`;
}

/** Returns the name of the file, with the day and, if it has only one account, the name of that. */
export function exportName(kind: Kind, day: string, account?: string): string {
  const suffix = account ? `-${account.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}` : '';
  const content = kind.rows === 'executions' ? '-fills' : kind.rows === 'trades' ? '-trades' : '';
  return `fillbook${content}${suffix}-${day}.${kind.format}`.replace(/-+/g, '-');
}
