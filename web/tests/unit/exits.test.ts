// @vitest-environment jsdom

import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../src/lib/api/client';
import {
  answerTooEarly,
  describeBest,
  describeGivenBack,
  describeHolding,
  tellingRow,
} from '../../src/screens/reports/exits';

type Report = Schemas['ExcursionFigures'];
type WhatIf = Schemas['WhatIf'];

const none = { low: 0, high: 0 };
const tried = (target: number | null, first: [number, number], second: [number, number]): WhatIf => ({
  stop: null,
  target,
  low: first[0] + second[0],
  high: first[1] + second[1],
  halves: [
    { low: first[0], high: first[1] },
    { low: second[0], high: second[1] },
  ],
  winners_stopped: none,
  losers_stopped: none,
  targets_reached: none,
});
const held = (minutes: number | null, trades: number, mean: number, low: number, high: number) => ({
  minutes,
  trades,
  mean,
  interval: { low, high, enough: true, missing: 0 },
});
const report = (parts: Partial<Report>) => parts as Report;
const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ');

describe('the verdict on targets', () => {
  const traded = tried(null, [89, 89], [100, 100]);

  it('that help in one half only are no clear gain', () => {
    expect(
      plain(describeBest('target', traded, [tried(1, [80, 80], [90, 90]), tried(1.5, [110, 111], [91, 92])])),
    ).toBe(
      'A fixed target at 1.5 R would have made +202.00 R ± 1.00 instead of +189.00 R, better in the first half of your trades, worse in the second: no clear gain.',
    );
  });

  it('that help in both halves were still chosen afterwards', () => {
    expect(plain(describeBest('target', traded, [tried(2, [95, 95], [110, 110])]))).toBe(
      'A fixed target at 2 R would have made +205.00 R instead of +189.00 R, better in both halves of your trades. It is the best of 1 tried, so expect less from it.',
    );
  });

  it('whose bounds include the result as traded are not better', () => {
    expect(
      plain(describeBest('target', traded, [tried(0.5, [1, 1], [1, 1]), tried(3, [88, 90], [100, 101])])),
    ).toBe('No fixed target from 0.5 to 3 R would have made clearly more than the +189.00 R as traded.');
  });
});

describe('the answer to exits', () => {
  it('is open while intervals contain zero, and reports a long time that most trades have', () => {
    const open = report({
      after_exit: [held(5, 100, 1, -2, 4), held(60, 90, 3, -4, 9), held(null, 40, 5, -9, 20)],
    });
    expect(tellingRow(open.after_exit)?.minutes).toBe(60);
    expect(answerTooEarly(open)).toBe('No clear sign that you exit too early.');
    expect(describeHolding(open, 'USD')).toBe(
      'Holding 60 minutes longer would have changed the average trade by +$3.00 (90 trades, 95%: −$4.00 to +$9.00): could be chance.',
    );
  });

  it('is clear when an interval excludes zero', () => {
    const early = report({ after_exit: [held(5, 100, 1, -2, 4), held(15, 90, 6, 2, 9)] });
    expect(answerTooEarly(early)).toBe('You exit too early, on average.');
    expect(describeHolding(early, 'USD')).toMatch(/^Holding 15 minutes longer .*: unlikely to be chance\.$/);
    const late = report({ after_exit: [held(null, 90, -6, -9, -2)] });
    expect(answerTooEarly(late)).toBe('You don’t exit too early: holding longer cost money.');
    expect(describeHolding(late, 'USD')).toMatch(/^Holding to the end of the session would/);
  });

  it('needs 30 trades', () => {
    const few = report({ after_exit: [held(5, 29, 6, 2, 9)] });
    expect(answerTooEarly(few)).toMatch(/^Not enough trades/);
    expect(describeHolding(few, 'USD')).toBeNull();
  });

  it('counts trades that reached 1 R and lost', () => {
    const counted = (low: number, high: number, even: number) =>
      describeGivenBack(
        report({ with_r: 921, went_for_loss: { low, high }, went_for_breakeven: { low: even, high: even } }),
      );
    expect(counted(107, 107, 0)).toBe('107 of 921 trades reached 1 R and still closed at a loss.');
    expect(counted(107, 108, 3)).toBe(
      'At least 107 of 921 trades reached 1 R and still closed at a loss, and 3 at breakeven.',
    );
  });
});
