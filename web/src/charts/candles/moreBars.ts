// Finds the bars before or after those a chart has.

import type { Bars } from './bars';

export type Direction = -1 | 1; // earlier, later

/** The end of the loaded bars in one direction. */
export interface Edge {
  at: number; // the opening of the first or last loaded bar
  end: number; // the opening of the first or last stored bar
  secs: number;
}

const wanted = 1000; // bars at once; the API returns at most 2,000
const mostTries = 40;

/** The most bars that one chart has. */
export const mostBars = 20_000;

/**
 * Returns the next bars in a direction, undefined at the end of the series. `load` returns the bars that open from one
 * second to another. Nights and weekends without bars are passed in steps that become longer; if such a step has more
 * bars than the API returns at once, they are longer ones and only say where the next bars are.
 */
export async function loadMore(
  load: (from: number, to: number) => Promise<Bars>,
  direction: Direction,
  edge: Edge,
): Promise<Bars | undefined> {
  let near = edge.at + direction;
  let length = wanted * edge.secs;
  for (let tries = 0; tries < mostTries && (edge.end - near) * direction >= 0; tries++) {
    const far = near + direction * length;
    const found = await load(Math.min(near, far), Math.max(near, far));
    if (found.t.length === 0) {
      near = far + direction;
      length *= 2;
    } else if (found.secs === edge.secs) {
      return found;
    } else {
      near = direction < 0 ? Math.min(near, found.t.at(-1)! + found.secs - 1) : Math.max(near, found.t[0]!);
      length = wanted * edge.secs;
    }
  }
  return undefined;
}
