// Short messages at the foot of the page. They never hold anything that cannot
// be found again elsewhere, except Undo, which stays longer.

export interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  undo?: () => Promise<void>;
}

class Toasts {
  shown = $state<Toast[]>([]);
  private dialogs = $state<string[]>([]);
  private last = 0;

  /** The dialog that lies on top and shows the messages; '' for the page itself. */
  get place(): string {
    return this.dialogs.at(-1) ?? '';
  }

  /** Told by a dialog that opens; what it is given back, it calls when it closes. */
  cover(dialog: string): () => void {
    this.dialogs = [...this.dialogs, dialog];
    return () => {
      this.dialogs = this.dialogs.filter((d) => d !== dialog);
    };
  }

  done(text: string, undo?: () => Promise<void>): void {
    this.show({ kind: 'done', text, undo }, undo ? 10_000 : 4_000);
  }

  failed(text: string): void {
    this.show({ kind: 'failed', text }, 10_000);
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
