import { expect, test } from 'vitest';
import { answerRule, firstRule, listRules, nextRule } from '../../src/screens/trades/rules';

const setups = [
  { id: 'a', name: 'Breakout', checklist: ['Volume', 'Retest', 'Volume'] },
  { id: 'b', name: 'Fade', checklist: ['Trend'] },
];
const trade = {
  setup_ids: ['b', 'a', 'gone'],
  rules: [
    { setup_id: 'a', rule: 'Old', state: 'broken' as const },
    { setup_id: 'a', rule: 'Retest', state: 'followed' as const },
  ],
};

test('rules are listed by setup, each once, and removed ones last', () => {
  expect(listRules(trade, setups).map((r) => [r.setup, r.rule, r.state, r.removed])).toEqual([
    ['Fade', 'Trend', null, false],
    ['Breakout', 'Volume', null, false],
    ['Breakout', 'Retest', 'followed', false],
    ['Breakout', 'Old', 'broken', true],
  ]);
});

test('an answer is sent with all others, and the same answer again removes it', () => {
  const rules = listRules(trade, setups);
  const states = (index: number, state: 'followed' | 'broken') =>
    answerRule(rules, index, state).map((r) => [r.rule, r.state]);
  expect(states(1, 'broken')).toEqual([
    ['Volume', 'broken'],
    ['Retest', 'followed'],
    ['Old', 'broken'],
  ]);
  expect(states(2, 'followed')).toEqual([
    ['Retest', null],
    ['Old', 'broken'],
  ]);
});

test('after an answer comes the next rule without one', () => {
  const rules = listRules(trade, setups);
  expect(firstRule(rules)).toBe(0);
  expect(nextRule(rules, 0)).toBe(1);
  expect(nextRule(rules, 1)).toBe(2); // all answered: the next one
  expect(nextRule(rules, 3)).toBe(3);
});
