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

/** Writes the middle of two bounds with the distance to them, such as +202.10 R ± 0.40. For multiples, not for money. */
export function writeMiddle(
  bounds: Bounds<number>,
  write: (value: number) => string,
  writeDistance: (value: number) => string,
): string {
  const middle = middleOf(bounds);
  const distance = Math.ceil((bounds.high - middle) * 100) / 100;
  return write(bounds.low) === write(bounds.high)
    ? write(middle)
    : `${write(middle)} ± ${writeDistance(distance)}`;
}

export const middleOf = (bounds: Bounds<number>) => (bounds.low + bounds.high) / 2;
