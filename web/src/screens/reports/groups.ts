// The dimensions of breakdowns and their groups' labels.

import { dateLocale } from '../../lib/format/format';
import { filter } from '../../lib/filter/filter.svelte';
import { formats } from '../../lib/formats.svelte';

export type By =
  | 'symbol'
  | 'root'
  | 'setup'
  | 'tag'
  | 'mistake'
  | 'side'
  | 'instrument'
  | 'weekday'
  | 'hour'
  | 'month'
  | 'session'
  | 'hold_time'
  | 'size'
  | 'grade'
  | 'account';

export const groupTitles: Record<By, string> = {
  symbol: 'Contract',
  root: 'Symbol',
  setup: 'Setup',
  tag: 'Tag',
  mistake: 'Mistake',
  side: 'Side',
  instrument: 'Instrument',
  weekday: 'Weekday',
  hour: 'Hour',
  month: 'Month',
  session: 'Session',
  hold_time: 'Holding time',
  size: 'Size',
  grade: 'Grade',
  account: 'Account',
};

const fixedLabels: Partial<Record<By, Record<string, string>>> = {
  session: {
    premarket: 'Pre-market',
    rth: 'Regular',
    afterhours: 'After hours',
    overnight: 'Overnight',
  },
  hold_time: {
    under_1m: 'Under 1 min',
    '1m_5m': '1–5 min',
    '5m_15m': '5–15 min',
    '15m_1h': '15 min–1 h',
    '1h_4h': '1–4 h',
    '4h_1d': '4 h–1 d',
    '1d_1w': '1–7 d',
    over_1w: 'Over a week',
  },
  size: { q1: 'Smallest 25%', q2: 'Second 25%', q3: 'Third 25%', q4: 'Largest 25%' },
  side: { long: 'Long', short: 'Short' },
  setup: { '': 'No setup' },
  tag: { '': 'No tag' },
  mistake: { '': 'No mistake' },
  grade: { '': 'Not graded' },
};

/** Returns the page of a group, '' if it has none. */
export function groupHref(by: By, key: string): string {
  if (key === '') return '';
  if (by === 'setup') return filter.link(`/setups/${key}`);
  return by === 'root' ? filter.link(`/symbols/${encodeURIComponent(key)}`) : '';
}

const sunday = '2023-01-01';

/** Returns a group's label. */
export function groupName(by: By, key: string, name = key): string {
  const label = fixedLabels[by]?.[key];
  if (label) return label;
  switch (by) {
    case 'weekday':
      return weekdayName(Number(key));
    case 'hour':
      return formats.hour(Number(key));
    case 'month':
      return formats.month(key);
    case 'grade':
      return `Grade ${key}`;
    case 'instrument':
      return name.charAt(0).toUpperCase() + name.slice(1);
    default:
      return name;
  }
}

function weekdayName(day: number): string {
  const at = new Date(`${sunday}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + day);
  return new Intl.DateTimeFormat(dateLocale(formats.notation.locale), {
    timeZone: 'UTC',
    weekday: 'short',
  }).format(at);
}
