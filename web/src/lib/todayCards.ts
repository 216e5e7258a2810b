// The cards of Today: which exist, which are shown by default, and how they are laid
// out. The user's own choice is in the preferences; see todayCards.svelte.ts.

/** A full card takes the whole width; the others share a row of two columns. */
export type CardWidth = 'full' | 'wide' | 'narrow';

export interface TodayCard {
  id: string;
  title: string;
  width: CardWidth;
  report?: boolean; // from the reports, not shown by default
}

const own: TodayCard[] = [
  { id: 'performance', title: 'Performance', width: 'full' },
  { id: 'day', title: 'Today’s result', width: 'full' },
  { id: 'insights', title: 'Insights', width: 'wide' },
  { id: 'plan', title: 'Plan and log', width: 'wide' },
  { id: 'routine', title: 'Routine', width: 'narrow' },
  { id: 'positions', title: 'Open positions', width: 'wide' },
  { id: 'review', title: 'To review', width: 'narrow' },
  { id: 'figures', title: 'Key figures', width: 'full' },
  { id: 'curve', title: 'Net P&L curve', width: 'full' },
  { id: 'month', title: 'This month', width: 'full' },
];

const reports: [id: string, title: string, width: CardWidth][] = [
  ['winners', 'Winners vs. losers', 'wide'],
  ['quality', 'Quality and activity', 'wide'],
  ['weekday_hour', 'Results by weekday and hour', 'full'],
  ['hour', 'Results by hour', 'full'],
  ['weekday', 'Results by weekday', 'full'],
  ['session', 'Results by session', 'full'],
  ['month', 'Results by month', 'full'],
  ['setup', 'Setups', 'full'],
  ['mistake', 'Mistakes', 'full'],
  ['tag', 'Tags', 'full'],
  ['revenge', 'Revenge trading', 'wide'],
  ['overconfidence', 'Overconfidence', 'wide'],
  ['loss_aversion', 'Loss aversion', 'wide'],
  ['overtrading', 'Overtrading', 'wide'],
  ['after', 'After a win, after a loss', 'wide'],
  ['drawdowns', 'Drawdowns', 'full'],
  ['r', 'R distribution', 'wide'],
  ['montecarlo', 'Monte Carlo simulation', 'wide'],
  ['streaks', 'Streaks', 'full'],
  ['daily', 'Daily P&L distribution', 'full'],
  ['hold_time', 'Results by holding time', 'full'],
  ['size', 'Results by size', 'full'],
  ['grade', 'Results by grade', 'full'],
  ['side', 'Results by side', 'full'],
  ['instrument', 'Results by instrument', 'full'],
  ['account', 'Results by account', 'full'],
  ['symbol', 'Results by symbol', 'full'],
];

const reportPrefix = 'report.';

/** Returns the id on Today of a card of the reports. */
export const reportCardID = (id: string) => reportPrefix + id;

/** Returns the id that a card on Today has in the reports. */
export const reportOf = (card: TodayCard) => card.id.slice(reportPrefix.length);

export const todayCards: TodayCard[] = [
  ...own,
  ...reports.map(([id, title, width]) => ({ id: reportCardID(id), title, width, report: true })),
];

/** The ids shown until the user chooses others. A phone has room for less, and checks come first there. */
export function defaultCards(phone: boolean): string[] {
  return phone
    ? ['performance', 'day', 'insights', 'routine', 'plan', 'positions', 'review']
    : ['performance', 'day', 'insights', 'positions', 'review', 'plan', 'routine', 'month'];
}

/** Returns the cards of a stored list. Unknown and repeated ids are left out; without a list it is the default. */
export function parseCards(stored: unknown, phone: boolean): TodayCard[] {
  const ids = Array.isArray(stored) ? [...new Set(stored)] : defaultCards(phone);
  return ids.flatMap((id) => todayCards.find((card) => card.id === id) ?? []);
}

/** A row of Today: one full card, or cards in two columns. */
export interface CardRow {
  id: string; // that of its first card
  full?: TodayCard;
  wide: TodayCard[];
  narrow: TodayCard[];
}

/** Returns the rows of some cards. Cards between two full ones share a row. */
export function layOutCards(cards: TodayCard[]): CardRow[] {
  const rows: CardRow[] = [];
  for (const card of cards) {
    let row = rows.at(-1);
    if (card.width === 'full') {
      rows.push({ id: card.id, full: card, wide: [], narrow: [] });
      continue;
    }
    if (!row || row.full) rows.push((row = { id: card.id, wide: [], narrow: [] }));
    row[card.width].push(card);
  }
  return rows;
}
