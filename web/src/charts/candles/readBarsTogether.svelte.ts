// Loads the bars of several instruments around the same time, in one length, so that their charts can share a time
// axis.

import type { Schemas } from '../../lib/api/client';
import { query } from '../../lib/api/queries.svelte';
import { preferences } from '../../lib/preferences.svelte';
import { findSharedLength, offerLengths } from './bars';
import { fetchBars, preferredLength, selectInstrument, type Priced, type Span } from './readBars.svelte';

interface Together {
  base: number; // the shortest length in seconds that all have; 0 if none has bars
  secs: number; // the length of the bars
  windows: (Schemas['BarWindow'] | null)[]; // of each instrument; null for one without such bars
}

async function fetchTogether(
  instruments: Priced[],
  span: Span,
  wanted: number,
  signal: AbortSignal,
): Promise<Together> {
  const found = await Promise.all(instruments.map((of) => fetchBars(of, span, null, signal)));
  const base = findSharedLength(found.map((w) => (w.t.length > 0 ? w.bar_secs : 0)));
  const secs = offerLengths(base).includes(wanted) ? wanted : base;
  const windows = await Promise.all(
    found.map((w, i) => {
      if (w.t.length === 0 || secs % w.bar_secs !== 0) return null;
      return w.bar_secs === secs ? w : fetchBars(instruments[i]!, span, secs, signal);
    }),
  );
  return { base, secs, windows: windows.map((w) => (w && w.t.length > 0 ? w : null)) };
}

/** Reads the bars of instruments around a time: in the shortest length they share, or in the one chosen last if it fits. */
export function readBarsTogether(of: () => Priced[], span: () => Span) {
  const wanted = $derived(preferences.get<number>(preferredLength, 0));
  const reading = query(() => ({
    key: ['bars', 'together', of().map(selectInstrument), span(), wanted],
    load: (signal) => fetchTogether(of(), span(), wanted, signal),
  }));
  return {
    get data() {
      return reading.data;
    },
    get error() {
      return reading.error;
    },
    /** Chooses a length, for these charts and those opened later. */
    choose: (secs: number) => void preferences.set({ [preferredLength]: secs }),
    refetch: () => reading.refetch(),
  };
}

export type TogetherReading = ReturnType<typeof readBarsTogether>;
