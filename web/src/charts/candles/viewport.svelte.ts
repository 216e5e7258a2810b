// Where a candle chart is: the bars it shows, and the one below the pointer. Charts whose bars have the same times
// can share it.

import type { View } from './view';

export class Viewport {
  /** The bars the user chose; undefined for those shown at first. */
  chosen = $state.raw<View>();
  /** The first bar of the selected candle, -1 for none. */
  at = $state(-1);
  /** The width of the widest axis of prices, so that shared charts begin at the same place. */
  left = $state(0);
}
