// The choices the forms of a trade offer.

export const gradeNames: Record<number, string> = {
  1: 'Poor',
  2: 'Weak',
  3: 'Fair',
  4: 'Good',
  5: 'Excellent',
};

export const emotions = ['calm', 'confident', 'anxious', 'fearful', 'greedy', 'frustrated', 'bored', 'tired'];

export const instruments = [
  { value: 'stock', label: 'Stock or ETF' },
  { value: 'option', label: 'Option' },
  { value: 'future', label: 'Future' },
  { value: 'forex', label: 'Forex' },
  { value: 'crypto', label: 'Crypto' },
  { value: 'cfd', label: 'CFD' },
];

/** Returns the usual multiplier of an instrument; '' for futures, which differ by contract. */
export function defaultMultiplier(instrument: string): string {
  if (instrument === 'option') return '100';
  return instrument === 'future' ? '' : '1';
}
