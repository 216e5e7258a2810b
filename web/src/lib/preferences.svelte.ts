// The user's preferences, stored in /me/preferences for all devices, and the journal's settings, which
// the server reads too (/settings/journal). A change shows at once and is sent afterwards, if need be when the
// server is back. An invalid preference counts as not set, because other clients write preferences too.

import { answer, api, type Schemas } from './api/client';
import { asApiError } from './api/errors';
import { connection } from './connection.svelte';
import { validCurrency } from './displayCurrency';
import { isZone } from './filter/filter';
import { weekStartOf } from './format/days';
import { applyColors, applyDensity, applyTheme, storedTheme, type Colors, type Theme } from './theme';
import { toast } from './toasts.svelte';

export type Stored = Record<string, unknown>;

/** The breakeven tolerance: an amount, or a multiple of the risk. */
export type Tolerance = number | { amount?: number; r?: number } | null;

type Journal = Pick<Schemas['JournalSettings'], 'timezone'> & { breakeven_tolerance: Tolerance };

const noSettings: Journal = { timezone: null, breakeven_tolerance: null };

const themes: unknown[] = ['system', 'light', 'dark'];
const weekStarts = [0, 1, 6];
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

class Preferences {
  private stored = $state<Stored>({});
  private journal = $state.raw<Journal>(noSettings);
  loaded = $state(false);
  private sending = Promise.resolve();

  readonly theme: Theme = $derived(
    themes.includes(this.stored.theme) ? (this.stored.theme as Theme) : storedTheme(),
  );
  readonly colors: Colors = $derived(this.stored.colors === 'green-red' ? 'green-red' : 'blue-orange');
  readonly hideAmounts: boolean = $derived(this.stored.hide_amounts === true);
  readonly timeZone: string = $derived(validZone(this.journal.timezone, browserZone));
  /** A BCP 47 tag, or undefined for the browser's locale. */
  readonly locale: string | undefined = $derived(validLocale(this.stored.locale));
  /** The first day of the week in the locale: 0 = Sunday, 1 = Monday, 6 = Saturday. */
  readonly localWeekStart: number = $derived(validWeekStart(weekStartOf(this.locale)));
  /** The first day of the week the user chose, null for that of the locale. */
  readonly chosenWeekStart: number | null = $derived(
    weekStarts.includes(this.stored.week_start as number) ? (this.stored.week_start as number) : null,
  );
  readonly weekStart: number = $derived(this.chosenWeekStart ?? this.localWeekStart);
  readonly defaultAccount: string = $derived(
    typeof this.stored.default_account === 'string' ? this.stored.default_account : '',
  );

  /** The currency that all amounts are converted into, '' for those of the accounts. */
  readonly currency: string = $derived(validCurrency(this.stored.currency));

  /** The loss of a day at which the user wants to stop, in the accounts' currency; null if it is not set. */
  readonly dailyLossLimit: number | null = $derived(validLimit(this.stored.daily_loss_limit));

  async load(): Promise<void> {
    const [{ prefs }, journal] = await Promise.all([
      answer(api.GET('/api/v1/me/preferences')),
      answer(api.GET('/api/v1/settings/journal')),
    ]);
    this.stored = prefs;
    this.journal = journal as Journal;
    this.loaded = true;
    this.applyAppearance();
  }

  /** Returns a preference of a screen, such as get('trades.columns', []). */
  get<T>(name: string, fallback: T): T {
    return name in this.stored ? (this.stored[name] as T) : fallback;
  }

  /** Applies a change at once, and reverts it if the server refuses it. Changes are sent one after the other. */
  set(change: Stored): Promise<void> {
    const before = this.stored;
    this.stored = { ...before, ...change };
    if ('theme' in change || 'colors' in change) this.applyAppearance();
    const write = () => answer(api.PATCH('/api/v1/me/preferences', { body: change }));
    return this.queue(write, () => {
      this.stored = before;
      this.applyAppearance();
    });
  }

  private applyAppearance(): void {
    applyTheme(this.theme);
    applyColors(this.colors);
    applyDensity(this.get<string>('tables.density', '') === 'compact');
  }

  /** Like set, for the journal's settings. */
  setJournal(change: Partial<Journal>): Promise<void> {
    const before = this.journal;
    this.journal = { ...before, ...change };
    const write = () => answer(api.PUT('/api/v1/settings/journal', { body: change }));
    return this.queue(write, () => (this.journal = before));
  }

  get tolerance(): Tolerance {
    return this.journal.breakeven_tolerance;
  }

  /** Sends a change after those before it. Signed out, a change is for this visit only. */
  private queue(write: () => Promise<unknown>, revert: () => void): Promise<void> {
    if (this.loaded) this.sending = this.sending.then(() => this.send(write, revert));
    return this.sending;
  }

  private async send(write: () => Promise<unknown>, revert: () => void): Promise<void> {
    try {
      await connection.resend(write);
    } catch (fault) {
      if (!this.loaded) return; // signed out while it waited
      revert();
      toast.failed(asApiError(fault).message);
    }
  }

  clear(): void {
    this.stored = {};
    this.journal = noSettings;
    this.loaded = false;
  }
}

function validZone(value: unknown, fallback: string): string {
  return typeof value === 'string' && isZone(value) ? value : fallback;
}

function validWeekStart(day: number): number {
  return weekStarts.includes(day) ? day : 1;
}

function validLimit(value: unknown): number | null {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : null;
}

function validLocale(value: unknown): string | undefined {
  try {
    return typeof value === 'string' && value !== '' ? Intl.getCanonicalLocales(value)[0] : undefined;
  } catch {
    return undefined;
  }
}

export const preferences = new Preferences();
