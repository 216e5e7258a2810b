// Finds out whether a record was changed on another device while it was edited here, field by field, and asks
// the user which version to keep. app/ConflictDialog.svelte shows the question.

/** Values of a record by their field's name, as they are sent to the API. */
export type FieldValues = Record<string, unknown>;

export interface Field {
  label: string;
  /**
   * How two changes of the field are combined: `text` and `value` ask the user, `ids` keeps what either side
   * added and removed, `latest` keeps the last change.
   */
  kind: 'text' | 'value' | 'ids' | 'latest';
  /** Returns the value as the dialog shows it. */
  show?: (value: unknown) => string;
}

export type Fields = Record<string, Field>;

/** A field that has one value on the server and another one here, neither of which is the original. */
export interface Conflict {
  name: string;
  field: Field;
  base: unknown;
  stored: unknown;
  mine: unknown;
}

export interface Comparison {
  changes: FieldValues; // to send
  conflicts: Conflict[]; // to decide first
}

/** Compares the values the user edited (`base`), the stored ones, and those to save (`mine`). */
export function compareFields(
  fields: Fields,
  base: FieldValues,
  stored: FieldValues,
  mine: FieldValues,
): Comparison {
  const result: Comparison = { changes: {}, conflicts: [] };
  for (const [name, value] of Object.entries(mine)) {
    const field = fields[name];
    if (!field || value === undefined) continue;
    if (field.kind === 'latest') result.changes[name] = value;
    else if (isSame(value, base[name]) || isSame(value, stored[name])) continue;
    else if (isSame(stored[name], base[name])) result.changes[name] = value;
    else if (field.kind === 'ids') result.changes[name] = mergeIds(base[name], stored[name], value);
    else result.conflicts.push({ name, field, base: base[name], stored: stored[name], mine: value });
  }
  return result;
}

/** Reports whether two values are the same to a reader. Nothing, null and an empty text are the same. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(normalize(a)) === JSON.stringify(normalize(b));
}

function normalize(value: unknown): unknown {
  if (value === undefined || value === '') return null;
  if (typeof value === 'number') return normalizeText(String(value));
  if (typeof value === 'string') return normalizeText(value) || null;
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normalize(item)]));
  }
  return value;
}

/** Returns a text without space around it and with one kind of line ends; a number without idle zeros. */
function normalizeText(text: string): string {
  const trimmed = text.replaceAll('\r\n', '\n').trim();
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(trimmed)) return trimmed;
  const [whole = '', decimals = ''] = trimmed.replace(/^\+/, '').split('.');
  const rest = decimals.replace(/0+$/, '');
  return `${whole.replace(/^(-?)0+(?=\d)/, '$1') || '0'}${rest ? `.${rest}` : ''}`;
}

function mergeIds(base: unknown, stored: unknown, mine: unknown): string[] {
  const [old, theirs, ours] = [base, stored, mine].map((ids) => (ids ?? []) as string[]);
  const removed = old!.filter((id) => !ours!.includes(id));
  return [
    ...new Set([
      ...theirs!.filter((id) => !removed.includes(id)),
      ...ours!.filter((id) => !old!.includes(id)),
    ]),
  ];
}

/** Returns the text the dialog proposes: the stored one, followed by what was written here. */
export function proposeText(conflict: Conflict): string {
  const [base, stored, mine] = [conflict.base, conflict.stored, conflict.mine].map((t) =>
    String(t ?? '').trimEnd(),
  );
  const added = base && mine!.startsWith(base) && stored!.includes(base) ? mine!.slice(base.length) : mine!;
  return [stored, added.trim()].filter(Boolean).join('\n\n');
}

export interface Question {
  what: string; // such as "note"
  conflicts: Conflict[];
  /** Ends the question with the chosen values, or with null to decide later. */
  answer: (chosen: FieldValues | null) => void;
}

class Questions {
  private waiting = $state.raw<Question[]>([]);

  /** The question to show, if there is one. */
  get first(): Question | undefined {
    return this.waiting[0];
  }

  /** Asks which values to keep. Resolves with null if the user decides later. */
  ask(what: string, conflicts: Conflict[]): Promise<FieldValues | null> {
    return new Promise((resolve) => {
      const question: Question = {
        what,
        conflicts,
        answer: (chosen) => {
          this.waiting = this.waiting.filter((q) => q !== question);
          resolve(chosen);
        },
      };
      this.waiting = [...this.waiting, question];
    });
  }

  /** Ends all questions undecided. Called on sign-out. */
  cancel(): void {
    for (const question of this.waiting) question.answer(null);
  }
}

export const questions = new Questions();
