// Detects when the page must be loaded again: the server was updated while it is open,
// so its start page names other files than those this page was loaded from, or
// the browser no longer loads a part of it.

import { connection } from './connection.svelte';
import { hasUnsavedForm } from './form.svelte';
import { toast } from './toasts.svelte';

const intervalMillis = 15 * 60_000;

export interface VersionSource {
  /** The address of the script this page was loaded from. */
  script: string;
  /** Returns the start page as the server has it now. */
  load: () => Promise<string>;
}

export class PageVersion {
  /** Whether the server has a newer page. */
  outdated = $state(false);
  /**
   * Whether a part can be loaded only by a new page: it could not be loaded while the server was away, and browsers
   * keep that for as long as the page is open.
   */
  stuck = $state(false);
  private failedAway = false;
  private checkedAt = Date.now();
  private holds = 0;

  constructor(private readonly source: VersionSource) {}

  /** Checks the server. An unreachable server or the page of a proxy means nothing. */
  async check(): Promise<void> {
    this.checkedAt = Date.now();
    const html = await this.source.load().catch(() => '');
    if (html.includes('id="app"')) this.outdated = !html.includes(this.source.script);
  }

  /** Checks the server unless that was done a short while ago. */
  async checkSometimes(): Promise<void> {
    if (Date.now() - this.checkedAt >= intervalMillis) await this.check();
  }

  /** Keeps the page from being reloaded, for work a reload would lose. Returns the function that ends it. */
  hold(): () => void {
    this.holds++;
    return () => this.holds--;
  }

  /** Records that a part could not be loaded, after a check of the server. */
  noteFailure(isAway: boolean): void {
    if (isAway) this.failedAway = true;
    else if (this.failedAway) this.stuck = true;
  }

  /** Reports whether the page should be reloaded now: a new one is needed, and nothing would be lost. */
  get shouldReload(): boolean {
    return (
      (this.outdated || this.stuck) &&
      this.holds === 0 &&
      !hasUnsavedForm() &&
      document.querySelector('dialog[open]') === null
    );
  }
}

export const pageVersion = new PageVersion({
  script: globalThis.document?.querySelector('script[type="module"]')?.getAttribute('src') ?? '',
  load: async () => {
    const response = await connection.watch(() => fetch('/', { cache: 'no-cache' }));
    return response.ok ? response.text() : '';
  },
});

/**
 * Loads a part of the page's code. If that fails, it finds out why: the server is unreachable, which starts the
 * polling for it, or it has a newer page without these files.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (fault) {
    await pageVersion.check();
    pageVersion.noteFailure(connection.lost);
    throw fault;
  }
}

/** Loads a dialog or a control. Shows a message and returns undefined if that fails. */
export async function loadDialog<T>(load: () => Promise<{ default: T }>): Promise<T | undefined> {
  try {
    return (await loadPart(load)).default;
  } catch {
    toast.failed(
      `Couldn’t load this part of the page. ${pageVersion.stuck ? 'Reload the page.' : 'Try again.'}`,
    );
    return undefined;
  }
}

/** Watches for a newer page, and reloads when the tab is in the background. Call the result to stop. */
export function watchPageVersion(): () => void {
  const check = () => {
    if (document.hidden && pageVersion.shouldReload) location.reload();
    else if (!document.hidden) void pageVersion.checkSometimes();
  };
  const timer = setInterval(check, intervalMillis);
  const stop = connection.onReturn(() => void pageVersion.check()); // a restart may have been an update
  document.addEventListener('visibilitychange', check);
  return () => {
    clearInterval(timer);
    stop();
    document.removeEventListener('visibilitychange', check);
  };
}
