package files

import (
	"errors"
	"iter"

	"fillbook/internal/prices/market"
)

// collector keeps a series' bars in encoded blocks. It accepts bars in any order.
//
// Rows wait in the budget until there are many, and are then sorted into a run. A run is
// merged with the run before unless that is much longer, so each bar is merged only a few
// times, and a repeated row is dropped soon.
type collector struct {
	budget *budget
	number int // in the budget, from 1 on
	runs   []run

	count       int
	repeats     repeats
	hasVolume   bool
	hasTicks    bool // volumes are tick counts
	hasTraded   bool // a row has a real volume beside the tick count
	first, last int64
	// hourSteps counts the neighbouring rows an hour apart.
	hourSteps int
	lastTime  int64
	isNewest  bool // the first two rows are newest first
}

// values are the numbers in a row.
type values struct {
	time                           int64 // seconds
	open, high, low, close, volume number
	ticks                          number // the tick count, if the file has both
}

var errRange = errors.New("a number has too many digits")

// add adds a bar, or replaces the one with the same time. The bar's volume is the tick
// count until a row has a volume.
func (c *collector) add(v values) error {
	if err := v.toPrices(); err != nil {
		return err
	}
	hasBoth := v.volume.coef != 0 && v.ticks.coef != 0
	isTicks := v.ticks.coef != 0 && !hasBoth && !c.hasTraded
	if isTicks {
		v.volume = v.ticks
	}
	bar, ok := v.toBar()
	if !ok {
		return errRange
	}
	if err := bar.Check(); err != nil {
		return err
	}
	if hasBoth {
		c.dropTicks()
	}
	c.hasTicks = c.hasTicks || isTicks
	c.countTime(bar)
	c.budget.add(c, bar)
	return nil
}

// addTick adds a trade or quote to the bar for its time.
func (c *collector) addTick(v values) error {
	if err := v.toPrices(); err != nil {
		return err
	}
	bar, ok := v.toBar()
	if !ok {
		return errRange
	}
	c.repeats.areTicks = true
	c.countTime(bar)
	if last := c.budget.lastOf(c); last != nil && last.Time == bar.Time {
		last.extend(bar)
		return nil
	}
	c.budget.add(c, bar)
	return nil
}

// toPrices rounds a row's prices and refuses those that are too large.
func (v *values) toPrices() (err error) {
	for _, price := range [...]*number{&v.open, &v.high, &v.low, &v.close} {
		if *price, err = price.toPrice(); err != nil {
			return err
		}
	}
	v.volume, v.ticks = v.volume.round(market.MaxPriceScale), v.ticks.round(market.MaxPriceScale)
	return nil
}

// toBar returns the row as a bar, and whether its numbers fit.
func (v values) toBar() (scaledBar, bool) {
	scale := max(v.open.scale, v.high.scale, v.low.scale, v.close.scale)
	open, okOpen := v.open.scaleTo(scale)
	high, okHigh := v.high.scaleTo(scale)
	low, okLow := v.low.scaleTo(scale)
	last, okLast := v.close.scaleTo(scale)
	amount, okVolume := v.volume.scaleTo(v.volume.scale)
	bar := market.Bar{Time: v.time, Open: open, High: high, Low: low, Close: last, Volume: amount}
	return scaledBar{Bar: bar, price: scale, volume: v.volume.scale}, okOpen && okHigh && okLow && okLast && okVolume
}

// countTime records what the row order shows.
func (c *collector) countTime(bar scaledBar) {
	if c.count == 0 {
		c.first, c.last = bar.Time, bar.Time
	} else {
		step := bar.Time - c.lastTime
		if c.count == 1 {
			c.isNewest = step < 0
		}
		if step == secondsOfHour || step == -secondsOfHour {
			c.hourSteps++
		}
	}
	c.count++
	c.lastTime = bar.Time
	c.first, c.last = min(c.first, bar.Time), max(c.last, bar.Time)
	c.hasVolume = c.hasVolume || bar.Volume != 0
}

// repeats is how several rows for one time are joined.
type repeats struct {
	areTicks  bool // rows are trades or quotes, which are joined
	conflicts int  // rows replacing one with other values
}

// repeat adds a later bar with the same time: it replaces the bar, or extends it if both
// are made from ticks.
func (r *repeats) repeat(bar *scaledBar, later scaledBar) {
	if r.areTicks {
		bar.extend(later)
		return
	}
	if !bar.equals(later) {
		r.conflicts++
	}
	*bar = later
}

// addRun adds a run and merges it with the one before while that is not much longer.
func (c *collector) addRun(added run) {
	c.runs = append(c.runs, added)
	for n := len(c.runs); n > 1 && c.runs[n-2].bars <= 2*c.runs[n-1].bars; n = len(c.runs) {
		c.mergeLast()
	}
}

// mergeLast merges the last two runs.
func (c *collector) mergeLast() {
	n := len(c.runs)
	merged := c.mergeRuns(c.runs[n-2], c.runs[n-1])
	c.runs = append(c.runs[:n-2], merged)
}

// finish makes one run from all rows.
func (c *collector) finish() {
	if c.budget == nil {
		return
	}
	c.budget.flush()
	for len(c.runs) > 1 {
		c.mergeLast()
	}
}

// absorb adds another collector's bars as later rows. Both must be finished.
func (c *collector) absorb(other *collector) {
	if other.count == 0 {
		return
	}
	if c.count == 0 {
		*c = *other
		return
	}
	c.first, c.last = min(c.first, other.first), max(c.last, other.last)
	c.count += other.count
	c.repeats.conflicts += other.repeats.conflicts
	c.hasVolume = c.hasVolume || other.hasVolume
	for _, r := range other.runs {
		c.addRun(r)
	}
}

// dropTicks removes the tick counts, because a row has a real volume.
func (c *collector) dropTicks() {
	if c.hasTraded {
		return
	}
	c.hasTraded = true
	if !c.hasTicks {
		return
	}
	c.hasTicks, c.hasVolume = false, false
	c.budget.flush()
	for _, r := range c.runs {
		for i, stored := range r.blocks {
			block := c.budget.store.decodeBlock(stored, nil)
			for j := range block.Bars {
				block.Bars[j].Volume = 0
			}
			c.budget.store.held -= int64(len(stored.encoded.text))
			r.blocks[i].encoded = c.budget.store.save(block.AppendTo(nil))
		}
	}
}

// bars returns the number of bars.
func (c *collector) bars() (n int) {
	for _, r := range c.runs {
		n += r.bars
	}
	return n
}

// cursor returns a cursor at the first bar. Runs are merged first.
func (c *collector) cursor() *cursor {
	c.finish()
	if len(c.runs) == 0 {
		return &cursor{}
	}
	return &cursor{store: &c.budget.store, blocks: c.runs[0].blocks}
}

// blocksWithin returns the blocks whose period isWanted accepts, in time order.
func (c *collector) blocksWithin(isWanted func(of market.Range) bool) iter.Seq[market.Block] {
	return func(yield func(market.Block) bool) {
		for _, stored := range c.cursor().blocks {
			if isWanted(market.Range{From: stored.first, To: stored.last + 1}) && !yield(c.budget.store.decodeBlock(stored, nil)) {
				return
			}
		}
	}
}

// barLength returns the most common distance between neighbouring bars in seconds, or 0.
// Two to four days are a weekend or a holiday between daily bars. The row order does not
// matter.
func barLength(a, b *cursor) int64 {
	const mostGaps = 1000
	gaps := map[int64]int{}
	best, last, isFirst := int64(0), int64(0), true
	for a.hasNext() || b.hasNext() {
		from := a
		if !a.hasNext() || b.hasNext() && b.time() < a.time() {
			from = b
		}
		time := from.next().Time
		if gap := time - last; !isFirst && gap > 0 && (len(gaps) < mostGaps || gaps[gap] > 0) {
			gaps[gap]++
		}
		last, isFirst = time, false
	}
	for gap, n := range gaps {
		if n > gaps[best] || n == gaps[best] && gap < best {
			best = gap
		}
	}
	if best%secondsOfDay == 0 && best < 5*secondsOfDay {
		best = min(best, secondsOfDay)
	}
	return best
}
