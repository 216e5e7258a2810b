// What the user prefers, kept in /me/preferences so that it follows from device
// to device. A change shows at once and is sent behind it. A key of ours that
// holds something odd counts as not set: other clients write there too.

import { answer, api } from './api/client';
import { asApiError } from './api/errors';
import { isZone } from './filter/filter';
import { applyTheme, storedTheme, type Theme } from './theme';
import { toast } from './toasts.svelte';

export type Stored = Record<string, unknown>;

const themes: unknown[] = ['system', 'light', 'dark'];
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

class Preferences {
  private stored = $state<Stored>({});
  loaded = $state(false);

  readonly theme: Theme = $derived(
    themes.includes(this.stored.theme) ? (this.stored.theme as Theme) : storedTheme(),
  );
  readonly hideAmounts: boolean = $derived(this.stored.hide_amounts === true);
  readonly timeZone: string = $derived(zoneOr(this.stored.time_zone, browserZone));
  /** BCP 47, or undefined for that of the browser. */
  readonly locale: string | undefined = $derived(localeOr(this.stored.locale));
  /** 0 = Sunday, 1 = Monday, 6 = Saturday. */
  readonly weekStart: number = $derived(
    [0, 1, 6].includes(this.stored.week_start as number) ? (this.stored.week_start as number) : 1,
  );
  readonly defaultAccount: string = $derived(
    typeof this.stored.default_account === 'string' ? this.stored.default_account : '',
  );

  async load(): Promise<void> {
    const { prefs } = await answer(api.GET('/api/v1/me/preferences'));
    this.stored = prefs;
    this.loaded = true;
    applyTheme(this.theme);
  }

  /** A preference of one screen, such as get('trades.columns'). */
  get<T>(name: string, otherwise: T): T {
    return name in this.stored ? (this.stored[name] as T) : otherwise;
  }

  /** Shows at once; goes back to what it was when the server refuses. */
  async set(change: Stored): Promise<void> {
    const before = this.stored;
    this.stored = { ...before, ...change };
    if ('theme' in change) applyTheme(this.theme);
    if (!this.loaded) return; // signed out: for this visit only
    try {
      await answer(api.PATCH('/api/v1/me/preferences', { body: change as never }));
    } catch (fault) {
      this.stored = before;
      applyTheme(this.theme);
      toast.failed(asApiError(fault).message);
    }
  }

  forget(): void {
    this.stored = {};
    this.loaded = false;
  }
}

function zoneOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && isZone(value) ? value : otherwise;
}

function localeOr(value: unknown): string | undefined {
  try {
    return typeof value === 'string' && value !== '' ? Intl.getCanonicalLocales(value)[0] : undefined;
  } catch {
    return undefined;
  }
}

export const preferences = new Preferences();
