// Conditions with words of their own: "losing", "shorts", "friday", "grade 4".

import { sessionNames, weekdayNames } from './describe';
import { matchName } from './nameWords';
import { fold, term, type Found, type Term } from './terms';
import { hoursFrom } from './timeWords';

/** Conditions with fixed words. The first word of an entry is the one that is suggested. */
export const fixed: [string[], Term][] = [
  [
    ['losing', 'loss', 'losses', 'loser', 'losers', 'lost'],
    term('Outcome', 'Losing', { outcomes: ['loss'] }),
  ],
  [['winning', 'win', 'wins', 'winner', 'winners', 'won'], term('Outcome', 'Winning', { outcomes: ['win'] })],
  [['breakeven', 'break even', 'scratch'], term('Outcome', 'Breakeven', { outcomes: ['breakeven'] })],
  [['short', 'shorts'], term('Side', 'Short', { side: 'short' })],
  [['long', 'longs'], term('Side', 'Long', { side: 'long' })],
  [['open', 'open trades', 'open positions'], term('Status', 'Open', { status: 'open' })],
  [['closed', 'closed trades'], term('Status', 'Closed', { status: 'closed' })],
  [['unreviewed', 'not reviewed', 'to review'], term('Review', 'Unreviewed', { reviewed: 'false' })],
  [['reviewed'], term('Review', 'Reviewed', { reviewed: 'true' })],
  [['stock', 'stocks'], term('Instrument', 'Stock', { types: ['stock'] })],
  [['option', 'options'], term('Instrument', 'Option', { types: ['option'] })],
  [['future', 'futures'], term('Instrument', 'Future', { types: ['future'] })],
  [['forex', 'fx'], term('Instrument', 'Forex', { types: ['forex'] })],
  [['crypto'], term('Instrument', 'Crypto', { types: ['crypto'] })],
  [['cfd', 'cfds'], term('Instrument', 'CFD', { types: ['cfd'] })],
  [['call', 'calls'], term('Option right', 'Call', { rights: ['call'] })],
  [['put', 'puts'], term('Option right', 'Put', { rights: ['put'] })],
  [['0dte', '0 dte'], term('Days to expiry', 'Same day', { dteMin: '0', dteMax: '0' })],
  [
    ['premarket', 'pre-market', 'pre market'],
    term('Session', sessionNames.premarket!, { sessions: ['premarket'] }),
  ],
  [['rth', 'regular session', 'regular hours'], term('Session', sessionNames.rth!, { sessions: ['rth'] })],
  [
    ['after hours', 'afterhours', 'after-hours', 'post market', 'postmarket'],
    term('Session', sessionNames.afterhours!, { sessions: ['afterhours'] }),
  ],
  [['overnight'], term('Session', sessionNames.overnight!, { sessions: ['overnight'] })],
  [['morning'], term('Time', 'Before noon', { hours: hoursFrom(0, 11) })],
  [['afternoon'], term('Time', 'After noon', { hours: hoursFrom(12) })],
  [
    ['broke a rule', 'broke rule', 'broken rule', 'broken rules', 'rule broken', 'rules broken'],
    term('Rule', 'Broke a rule', { ruleStates: ['broken'], rule: '' }),
  ],
  [
    ['followed a rule', 'followed rule', 'followed rules', 'rule followed', 'rules followed'],
    term('Rule', 'Followed a rule', { ruleStates: ['followed'], rule: '' }),
  ],
  [
    ['mistake', 'with mistake', 'with a mistake', 'mistakes'],
    term('Mistake', 'With a mistake', { mistake: 'true' }),
  ],
  [
    ['no mistake', 'no mistakes', 'without mistake', 'without a mistake', 'without mistakes'],
    term('Mistake', 'Without mistakes', { mistake: 'false' }),
  ],
  [
    ['no setup', 'without setup', 'without a setup'],
    term('Setup', 'No setup', { setups: [], setupMode: 'none' }),
  ],
  [
    ['no tag', 'no tags', 'without tag', 'without tags', 'untagged'],
    term('Tag', 'No tags', { tags: [], tagMode: 'none' }),
  ],
  [['has note', 'with note', 'with a note', 'with notes'], term('Note', 'With a note', { hasNote: 'true' })],
  [
    ['no note', 'no notes', 'without note', 'without a note', 'without notes'],
    term('Note', 'Without a note', { hasNote: 'false' }),
  ],
  [
    ['has screenshot', 'with screenshot', 'with a screenshot', 'screenshot', 'has attachment'],
    term('Screenshot', 'With a screenshot', { hasAttachment: 'true' }),
  ],
  [
    ['no screenshot', 'without screenshot', 'without a screenshot', 'no attachment'],
    term('Screenshot', 'Without a screenshot', { hasAttachment: 'false' }),
  ],
  [
    ['has mae', 'with mae', 'has mfe', 'with mfe'],
    term('MAE and MFE', 'With MAE and MFE', { hasExcursion: 'true' }),
  ],
  [
    ['no mae', 'without mae', 'no mfe', 'without mfe'],
    term('MAE and MFE', 'Without MAE and MFE', { hasExcursion: 'false' }),
  ],
  [['has r', 'with r'], term('R multiple', 'With an R multiple', { hasR: 'true' })],
  [['no r', 'without r'], term('R multiple', 'Without an R multiple', { hasR: 'false' })],
  ...weekdayNames.map((name, day): [string[], Term] => [
    [
      name,
      `${name}s`,
      name.slice(0, 3),
      ...(name.startsWith('T') ? [name.slice(0, 4), name.slice(0, 5)] : []),
    ].map((word) => word.toLowerCase()),
    term('Weekday', name, { weekdays: [String(day)] }),
  ]),
];

export function findFixed(tokens: string[]): Found | null {
  let best: Found | null = null;
  for (const [phrases, made] of fixed)
    for (const phrase of phrases) {
      const length = matchName(tokens, phrase);
      if (length > (best?.length ?? 0)) best = { length, term: made };
    }
  return best;
}

/** Finds "grade 4" or "graded 4 or 5". */
export function findGrade(tokens: string[]): Found | null {
  if (!/^(grade|graded|quality)$/i.test(tokens[0] ?? '') || !/^[1-5]$/.test(tokens[1] ?? '')) return null;
  const more = /^or$/i.test(tokens[2] ?? '') && /^[1-5]$/.test(tokens[3] ?? '');
  const grades = [tokens[1]!, ...(more ? [tokens[3]!] : [])];
  return { length: more ? 4 : 2, term: term('Grade', `Grade ${grades.join(' or ')}`, { grades }) };
}

/** Finds "feeling calm". */
export function findEmotion(tokens: string[]): Found | null {
  const [first = '', second] = tokens;
  if (fold(first) !== 'feeling' || !second) return null;
  return { length: 2, term: term('Emotional state', `Feeling ${second}`, { emotions: [second] }) };
}
