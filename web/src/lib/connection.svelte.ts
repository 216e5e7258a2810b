// Tracks whether the server can be reached. Every request reports here. While the
// server is unreachable it is polled, and listeners are called when it is back.

import { asApiError } from './api/errors';

const retryDelays = [2_000, 4_000, 8_000, 15_000];

/** Statuses of a proxy that cannot reach the server. */
const proxyErrors = [502, 504];

export class Connection {
  lost = $state(false);
  /** The number of writes sent again when the server is back. */
  waiting = $state(0);
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly cancelers = new Set<() => void>();

  constructor(private readonly ping: () => Promise<Response>) {}

  /** Sends a request and records whether there was a response. */
  async watch(send: () => Promise<Response>): Promise<Response> {
    try {
      const response = await send();
      this.report(!proxyErrors.includes(response.status));
      return response;
    } catch (fault) {
      if (fault instanceof TypeError) this.report(false);
      throw fault;
    }
  }

  /** Registers a function to call each time the server is back. Returns the function that removes it. */
  onReturn(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /**
   * Runs a write, and runs it again each time the server is back until there is a response. Throws what the server
   * refuses, and the last error after cancelWaiting.
   */
  async resend<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (fault) {
        if (!this.lost || !asApiError(fault).isAway || !(await this.waitForReturn())) throw fault;
      }
    }
  }

  /** Ends the writes that wait for the server. Called on sign-out: they are not those of the next user. */
  cancelWaiting(): void {
    for (const cancel of this.cancelers) cancel();
  }

  /** Polls the server now. */
  async retry(): Promise<void> {
    clearTimeout(this.timer);
    await this.watch(this.ping).catch(() => undefined);
  }

  /** Resolves with true when the server is back, or with false after cancelWaiting. */
  private async waitForReturn(): Promise<boolean> {
    this.waiting++;
    let stop = () => {};
    let cancel = () => {};
    const isBack = await new Promise<boolean>((done) => {
      stop = this.onReturn(() => done(true));
      cancel = () => done(false);
      this.cancelers.add(cancel);
    });
    stop();
    this.cancelers.delete(cancel);
    this.waiting--;
    return isBack;
  }

  private report(reached: boolean): void {
    clearTimeout(this.timer);
    if (!reached) {
      this.lost = true;
      this.timer = setTimeout(
        () => void this.retry(),
        retryDelays[Math.min(this.tries++, retryDelays.length - 1)],
      );
      return;
    }
    this.tries = 0;
    if (!this.lost) return;
    this.lost = false;
    for (const listener of [...this.listeners]) listener();
  }
}

export const connection = new Connection(() => fetch('/api/v1/setup/status'));
globalThis.addEventListener?.('online', () => void connection.retry());
