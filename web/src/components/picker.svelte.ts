// The state of a list searched by typing: whether it is open, the typed
// text, the matching options and the active one. Combobox, TagPicker and the command
// palette share it.

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
  readonly matches: Option[] = $derived.by(() => filterOptions(this.options(), this.typed));

  constructor(private readonly options: () => Option[]) {}

  show(): void {
    this.open = true;
    this.active = 0;
  }

  close(): void {
    this.open = false;
    this.typed = '';
  }

  /** Moves the active option. Reports whether it handled the key. */
  key(key: string, extra = 0): boolean {
    const last = this.matches.length + extra - 1;
    if (key === 'ArrowDown') this.active = this.open ? Math.min(this.active + 1, last) : 0;
    else if (key === 'ArrowUp') this.active = Math.max(this.active - 1, 0);
    else return false;
    this.open = true;
    return true;
  }
}

/** Returns the options that contain every typed word; those that start with the first word come first. */
export function filterOptions(options: Option[], typed: string): Option[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return options;
  const found = options.filter((o) =>
    words.every((w) => `${o.label} ${o.hint ?? ''}`.toLowerCase().includes(w)),
  );
  const startsWith = (o: Option) => Number(o.label.toLowerCase().startsWith(words[0]!));
  return found.sort((a, b) => startsWith(b) - startsWith(a));
}
