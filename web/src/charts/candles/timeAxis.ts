// The time axis of bars. Bars follow each other without the time between two
// sessions; a session ends where bars are missing.

/** Returns local seconds (of the wall clock) for seconds since 1970. */
export type LocalTime = (second: number) => number;

const day = 86_400;
const pause = 3000; // the shortest break between sessions, which is an hour for futures

/** Returns a function from instants to the wall clock of a time zone. Offsets are cached per quarter of an hour. */
export function createLocalTime(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const offsets = new Map<number, number>();
  return (second) => {
    const quarter = Math.floor(second / 900);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      const p = Object.fromEntries(
        format.formatToParts(quarter * 900_000).map((part) => [part.type, Number(part.value)]),
      );
      offset = Date.UTC(p.year!, p.month! - 1, p.day!, p.hour!, p.minute!, p.second!) / 1000 - quarter * 900;
      offsets.set(quarter, offset);
    }
    return second + offset;
  };
}

/**
 * Returns the indexes at which a session begins. Sessions are separated by breaks; what trades for more
 * than a day without one, such as crypto, is separated at midnight. Daily bars have no sessions.
 */
export function findSessions(t: number[], secs: number, local: LocalTime): number[] {
  if (secs >= day || t.length === 0) return [];
  const breaks = [0];
  for (let i = 1; i < t.length; i++) if (t[i]! - t[i - 1]! - secs >= pause) breaks.push(i);
  return breaks.flatMap((first, n) => {
    const end = breaks[n + 1] ?? t.length;
    return t[end - 1]! + secs - t[first]! > day ? [first, ...findMidnights(t, first, end, local)] : [first];
  });
}

function findMidnights(t: number[], first: number, end: number, local: LocalTime): number[] {
  const found: number[] = [];
  for (let i = first + 1; i < end; i++) if (crosses(t, i, day, local)) found.push(i);
  return found;
}

/** Reports whether a multiple of `step` of the wall clock lies between the openings of a bar and the one before. */
function crosses(t: number[], i: number, step: number, local: LocalTime): boolean {
  return Math.floor(local(t[i]!) / step) !== Math.floor(local(t[i - 1]!) / step);
}

export interface TimeLabel {
  index: number;
  isDay: boolean; // shows the day instead of the time
}

const steps = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, day];

/** Returns the labels below the bars from one index to another. `each` is the distance of two bars in pixels. */
export function labelTimes(
  t: number[],
  from: number,
  to: number,
  each: number,
  local: LocalTime,
  least = 72,
): TimeLabel[] {
  const first = Math.max(0, Math.floor(from));
  const end = Math.min(t.length, Math.ceil(to));
  const days = collect(t, first, end, day, local).map((index) => ({ index, isDay: true }));
  const room = ((end - first) * each) / least;
  for (const step of steps) {
    if (step === day) break;
    const times = collect(t, first, end, step, local, room);
    if (times.length > room) continue;
    const placed = keepApart(days, each, least);
    return [...placed, ...addBetween(times, placed, each, least)].sort((a, b) => a.index - b.index);
  }
  return keepApart(days, each, least);
}

/** Returns the bars after a multiple of `step`. It stops as soon as there are more than `most`. */
function collect(
  t: number[],
  first: number,
  end: number,
  step: number,
  local: LocalTime,
  most = Infinity,
): number[] {
  const found: number[] = [];
  for (let i = Math.max(1, first); i < end && found.length <= most; i++)
    if (crosses(t, i, step, local)) found.push(i);
  return found;
}

function keepApart(labels: TimeLabel[], each: number, least: number): TimeLabel[] {
  const kept: TimeLabel[] = [];
  for (const label of labels) {
    const last = kept.at(-1);
    if (!last || (label.index - last.index) * each >= least) kept.push(label);
  }
  return kept;
}

/** Returns the times that have enough distance to the days and to each other. */
function addBetween(times: number[], days: TimeLabel[], each: number, least: number): TimeLabel[] {
  const kept: TimeLabel[] = [];
  for (const index of times) {
    const taken = [...days, ...kept.slice(-1)];
    if (taken.every((label) => Math.abs(label.index - index) * each >= least))
      kept.push({ index, isDay: false });
  }
  return kept;
}
