// The title of a selection of trades.

import { formats } from '../../lib/formats.svelte';
import { figureLabel } from '../../lib/labels';
import { groupName, groupTitles, type By } from './groups';

const behaviors: Record<string, string> = {
  revenge: 'Revenge trades',
  overconfidence: 'Overconfident trades',
  loss_aversion: 'Held losers and given back winners',
  overtrading: 'Trades on overtraded days',
};

export function selectionTitle(kind: string, key: string, names: Map<string, string>): string {
  if (kind in groupTitles) return groupTitle(kind as By, key, names);
  switch (kind) {
    case 'figure':
      return figureLabel(key);
    case 'behavior':
      return behaviors[key] ?? 'Trades';
    case 'day':
      return formats.date(key, 'long');
    case 'opened':
      return `Opened on ${formats.date(key, 'long')}`;
    case 'weekday_hour': {
      const [day = '', hour = ''] = key.split('-');
      return `${groupName('weekday', day)}, ${groupName('hour', hour)}`;
    }
    case 'r':
      return rBucketLabel(...(key.split('..') as [string, string]));
    case 'closed':
      return formatSpan(...(key.split('..') as [string, string]));
    case 'after':
      return key === 'win' ? 'Trades after a win' : 'Trades after a loss';
    default:
      return 'Trades';
  }
}

function groupTitle(by: By, key: string, names: Map<string, string>): string {
  const name = groupName(by, key, names.get(key) ?? key);
  return key === '' || by === 'grade' ? name : `${groupTitles[by]}: ${name}`;
}

export function rBucketLabel(from: string | number | null, to: string | number | null): string {
  const low = from === null || from === '' ? null : formats.ratio(from);
  const high = to === null || to === '' ? null : formats.ratio(to);
  if (low === null) return `Below ${high} R`;
  return high === null ? `${low} R and above` : `${low} to ${high} R`;
}

function formatSpan(from: string, to: string): string {
  return `${formats.date(from)} – ${to ? formats.date(to) : 'now'}`;
}
