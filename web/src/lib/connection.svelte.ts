// Whether the server can be reached. Every request reports here; while the server
// is away it is asked again until it answers, and whoever waits for it is called.

const waits = [2_000, 4_000, 8_000, 15_000];

/** Statuses by which a proxy says that the server behind it is away. */
const away = [502, 504];

export class Connection {
  lost = $state(false);
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly ask: () => Promise<Response>) {}

  /** Sends a request and notes whether an answer came. */
  async watch(send: () => Promise<Response>): Promise<Response> {
    try {
      const response = await send();
      this.report(!away.includes(response.status));
      return response;
    } catch (fault) {
      if (fault instanceof TypeError) this.report(false);
      throw fault;
    }
  }

  /** Calls back each time the server answers again. */
  onReturn(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Asks now instead of at the next turn. */
  async retry(): Promise<void> {
    clearTimeout(this.timer);
    await this.watch(this.ask).catch(() => undefined);
  }

  private report(reached: boolean): void {
    clearTimeout(this.timer);
    if (!reached) {
      this.lost = true;
      this.timer = setTimeout(() => void this.retry(), waits[Math.min(this.tries++, waits.length - 1)]);
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
