// Scales for axes. For drawing only: displayed values come from the API and are
// formatted, not computed here.

/** Returns round values that span low to high, about `wanted` of them. */
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

/** Returns the range of an axis of values, with a little room around them, and the round values inside it. */
export function fitAxis(values: number[], wanted = 5): { range: [number, number]; marks: number[] } {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const marks = ticks(low, high, wanted);
  if (!(low < high)) return { range: [marks[0]!, marks.at(-1)!], marks };
  const room = (high - low) * 0.04;
  const range: [number, number] = [low - room, high + room];
  return { range, marks: marks.filter((mark) => mark >= range[0] && mark <= range[1]) };
}

const day = 86_400_000;

/**
 * Returns about `wanted` times of an axis: the firsts of months at an even distance, or days of a short axis. They are
 * noons in UTC, which are on the same day in almost every time zone.
 */
export function timeTicks(first: number, last: number, wanted: number): number[] {
  const least = (last - first) / Math.max(1, wanted);
  const isInside = (at: number) => at >= first && at <= last;
  const days = [1, 2, 7, 14].find((n) => n * day >= least);
  if (days !== undefined) {
    const monday = 4 * day + day / 2; // in 1970
    const begin = monday + Math.ceil((first - monday) / (days * day)) * days * day;
    return Array.from({ length: wanted + 1 }, (_, i) => begin + i * days * day).filter(isInside);
  }
  const months = [1, 2, 3, 6, 12, 24, 60, 120].find((n) => n * 31 * day >= least) ?? 240;
  const from = new Date(first);
  const since1970 = (from.getUTCFullYear() - 1970) * 12 + from.getUTCMonth();
  const begin = Math.floor(since1970 / months) * months;
  return Array.from({ length: wanted + 2 }, (_, i) => Date.UTC(1970, begin + i * months, 1, 12)).filter(
    isInside,
  );
}

export type Scale = (value: number) => number;

export function scale(from: [number, number], to: [number, number]): Scale {
  const span = from[1] - from[0] || 1;
  return (value) => to[0] + ((value - from[0]) / span) * (to[1] - to[0]);
}

/** Returns the index of the position nearest to x, -1 if none. Positions are ascending. */
export function findNearest(positions: number[], x: number): number {
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

/** Returns the index of the point nearest to (x, y) in both directions, -1 if none. */
export function findNearestPoint(xs: number[], ys: number[], x: number, y: number): number {
  let nearest = -1;
  let least = Infinity;
  xs.forEach((px, i) => {
    const distance = (px - x) ** 2 + (ys[i]! - y) ** 2;
    if (distance < least) [nearest, least] = [i, distance];
  });
  return nearest;
}

/** Returns an SVG path through points, such as M0 1L2 3. */
export function linePath(xs: number[], ys: number[]): string {
  return xs.map((px, i) => `${i === 0 ? 'M' : 'L'}${px.toFixed(1)} ${ys[i]!.toFixed(1)}`).join('');
}

/** Returns the path of the band between two lines. */
export function bandPath(xs: number[], low: number[], high: number[]): string {
  return `${linePath([...xs, ...[...xs].reverse()], [...high, ...[...low].reverse()])}Z`;
}

/** Returns the point a key moves to from point `at` (-1 for none), null if the key does not move. */
export function stepTo(key: string, at: number, count: number): number | null {
  const last = count - 1;
  const from = at < 0 ? last : at;
  const far = Math.max(1, Math.round(count / 20));
  const to: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    PageUp: from - far,
    PageDown: from + far,
    Home: 0,
    End: last,
  };
  return count > 0 && key in to ? Math.max(0, Math.min(to[key]!, last)) : null;
}

/** Returns evenly spaced indexes, so labels of width `each` do not overlap in `room`. */
export function pickEvenly(count: number, room: number, each: number): number[] {
  const step = Math.max(1, Math.ceil((count * each) / Math.max(room, 1)));
  return Array.from({ length: count }, (_, i) => i).filter((i) => i % step === 0);
}

/** Returns the labels without those that would overlap the one before them. */
export function dropOverlaps<T extends { at: number; text: string }>(labels: T[]): T[] {
  let end = -Infinity;
  return labels.filter(({ at, text }) => {
    const half = textWidth(text) / 2;
    if (at - half < end) return false;
    end = at + half + 6;
    return true;
  });
}

/** Returns where a value lies among bins, in bins from the left; in the middle of a bin with an open end. */
export function placeInBins(value: number, bins: { low: number | null; high: number | null }[]): number {
  const at = bins.findIndex((b) => b.high === null || value < b.high);
  if (at < 0) return bins.length; // the upper end itself
  const { low, high } = bins[at]!;
  return at + (low === null || high === null ? 0.5 : Math.max(0, (value - low) / (high - low)));
}

/** Returns how many items of a list are shown at first: all, if that hides only a few. */
export function shownAtFirst(all: number, most: number): number {
  return all <= most + 3 ? all : most;
}

/** Returns the depth of a color from 0 to 1. It grows fast near zero, so small values differ visibly. */
export function colorDepth(value: number, most: number): number {
  if (value === 0 || most === 0) return 0;
  return Math.min(1, Math.sqrt(Math.abs(value) / most));
}

/** Returns about how wide a label of an axis is, in pixels, rather more than less. */
export function textWidth(text: string): number {
  return 6.3 * text.length;
}

/** Returns where to center a label that ends at `right` at the latest. */
export function centerBefore(right: number, at: number, text: string): number {
  return Math.min(at, right - textWidth(text) / 2);
}

/** Returns the width the longest label of an axis needs, in pixels. */
export function axisWidth(labels: string[], least: number): number {
  return Math.max(least, ...labels.map((text) => 14 + textWidth(text)));
}
