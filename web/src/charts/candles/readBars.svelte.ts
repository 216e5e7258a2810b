// Loads the bars around a time, in the length that the user chose.

import { answer, api, type Schemas } from '../../lib/api/client';
import { query } from '../../lib/api/queries.svelte';
import { chooseLength, windowAround } from './bars';

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

const fewest = 300; // bars; with fewer of a longer length than wanted, a longer time is loaded

/** Selects the instrument in the query of the bars. */
export function selectInstrument(of: Priced): InstrumentQuery {
  return {
    symbol: of.symbol,
    instrument_type: of.instrument_type,
    ...(of.option_right === 'call' || of.option_right === 'put' ? { option_right: of.option_right } : {}),
    ...(of.strike === null ? {} : { strike: String(of.strike) }),
    ...(of.expiry === null ? {} : { expiry: of.expiry }),
  };
}

async function fetchBars(of: Priced, span: Span, secs: number | null, signal: AbortSignal) {
  const load = (length: number, exact: boolean): Promise<Schemas['BarWindow']> => {
    const query = { ...selectInstrument(of), ...windowAround(span.first, span.last, length) };
    return answer(
      api.GET('/api/v1/bars', { params: { query: exact ? { ...query, bar_secs: length } : query }, signal }),
    );
  };
  if (secs !== null) return load(secs, true);
  const wanted = chooseLength(span.last - span.first);
  const found = await load(wanted, false);
  return found.t.length < fewest && found.bar_secs > wanted ? load(found.bar_secs, true) : found;
}

/** Reads bars around a time: those of the length that suits it first, then those of the chosen length. */
export function readBars(of: () => Priced, span: () => Span, enabled: () => boolean = () => true) {
  let chosen = $state<number | null>(null);
  const key = () => ['bars', 'window', selectInstrument(of()), span()] as const;
  const first = query(() => ({
    key: [...key()],
    enabled: enabled(),
    keep: false,
    load: (signal) => fetchBars(of(), span(), null, signal),
  }));
  const other = query(() => ({
    key: [...key(), chosen],
    enabled: enabled() && chosen !== null,
    load: (signal) => fetchBars(of(), span(), chosen, signal),
  }));
  return {
    /** The bars; undefined while they load. */
    get data() {
      const kept = other.data?.symbol === first.data?.symbol; // while the next length loads
      return chosen !== null && kept ? other.data : first.data;
    },
    get error() {
      return first.error ?? other.error;
    },
    /** The length of the bars that were chosen for the time. */
    get base() {
      return first.data?.bar_secs ?? 0;
    },
    choose(secs: number) {
      chosen = secs === first.data?.bar_secs ? null : secs;
    },
    refetch: () => first.refetch(),
  };
}

export type BarsReading = ReturnType<typeof readBars>;
