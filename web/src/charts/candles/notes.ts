// Notes and corporate actions as charts draw them.

import { actionText } from '../../lib/actionText';
import type { Schemas } from '../../lib/api/client';
import { instantOf } from '../../lib/format/days';
import type { ChartNote } from './marks';

interface Note {
  id: string;
  occurred_at: string; // a day or a date-time
  title: string;
  body: string;
}

/** Returns the notes about an instant, by time. Notes about a whole day have no place on a chart. */
export function toChartNotes(notes: Note[]): ChartNote[] {
  return notes
    .filter((note) => note.occurred_at.includes('T'))
    .map((note) => ({
      id: note.id,
      second: Date.parse(note.occurred_at) / 1000,
      text: (note.title || note.body).trim().split('\n')[0]!,
    }))
    .sort((a, b) => a.second - b.second);
}

type Held = Pick<Schemas['Trade'], 'account_id' | 'symbols' | 'opened_at' | 'closed_at'>;

/** Returns the actions on a trade's symbols while it was open, at the start of their days. */
export function toChartActions(actions: Schemas['CorporateAction'][], trade: Held): ChartNote[] {
  const opened = Date.parse(trade.opened_at) / 1000;
  const closed = trade.closed_at === null ? Infinity : Date.parse(trade.closed_at) / 1000;
  return actions
    .filter((a) => a.account_ids.length === 0 || a.account_ids.includes(trade.account_id))
    .filter((a) => trade.symbols.includes(a.symbol))
    .map((a) => ({
      id: a.id,
      second: instantOf(a.effective_on, '00:00', a.tz).getTime() / 1000,
      text: actionText(a),
      isAction: true,
    }))
    .filter((a) => opened <= a.second && a.second <= closed);
}
