// Axes: round steps, and where a value lies. For drawing only; values that are
// read come from the API and are formatted, not computed here.

/** Round values that span low to high, at most about `wanted` of them. */
export function ticks(low: number, high: number, wanted = 5): number[] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0];
  if (low === high) return low === 0 ? [0, 1] : [Math.min(0, low), Math.max(0, high)];
  const rough = (high - low) / Math.max(1, wanted - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

export type Scale = (value: number) => number;

export function scale(from: [number, number], to: [number, number]): Scale {
  const span = from[1] - from[0] || 1;
  return (value) => to[0] + ((value - from[0]) / span) * (to[1] - to[0]);
}

/** The index of the position nearest to x; positions ascend. */
export function nearest(positions: number[], x: number): number {
  let low = 0;
  let high = positions.length - 1;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (positions[mid]! < x) low = mid;
    else high = mid;
  }
  if (high < 0) return -1;
  return Math.abs(positions[low]! - x) <= Math.abs(positions[high]! - x) ? low : high;
}

/** Evenly chosen indexes for labels that must not touch. */
export function every(count: number, room: number, each: number): number[] {
  const step = Math.max(1, Math.ceil((count * each) / Math.max(room, 1)));
  return Array.from({ length: count }, (_, i) => i).filter((i) => i % step === 0);
}

/** 0..1 for the depth of a colour: grows fast near zero, so that small differences show. */
export function strength(value: number, most: number): number {
  if (value === 0 || most === 0) return 0;
  return Math.min(1, Math.sqrt(Math.abs(value) / most));
}

/** How far from the edge an axis stands, so that the longest of its labels fits beside it. */
export function roomFor(labels: string[], least: number): number {
  return Math.max(least, ...labels.map((text) => 14 + 6.3 * text.length));
}
