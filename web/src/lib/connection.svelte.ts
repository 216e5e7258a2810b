// Tracks whether the server can be reached. Every request reports here. While the
// server is unreachable it is polled, and listeners are called when it is back.

const retryDelays = [2_000, 4_000, 8_000, 15_000];

/** Statuses of a proxy that cannot reach the server. */
const proxyErrors = [502, 504];

export class Connection {
  lost = $state(false);
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();

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
    return () => this.listeners.delete(listener);
  }

  /** Polls the server now. */
  async retry(): Promise<void> {
    clearTimeout(this.timer);
    await this.watch(this.ping).catch(() => undefined);
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
    for (const listener of this.listeners) listener();
  }
}

export const connection = new Connection(() => fetch('/api/v1/setup/status'));
globalThis.addEventListener?.('online', () => void connection.retry());
