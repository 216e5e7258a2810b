// @vitest-environment jsdom

import { describe, expect, test } from 'vitest';
import {
  figureDecimals,
  figureSign,
  formatDifference,
  formatFormula,
  roundedDifference,
} from '../../src/lib/figures';
import { currencyDecimals, signOf } from '../../src/lib/format/format';
import { figureKind, figureLabel, figures } from '../../src/lib/labels';

describe('roundedDifference', () => {
  test('subtracts the displayed values', () => {
    expect(roundedDifference(10.006, 9.994, 2)).toBe(0.02);
    expect(roundedDifference(0.33349, 0.33251, 3)).toBe(0);
    expect(roundedDifference(-0.004, 0.004, 2)).toBe(0);
    expect(roundedDifference(null, 1, 2)).toBeNull();
  });
});

test('a difference has its sign, whatever its kind', () => {
  expect(formatDifference(-4320, 'duration', 'USD')).toBe('−1\u00a0h 12\u00a0min');
  expect(formatDifference(4320, 'duration', 'USD')).toBe('+1\u00a0h 12\u00a0min');
  expect(formatDifference(-2, 'count', 'USD')).toBe('−2');
});

test('a result has the sign of what is displayed', () => {
  expect(figureSign(0.004, 'r', 'USD')).toBe(0);
  expect(figureSign(-0.005, 'r', 'USD')).toBe(-1);
  expect(figureSign('-0.004', 'result', 'USD')).toBe(0);
  expect(figureSign('0.4', 'result', 'JPY')).toBe(0);
  expect(figureSign('0.00000001', 'result', 'BTC')).toBe(signOf('0.00000001', currencyDecimals('BTC')));
  expect(figureSign(12, 'count', 'USD')).toBe(0);
});

test('figureDecimals depends on the kind and the currency', () => {
  expect(figureDecimals('money', 'USD')).toBe(2);
  expect(figureDecimals('money', 'JPY')).toBe(0);
  expect(figureDecimals('share', 'USD')).toBe(3);
  expect(currencyDecimals('USDT')).toBe(8);
});

describe('formatFormula', () => {
  test('writes labels and signs', () => {
    expect(formatFormula('gross_profit / gross_loss')).toBe('gross profit ÷ gross loss');
    expect(formatFormula('net_pnl / total_trades')).toBe('net P&L ÷ trades');
  });

  test('puts a label that contains a slash in parentheses', () => {
    expect(formatFormula('win_rate - losses / payoff_ratio')).toBe(
      'win rate − losses ÷ (avg win / avg loss)',
    );
  });
});

describe('labels', () => {
  test('are unique', () => {
    const labels = Object.values(figures).map((f) => f.label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  test('fall back to the API name', () => {
    expect(figureLabel('some_new_figure')).toBe('some new figure');
    expect(figureKind('some_new_figure')).toBe('ratio');
  });
});
