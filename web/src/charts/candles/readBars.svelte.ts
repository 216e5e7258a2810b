// Loads the bars around a time, in the length the user chose, and more of them
// before and after.

import { answer, api, type Schemas } from '../../lib/api/client';
import { query, queryClient } from '../../lib/api/queries.svelte';
import { preferences } from '../../lib/preferences.svelte';
import { chooseLength, joinBars, offerLengths, toBars, windowAround, type Bars } from './bars';
import { loadMore, mostBars, type Direction } from './moreBars';

export interface Priced {
  symbol: string;
  instrument_type: string;
  option_right: string | null;
  strike: number | null;
  expiry: string | null;
}

export interface Span {
  first: number; // in seconds since 1970
  last: number;
}

interface InstrumentQuery {
  symbol: string;
  instrument_type: string;
  option_right?: 'call' | 'put';
  strike?: string;
  expiry?: string;
}

const priceKinds = ['trade', 'bid', 'ask', 'mid'] as const;
const fewest = 300; // bars; with fewer of a longer length than wanted, a longer time is loaded

/** Selects the instrument in the bars' query. */
export function selectInstrument(of: Priced): InstrumentQuery {
  return {
    symbol: of.symbol,
    instrument_type: of.instrument_type,
    ...(of.option_right === 'call' || of.option_right === 'put' ? { option_right: of.option_right } : {}),
    ...(of.strike === null ? {} : { strike: String(of.strike) }),
    ...(of.expiry === null ? {} : { expiry: of.expiry }),
  };
}

const toInstant = (second: number) => new Date(second * 1000).toISOString();

/** Loads the bars around a time: those of a length, or without one those of the length that suits the time. */
export async function fetchBars(
  of: Priced,
  span: Span,
  secs: number | null,
  signal: AbortSignal,
): Promise<Schemas['BarWindow']> {
  const load = (length: number, exact: boolean): Promise<Schemas['BarWindow']> => {
    const query = {
      ...selectInstrument(of),
      ...windowAround(span.first, span.last, length),
      held_from: toInstant(Math.floor(span.first)),
      held_to: toInstant(Math.floor(span.last)),
    };
    return answer(
      api.GET('/api/v1/bars', { params: { query: exact ? { ...query, bar_secs: length } : query }, signal }),
    );
  };
  if (secs !== null) return load(secs, true);
  const wanted = chooseLength(span.last - span.first);
  const found = await load(wanted, false);
  return found.t.length < fewest && found.bar_secs > wanted ? load(found.bar_secs, true) : found;
}

/** Returns the openings of the first and the last bar that a series can form, in seconds. */
async function fetchRange(id: string, secs: number): Promise<Record<Direction, number> | undefined> {
  const list = await queryClient.fetchQuery({
    queryKey: ['bars', 'ranges'],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/bars/series', { signal })),
  });
  const series = list.find((s) => s.id === id);
  if (!series) return undefined;
  // A bar made of shorter ones may open before the first of them.
  const room = secs > series.bar_secs ? secs : 0;
  return { [-1]: Date.parse(series.from) / 1000 - room, [1]: Date.parse(series.to) / 1000 };
}

/** Loads the bars before or after those of a window; undefined if there are none. */
async function fetchMore(of: Priced, window: Schemas['BarWindow'], bars: Bars, direction: Direction) {
  const range = window.series_id === null ? undefined : await fetchRange(window.series_id, bars.secs);
  if (!range) return undefined;
  const kind = priceKinds.find((name) => name === window.price_kind);
  const load = async (from: number, to: number) => {
    const query = {
      ...selectInstrument(of),
      bar_secs: bars.secs,
      ...(kind ? { price_kind: kind } : {}),
      from: toInstant(from),
      to: toInstant(to),
    };
    const found = await answer(api.GET('/api/v1/bars', { params: { query } }));
    const isSame = found.t.length === 0 || found.series_id === window.series_id;
    return isSame ? toBars(found) : { ...bars, t: [] };
  };
  const edge = direction < 0 ? bars.t[0]! : bars.t.at(-1)!;
  return loadMore(load, direction, { at: edge, end: range[direction], secs: bars.secs });
}

/** Names a window: another one has other bars. */
const nameWindow = (w: Schemas['BarWindow'] | undefined) =>
  w ? [w.series_id, w.bar_secs, w.t[0], w.t.at(-1), w.t.length].join() : '';

/** The preference with the length that was chosen last. */
export const preferredLength = 'chart.bar_secs';

/** Reads bars around a time: those of the length that suits it, or those of the length chosen last if they fit. */
export function readBars(of: () => Priced, span: () => Span, enabled: () => boolean = () => true) {
  let picked = $state<number | null>(null); // on this chart
  const key = () => ['bars', 'window', selectInstrument(of()), span()] as const;
  const first = query(() => ({
    key: [...key()],
    enabled: enabled(),
    keep: false,
    load: (signal) => fetchBars(of(), span(), null, signal),
  }));
  const chosen = $derived.by(() => {
    const base = first.data?.bar_secs ?? 0;
    const length = picked ?? preferences.get<number>(preferredLength, 0);
    return length !== base && offerLengths(base).includes(length) ? length : null;
  });
  const other = query(() => ({
    key: [...key(), chosen],
    enabled: enabled() && chosen !== null,
    load: (signal) => fetchBars(of(), span(), chosen, signal),
  }));
  const data = $derived.by(() => {
    if (chosen === null || other.error) return first.data;
    if (other.data?.symbol === first.data?.symbol) return other.data; // while the next length loads
    return picked === null ? undefined : first.data; // a remembered length is not preceded by another
  });
  // The bars of a window with those that were loaded later.
  let extended = $state.raw({ window: '', bars: undefined as Bars | undefined });
  const bars = $derived(
    extended.bars && extended.window === nameWindow(data) ? extended.bars : data && toBars(data),
  );
  let ended = $state.raw(''); // the window before which the series has no bars
  const busy: string[] = []; // windows and directions that are being extended, or have no more bars

  async function extend(direction: Direction) {
    const window = nameWindow(data);
    const name = `${window} ${direction}`;
    if (!data || !bars || bars.t.length === 0 || bars.t.length >= mostBars || busy.includes(name)) return;
    busy.push(name);
    try {
      const found = await fetchMore(of(), data, bars, direction);
      if (!found) {
        if (direction < 0) ended = window;
        return; // the end of the series
      }
      if (nameWindow(data) === window)
        extended = { window, bars: direction < 0 ? joinBars(found, bars) : joinBars(bars, found) };
    } catch {
      // The chart stays as it is, and the next move tries again.
    }
    busy.splice(busy.indexOf(name), 1);
  }

  return {
    /** The response with the bars around the time; undefined while it loads. */
    get data() {
      return data;
    },
    /** All loaded bars. */
    get bars() {
      return bars;
    },
    get error() {
      return first.error ?? other.error;
    },
    /** The length of the bars chosen for the time. */
    get base() {
      return first.data?.bar_secs ?? 0;
    },
    /** Whether the series has no bars before the loaded ones. */
    get isFromStart() {
      return ended !== '' && ended === nameWindow(data);
    },
    /** Chooses a length, for this chart and those opened later. */
    choose(secs: number) {
      picked = secs;
      void preferences.set({ [preferredLength]: secs });
    },
    /** Loads bars before or after those that are loaded, if there are any. */
    extend: (direction: Direction) => void extend(direction),
    refetch: () => first.refetch(),
  };
}

export type BarsReading = ReturnType<typeof readBars>;
