/** A line of a checklist in the form: its text, and the text it had before, or '' if it is new. */
export interface EditedRule {
  text: string;
  was: string;
}

/**
 * Returns the lines whose texts were changed. A line that takes the text of a line that stays, or
 * that another line has too, is not renamed: its marks would end up on the wrong rule.
 */
export function findRenames(before: string[], rules: EditedRule[]): { from: string; to: string }[] {
  const seen = new Set<string>();
  const renames = rules
    .filter((rule) => rule.was && rule.text !== rule.was && before.includes(rule.was))
    .filter((rule) => rules.filter((other) => other.text === rule.text).length === 1)
    .filter((rule) => !seen.has(rule.was) && seen.add(rule.was))
    .map((rule) => ({ from: rule.was, to: rule.text }));
  const targets = new Set(renames.map((rename) => rename.to));
  return renames.filter(({ from }) => targets.has(from) || !rules.some((rule) => rule.text === from));
}
