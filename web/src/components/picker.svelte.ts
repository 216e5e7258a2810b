// What a list to pick from by typing keeps: whether it is open, what was typed,
// which entries fit and which one is marked. Combobox and TagPicker share it.

export interface Option {
  value: string;
  label: string;
  hint?: string;
  color?: string;
}

export class Picker {
  open = $state(false);
  typed = $state('');
  active = $state(0);
  readonly fitting: Option[] = $derived.by(() => fit(this.options(), this.typed));

  constructor(private readonly options: () => Option[]) {}

  show(): void {
    this.open = true;
    this.active = 0;
  }

  close(): void {
    this.open = false;
    this.typed = '';
  }

  /** Moves the mark; true when the key was one of ours. */
  key(key: string, extra = 0): boolean {
    const last = this.fitting.length + extra - 1;
    if (key === 'ArrowDown') this.active = this.open ? Math.min(this.active + 1, last) : 0;
    else if (key === 'ArrowUp') this.active = Math.max(this.active - 1, 0);
    else return false;
    this.open = true;
    return true;
  }
}

/** Entries that contain every word typed; those that begin with it first. */
export function fit(options: Option[], typed: string): Option[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return options;
  const found = options.filter((o) =>
    words.every((w) => `${o.label} ${o.hint ?? ''}`.toLowerCase().includes(w)),
  );
  const begins = (o: Option) => Number(o.label.toLowerCase().startsWith(words[0]!));
  return found.sort((a, b) => begins(b) - begins(a));
}
