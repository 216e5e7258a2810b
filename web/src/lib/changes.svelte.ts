// The changes that this tab made. The server answers each write with the id of the change that it left
// (X-Change-Id), and takes a change back with POST /history/{id}/undo. The message after a write offers Undo,
// and Ctrl-Z undoes the newest.

/** A later change that keeps an older one from being undone. */
export interface UndoConflict {
  type: string;
  id: string;
  field: string | null; // null if the record itself is gone or in use
  change_id: string | null;
}

interface Write {
  changes: string[];
  mixed: boolean; // another write ran at the same time, so its changes cannot be told apart
}

const maxKept = 100;

export class MadeChanges {
  /** Why the last undo was refused, until the user closes the message. */
  conflicts = $state.raw<{ list: UndoConflict[]; total: number } | null>(null);
  private made: string[] = [];
  private undos: string[] = [];
  private running = new Set<Write>();

  /** Notes the change of a response. */
  record(id: string): void {
    this.made = [...this.made, id].slice(-maxKept);
    this.undos = [];
    const [write] = this.running;
    if (this.running.size === 1) write!.changes.push(id);
    else for (const other of this.running) other.mixed = true;
  }

  /** Runs a write and returns its result with the changes that it left, none if another write ran beside it. */
  async track<T>(run: () => Promise<T>): Promise<{ result: T; changes: string[] }> {
    const write: Write = { changes: [], mixed: false };
    this.running.add(write);
    try {
      const result = await run();
      return { result, changes: write.mixed ? [] : write.changes };
    } finally {
      this.running.delete(write);
    }
  }

  /** The newest change that Ctrl-Z undoes, or Ctrl-Shift-Z does again. */
  newest(what: 'change' | 'undo'): string | undefined {
    return (what === 'change' ? this.made : this.undos).at(-1);
  }

  /** Notes that `id` was undone by the change `by`. */
  recordUndo(id: string, by: string): void {
    if (this.undos.includes(id)) {
      this.undos = this.undos.filter((u) => u !== id);
      this.made = [...this.made, by].slice(-maxKept);
      return;
    }
    this.drop(id);
    this.undos = [...this.undos, by].slice(-maxKept);
  }

  /** Forgets a change that cannot be undone. */
  drop(id: string): void {
    this.made = this.made.filter((m) => m !== id);
    this.undos = this.undos.filter((u) => u !== id);
  }

  /** Forgets everything, for the next user of this tab. */
  clear(): void {
    this.made = [];
    this.undos = [];
    this.conflicts = null;
  }
}

export const changes = new MadeChanges();
