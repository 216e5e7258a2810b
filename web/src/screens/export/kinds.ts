// What can be taken out of the journal, and what each file is for.

export interface Kind {
  id: string; // in the address of the screen
  format: 'json' | 'zip' | 'xlsx' | 'csv';
  rows?: 'trades' | 'executions';
  backup?: boolean; // complete, can be imported again
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
      'Everything but attached files. Imports again, here or on another server, and changes nothing twice.',
  },
  {
    id: 'zip',
    format: 'zip',
    backup: true,
    title: 'Backup with files',
    about: 'The same, with screenshots and other attachments. The one to keep.',
  },
  {
    id: 'xlsx',
    format: 'xlsx',
    title: 'Workbook',
    about: 'For Excel, LibreOffice or Numbers: sort, pivot, hand to an accountant.',
  },
  {
    id: 'csv',
    format: 'csv',
    rows: 'trades',
    title: 'Trades as a table',
    about: 'One line a trade, with result, fees, R, setups and tags. For scripts and sheets.',
  },
  {
    id: 'fills',
    format: 'csv',
    rows: 'executions',
    title: 'Fills as a table',
    about: 'One line an execution, as the broker reported it. For tax tools and other journals.',
  },
];

export function exportAddress(kind: Kind, accounts: string[]): string {
  const query = new URLSearchParams({ format: kind.format });
  if (kind.rows) query.set('rows', kind.rows);
  for (const id of accounts) query.append('account_id', id);
  return `/api/v1/exports?${query}`;
}

/** The file's name: the day, and the account when it is of one. */
export function exportName(kind: Kind, day: string, account?: string): string {
  const of = account ? `-${account.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}` : '';
  const what = kind.rows === 'executions' ? '-fills' : kind.rows === 'trades' ? '-trades' : '';
  return `fillbook${what}${of}-${day}.${kind.format}`.replace(/-+/g, '-');
}
