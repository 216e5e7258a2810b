// The formats the journal can be exported to.

export interface Kind {
  id: string; // in the screen's address
  format: 'json' | 'zip' | 'xlsx' | 'csv';
  rows?: 'trades' | 'executions' | 'realized-gains';
  backup?: boolean; // can be restored
  other?: 'xlsx'; // a second format to choose
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
    id: 'gains',
    format: 'csv',
    other: 'xlsx',
    rows: 'realized-gains',
    title: 'Realized gains',
    about: 'One row per closing fill: opened, closed, quantity, proceeds, cost, fees and gain. For taxes.',
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

export interface Choice {
  kind: Kind;
  format: Kind['format'];
  accounts: string[]; // empty for all
  period: Record<string, string>; // from and to
}

export function exportAddress({ kind, format, accounts, period }: Choice): string {
  const query = new URLSearchParams({ format });
  if (kind.rows) query.set('rows', kind.rows);
  for (const id of accounts) query.append('account_id', id);
  if (!kind.backup) for (const [name, value] of Object.entries(period)) query.set(name, value);
  return `/api/v1/exports?${query}`;
}

const contents = { trades: '-trades', executions: '-fills', 'realized-gains': '-realized-gains' };

/** Returns the file's name, with its content, the name of its only account, and the day or the period. */
export function exportName(kind: Kind, format: Kind['format'], day: string, account?: string): string {
  const suffix = account ? `-${account.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}` : '';
  return `fillbook${kind.rows ? contents[kind.rows] : ''}${suffix}-${day}.${format}`.replace(/-+/g, '-');
}
