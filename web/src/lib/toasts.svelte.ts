// Short messages at the bottom of the page. They contain nothing that is not shown
// elsewhere, except Undo and Try again, which stay longer.

export interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  /** What the button does, and its label. */
  action?: () => Promise<void>;
  label?: string;
}

class Toasts {
  shown = $state<Toast[]>([]);
  private dialogs = $state<string[]>([]);
  private last = 0;

  /** The topmost dialog, which shows the messages; '' for the page itself. */
  get topDialog(): string {
    return this.dialogs.at(-1) ?? '';
  }

  /** Registers an open dialog. Returns the function to call when it closes. */
  addDialog(dialog: string): () => void {
    this.dialogs = [...this.dialogs, dialog];
    return () => {
      this.dialogs = this.dialogs.filter((d) => d !== dialog);
    };
  }

  /** Shows a success. Only the newest one offers its action; older changes are undone in the history. */
  done(text: string, action?: () => Promise<void>, label = 'Undo'): void {
    if (action)
      this.shown = this.shown.map((t) => (t.kind === 'done' && t.action ? { ...t, action: undefined } : t));
    this.show({ kind: 'done', text, action, label }, action ? 10_000 : 4_000);
  }

  failed(text: string, action?: () => Promise<void>, label = 'Try again'): void {
    this.show({ kind: 'failed', text, action, label }, 10_000);
  }

  close(id: number): void {
    this.shown = this.shown.filter((t) => t.id !== id);
  }

  private show(toast: Omit<Toast, 'id'>, millis: number): void {
    const id = ++this.last;
    this.shown = [...this.shown.slice(-2), { ...toast, id }];
    setTimeout(() => this.close(id), millis);
  }
}

export const toast = new Toasts();
