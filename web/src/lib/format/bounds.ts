// Values that are known between two bounds.

export interface Bounds<T> {
  low: T;
  high: T;
}

/** Writes the value if both bounds read the same, else both; a dash without a value. */
export function writeBounds(bounds: Bounds<number | null>, write: (value: number) => string): string {
  if (bounds.low === null || bounds.high === null) return '–';
  const [low, high] = [write(bounds.low), write(bounds.high)];
  return low === high ? low : `${low} to ${high}`;
}
