// What the report of MAE and MFE says about exits: one sentence for each question.
// The figures come from the API; nothing here adds up money.

import type { Schemas } from '../../lib/api/client';
import { middleOf, writeMiddle } from '../../lib/format/bounds';
import { formats } from '../../lib/formats.svelte';
import { chanceText } from '../../lib/evidence';

type Report = Schemas['ExcursionFigures'];
type WhatIf = Schemas['WhatIf'];
type AfterExit = Schemas['AfterExitStats'];

/** The number of trades from which a row after the exit is reported. */
const enoughTrades = 30;

export const writeR = (bounds: { low: number; high: number }) =>
  writeMiddle(bounds, formats.r, formats.ratio);

/** Names a time after the exit. */
export const heldFor = (row: AfterExit) =>
  row.minutes === null ? 'to the end of the session' : `${formats.plural(row.minutes, 'minute')} longer`;

const hasInterval = (row: AfterExit) => row.interval.low !== null && row.interval.high !== null;
const isGain = (row: AfterExit) => hasInterval(row) && row.interval.low! > 0;
const isLoss = (row: AfterExit) => hasInterval(row) && row.interval.high! < 0;

/**
 * Returns the row that answers whether exits are too early: a clear one if any, else the longest time for which most
 * trades have prices.
 */
export function tellingRow(rows: AfterExit[]): AfterExit | undefined {
  const known = rows.filter((row) => row.trades >= enoughTrades && row.mean !== null && hasInterval(row));
  const most = Math.max(0, ...known.map((row) => row.trades));
  return (
    known.find((row) => isGain(row) || isLoss(row)) ?? known.findLast((row) => row.trades >= most * 0.75)
  );
}

/** Answers whether exits are too early, in a few words. */
export function answerTooEarly(report: Report): string {
  const row = tellingRow(report.after_exit);
  if (!row) return 'Not enough trades with prices after the exit to tell whether you exit too early.';
  if (isGain(row)) return 'You exit too early, on average.';
  return isLoss(row)
    ? 'You don’t exit too early: holding longer cost money.'
    : 'No clear sign that you exit too early.';
}

/** Says what holding on would have changed. */
export function describeHolding(report: Report, currency: string): string | null {
  const row = tellingRow(report.after_exit);
  if (!row) return null;
  const money = (value: number) => formats.money(value, currency, { signed: true });
  const chance = chanceText(isGain(row) || isLoss(row));
  return (
    `Holding ${heldFor(row)} would have changed the average trade by ${money(row.mean!)} ` +
    `(${formats.plural(row.trades, 'trade')}, 95%: ${money(row.interval.low!)} to ${money(row.interval.high!)}): ${chance}.`
  );
}

type Side = 'better' | 'worse' | 'the same';

/** Compares a result with the one as traded; undecided bounds count as the same. */
function compare(other: { low: number; high: number }, traded: { low: number; high: number }): Side {
  if (other.low > traded.high) return 'better';
  return other.high < traded.low ? 'worse' : 'the same';
}

function compareHalves(other: WhatIf, traded: WhatIf): string {
  const [first, second] = [0, 1].map((i) => compare(other.halves[i]!, traded.halves[i]!)) as [Side, Side];
  if (first === second) return `${first} in both halves of your trades`;
  return `${first} in the first half of your trades, ${second} in the second`;
}

/** Says what the best of some stops or targets would have made, and whether it holds in both halves of the trades. */
export function describeBest(kind: 'stop' | 'target', traded: WhatIf, tried: WhatIf[]): string | null {
  const best = [...tried].sort((a, b) => middleOf(b) - middleOf(a))[0];
  if (!best || best[kind] === null) return null;
  const name = kind === 'stop' ? 'stop' : 'fixed target';
  const sides = [0, 1].map((i) => compare(best.halves[i]!, traded.halves[i]!));
  if (compare(best, traded) !== 'better') {
    const [from, to] = [tried[0]![kind], tried.at(-1)![kind]].map((x) => formats.decimal(x));
    return `No ${name} from ${from} to ${to} R would have made clearly more than the ${writeR(traded)} as traded.`;
  }
  const made =
    `A ${name} at ${formats.decimal(best[kind])} R would have made ${writeR(best)} ` +
    `instead of ${writeR(traded)}, ${compareHalves(best, traded)}`;
  return sides.every((side) => side === 'better')
    ? `${made}. It is the best of ${formats.count(tried.length)} tried, so expect less from it.`
    : `${made}: no clear gain.`;
}

/** Says how many trades reached 1 R and still closed without a gain. */
export function describeGivenBack(report: Report): string {
  const { low, high } = report.went_for_loss;
  const even = report.went_for_breakeven.low;
  const count = low === high ? formats.count(low) : `At least ${formats.count(low)}`;
  const flat = even > 0 ? `, and ${formats.count(even)} at breakeven` : '';
  return `${count} of ${formats.plural(report.with_r, 'trade')} reached 1 R and still closed at a loss${flat}.`;
}
