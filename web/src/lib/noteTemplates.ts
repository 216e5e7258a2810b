// Templates of notes: their placeholders, how these are filled in, and the templates
// that are offered to start with.

export interface Placeholder {
  name: string;
  meaning: string;
}

/** The placeholders, in the order in which they are listed. For a weekly review they mean its week. */
export const placeholders: Placeholder[] = [
  { name: 'date', meaning: 'the day, or the first and last day of the week' },
  { name: 'weekday', meaning: 'the day of the week' },
  { name: 'net_pnl', meaning: 'net P&L of the closed trades' },
  { name: 'trades', meaning: 'number of closed trades' },
  { name: 'win_rate', meaning: 'win rate' },
  { name: 'r', meaning: 'total R' },
  { name: 'trade_list', meaning: 'a list of the closed trades' },
  { name: 'open_positions', meaning: 'a list of the open positions' },
  { name: 'routine', meaning: 'the routine of the day, with what is done' },
];

export type PlaceholderValues = Partial<Record<string, string>>;

const pattern = /\{\{\s*([a-z_]+)\s*\}\}/g;

/** Fills in a template's placeholders. Those without a value stay as typed. */
export function fillTemplate(body: string, values: PlaceholderValues): string {
  return body.replace(pattern, (typed, name: string) => values[name] ?? typed);
}

/** Returns the placeholders' names in a template. */
export function findPlaceholders(body: string): Set<string> {
  return new Set([...body.matchAll(pattern)].map((found) => found[1]!));
}

export interface StarterTemplate {
  name: string;
  type: 'note' | 'daily_log' | 'weekly_review';
  body: string;
}

/** The three questions of a review, until the user has a default template of their own. */
export const reviewQuestions =
  '## What went well?\n\n\n## What cost money?\n\n\n## What changes next week?\n\n- [ ] ';

export const starterTemplates: StarterTemplate[] = [
  {
    name: 'Pre-market plan',
    type: 'daily_log',
    body: '## Plan for {{weekday}}, {{date}}\n\n**Market.** \n\n**Levels.** \n\n**Open positions**\n\n{{open_positions}}\n\n- [ ] Wait for my setup\n- [ ] Respect the loss limit',
  },
  {
    name: 'Daily log',
    type: 'daily_log',
    body: '## {{weekday}}, {{date}}\n\n{{trades}} trades, {{win_rate}} won, {{net_pnl}}, {{r}}\n\n{{trade_list}}\n\n**Routine**\n\n{{routine}}\n\n**What I learned.** ',
  },
  {
    name: 'Weekly review',
    type: 'weekly_review',
    body: '{{date}}: {{net_pnl}} in {{trades}} trades, {{win_rate}} won, {{r}}\n\n' + reviewQuestions,
  },
];
