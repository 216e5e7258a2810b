// A trade's rules: the lines of its setups' checklists, each with its state.

import type { Schemas } from '../../lib/api/client';

export type RuleState = Schemas['RuleTick']['state'];

export interface Rule {
  setup_id: string;
  setup: string; // its name
  rule: string;
  state: RuleState | null;
  removed: boolean; // no longer in the checklist
}

type Ruled = Pick<Schemas['Trade'], 'setup_ids' | 'rules'>;
type Checklist = Pick<Schemas['Setup'], 'id' | 'name' | 'checklist'>;

export const ruleStates: { value: RuleState; label: string; key: string }[] = [
  { value: 'followed', label: 'Followed', key: 'f' },
  { value: 'broken', label: 'Broken', key: 'b' },
  { value: 'not_applicable', label: 'N/A', key: 'x' },
];

/** Returns a trade's rules by setup, in the checklists' order. Removed rules that have a state follow. */
export function listRules(trade: Ruled, setups: Checklist[]): Rule[] {
  return trade.setup_ids.flatMap((id) => {
    const setup = setups.find((s) => s.id === id);
    if (!setup) return [];
    const states = new Map(trade.rules.filter((r) => r.setup_id === id).map((r) => [r.rule, r.state]));
    const lines = [...new Set(setup.checklist)];
    const removed = [...states.keys()].filter((text) => !lines.includes(text));
    return [...lines, ...removed].map((rule, i) => ({
      setup_id: id,
      setup: setup.name,
      rule,
      state: states.get(rule) ?? null,
      removed: i >= lines.length,
    }));
  });
}

/**
 * Returns all states after an answer, as a change sends them: changes that wait for the server are merged by
 * field, so a list of one rule would lose the others. The same answer again removes it.
 */
export function answerRule(rules: Rule[], index: number, state: RuleState) {
  return rules
    .map((r, i) => ({
      setup_id: r.setup_id,
      rule: r.rule,
      state: i !== index ? r.state : r.state === state ? null : state,
    }))
    .filter((r, i) => r.state !== null || rules[i]!.state !== null);
}

/** Returns the first rule after an index that has no state, or else the next one. */
export function nextRule(rules: Rule[], index: number): number {
  const open = rules.findIndex((r, i) => i > index && r.state === null);
  return open >= 0 ? open : Math.min(index + 1, rules.length - 1);
}

/** Returns the rule to begin with: the first without a state. */
export function firstRule(rules: Rule[]): number {
  return Math.max(
    0,
    rules.findIndex((r) => r.state === null),
  );
}
