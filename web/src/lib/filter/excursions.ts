// The ranges of what the price did during a trade. One entry is a pair of
// parameters of the API, a chip and words that can be typed.

export type ExcursionID =
  'maeR' | 'mfeR' | 'exitEfficiency' | 'atrPct' | 'gapPct' | 'relativeVolume' | 'openingRange';

/** The filter's members: maeRMin, maeRMax, … */
export type ExcursionMembers = Record<`${ExcursionID}${'Min' | 'Max'}`, string>;

interface ExcursionRange {
  id: ExcursionID;
  /** The name in the API, without _min and _max. */
  api: string;
  title: string;
  /** What the range is written after: "with MAE of 1 R or more". */
  phrase: string;
  unit: string;
  /** What can be typed before a comparison. */
  typed: string[];
}

export const excursionRanges: ExcursionRange[] = [
  { id: 'maeR', api: 'mae_r', title: 'MAE', phrase: 'with MAE of', unit: ' R', typed: ['mae'] },
  { id: 'mfeR', api: 'mfe_r', title: 'MFE', phrase: 'with MFE of', unit: ' R', typed: ['mfe'] },
  {
    id: 'exitEfficiency',
    api: 'exit_efficiency',
    title: 'Exit efficiency',
    phrase: 'with exit efficiency of',
    unit: '',
    typed: ['efficiency'],
  },
  { id: 'atrPct', api: 'atr_pct', title: 'ATR at entry', phrase: 'with ATR of', unit: ' %', typed: ['atr'] },
  { id: 'gapPct', api: 'gap_pct', title: 'Opening gap', phrase: 'with a gap of', unit: ' %', typed: ['gap'] },
  {
    id: 'relativeVolume',
    api: 'relative_volume',
    title: 'Relative volume',
    phrase: 'with relative volume of',
    unit: '',
    typed: ['rvol', 'volume'],
  },
  {
    id: 'openingRange',
    api: 'opening_range',
    title: 'Place in the opening range',
    phrase: 'at a place in the opening range of',
    unit: '',
    typed: ['orb'],
  },
];

export const minOf = (id: ExcursionID) => `${id}Min` as const;
export const maxOf = (id: ExcursionID) => `${id}Max` as const;
