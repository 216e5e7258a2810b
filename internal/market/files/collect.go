package files

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"maps"
	"slices"

	"fillbook/internal/market"
)

// collector keeps the bars of a series in encoded blocks of a day, of which only the
// current one is decoded. It accepts bars in any order.
type collector struct {
	days    map[int64][]byte
	current market.Block
	// start is the start of the current block; it has bars if isOpen.
	start  int64
	isOpen bool
	// buffer and encoded are memory of the last block, to be used again.
	buffer  []market.Bar
	encoded []byte

	count, conflicts int
	hasVolume        bool
	hasTicks         bool // volumes are numbers of ticks
	// traded has the bars with their real volume, from the first row on that has one.
	traded      *collector
	first, last int64
	// gaps counts the distances of neighbouring rows, to find the length of a bar.
	gaps     map[int64]int
	lastTime int64
	isNewest bool // the first two rows are newest first
}

// daily is a length of bars whose block is a day.
const daily = 1

// values are the numbers of a row.
type values struct {
	time                           int64 // seconds
	open, high, low, close, volume number
	ticks                          number // the number of ticks, if the file has both
}

var errRange = errors.New("a number has too many digits")

// add adds a bar, or replaces the one of the same time. The volume of the bar is the
// number of ticks until a row has a volume.
func (c *collector) add(v values) error {
	if err := v.toPrices(); err != nil {
		return err
	}
	if v.volume.coef != 0 && v.ticks.coef != 0 && c.traded == nil {
		c.traded = &collector{}
	}
	if c.traded != nil {
		traded := v
		traded.ticks = number{}
		if err := c.traded.add(traded); err != nil {
			return err
		}
	}
	if v.ticks.coef != 0 {
		v.volume, c.hasTicks = v.ticks, true
	}
	scale := max(v.open.scale, v.high.scale, v.low.scale, v.close.scale)
	c.openDay(market.BlockStart(v.time, daily))
	if !c.raiseScale(scale, v.volume.scale) {
		return errRange
	}
	bar, ok := c.toBar(v)
	if !ok {
		return errRange
	}
	if err := bar.Check(); err != nil {
		return err
	}
	c.countGap(bar.Time)
	c.current.Bars = append(c.current.Bars, bar)
	c.count++
	c.hasVolume = c.hasVolume || bar.Volume != 0
	return nil
}

// toPrices rounds the prices of a row and refuses those that are too large.
func (v *values) toPrices() (err error) {
	for _, price := range [...]*number{&v.open, &v.high, &v.low, &v.close} {
		if *price, err = price.toPrice(); err != nil {
			return err
		}
	}
	v.volume, v.ticks = v.volume.round(market.MaxPriceScale), v.ticks.round(market.MaxPriceScale)
	return nil
}

func (c *collector) toBar(v values) (market.Bar, bool) {
	price, volume := c.current.PriceScale, c.current.VolumeScale
	open, okOpen := v.open.at(price)
	high, okHigh := v.high.at(price)
	low, okLow := v.low.at(price)
	last, okLast := v.close.at(price)
	amount, okVolume := v.volume.at(volume)
	bar := market.Bar{Time: v.time, Open: open, High: high, Low: low, Close: last, Volume: amount}
	return bar, okOpen && okHigh && okLow && okLast && okVolume
}

// addTick adds a trade or quote to the bar of its time.
func (c *collector) addTick(v values) error {
	if err := v.toPrices(); err != nil {
		return err
	}
	c.openDay(market.BlockStart(v.time, daily))
	if !c.raiseScale(v.close.scale, v.volume.scale) {
		return errRange
	}
	bar, ok := c.toBar(v)
	if !ok {
		return errRange
	}
	if c.count == 0 {
		c.first, c.last = bar.Time, bar.Time
	}
	c.first, c.last = min(c.first, bar.Time), max(c.last, bar.Time)
	if n := len(c.current.Bars); n > 0 && c.current.Bars[n-1].Time == bar.Time {
		last := &c.current.Bars[n-1]
		last.High, last.Low, last.Close = max(last.High, bar.High), min(last.Low, bar.Low), bar.Close
		last.Volume = min(last.Volume+bar.Volume, market.MaxNumber)
	} else {
		c.current.Bars = append(c.current.Bars, bar)
		c.count++
	}
	c.hasVolume = c.hasVolume || bar.Volume != 0
	return nil
}

func (c *collector) raiseScale(price, volume int32) bool {
	price, volume = max(price, c.current.PriceScale), max(volume, c.current.VolumeScale)
	if price == c.current.PriceScale && volume == c.current.VolumeScale {
		return true
	}
	return c.current.Rescale(price, volume)
}

// countGap counts the distance from the row before.
func (c *collector) countGap(time int64) {
	if c.gaps == nil {
		c.gaps, c.first, c.last = map[int64]int{}, time, time
	} else {
		gap := time - c.lastTime
		if c.count == 1 {
			c.isNewest = gap < 0
		}
		if gap = max(gap, -gap); gap > 0 && (len(c.gaps) < 1000 || c.gaps[gap] > 0) {
			c.gaps[gap]++
		}
	}
	c.lastTime = time
	c.first, c.last = min(c.first, time), max(c.last, time)
}

// barLength returns the most common distance of neighbouring bars in seconds, or 0. Two to
// four days are a weekend or a holiday between bars of days.
func (c *collector) barLength() int64 {
	best, count := int64(0), 0
	for gap, n := range c.gaps {
		if n > count || n == count && gap < best {
			best, count = gap, n
		}
	}
	if best%secondsOfDay == 0 && best < 5*secondsOfDay {
		best = min(best, secondsOfDay)
	}
	return best
}

// openDay makes the day that begins at start the current one.
func (c *collector) openDay(start int64) {
	if c.isOpen && c.start == start {
		return
	}
	c.closeDay()
	c.start, c.isOpen = start, true
	c.current = market.Block{Secs: 1, HasVolume: true, Bars: c.buffer[:0]}
}

// closeDay encodes the current block. If the day was closed before, the bars of both
// are merged.
func (c *collector) closeDay() {
	if !c.isOpen || len(c.current.Bars) == 0 {
		return
	}
	block := c.current
	c.buffer = block.Bars
	sortBars(block.Bars)
	block.Bars = c.dropRepeated(block.Bars)
	if stored, ok := c.days[c.start]; ok {
		before := mustDecode(stored)
		market.EqualizeScales(&before, &block)
		var replaced int
		block.Bars, _, replaced, _ = market.Merge(before.Bars, block.Bars)
		c.conflicts += replaced
	}
	if c.days == nil {
		c.days = map[int64][]byte{}
	}
	c.encoded = block.AppendTo(c.encoded[:0])
	c.days[c.start] = bytes.Clone(c.encoded)
	c.current.Bars = nil
	c.isOpen = false
}

// sortBars sorts bars by time. Those of one time keep their order.
func sortBars(bars []market.Bar) {
	byTime := func(a, b market.Bar) int { return cmp.Compare(a.Time, b.Time) }
	if !slices.IsSortedFunc(bars, byTime) {
		slices.SortStableFunc(bars, byTime)
	}
}

// dropRepeated keeps the last of several bars of one time and counts those that
// differ.
func (c *collector) dropRepeated(bars []market.Bar) []market.Bar {
	kept := bars[:0]
	for _, bar := range bars {
		if n := len(kept); n > 0 && kept[n-1].Time == bar.Time {
			if kept[n-1] != bar {
				c.conflicts++
			}
			kept[n-1] = bar
			continue
		}
		kept = append(kept, bar)
	}
	return kept
}

// useTraded replaces the numbers of ticks by real volumes, if any row has one.
func (c *collector) useTraded() {
	if c.traded == nil {
		return
	}
	c.closeDay()
	for start, data := range c.days {
		block := mustDecode(data)
		for i := range block.Bars {
			block.Bars[i].Volume = 0
		}
		c.days[start] = block.AppendTo(nil)
	}
	conflicts := c.conflicts
	for block := range c.traded.blocks {
		c.start, c.isOpen, c.current = market.BlockStart(block.Bars[0].Time, daily), true, block
		c.closeDay()
	}
	c.conflicts, c.traded, c.hasTicks = conflicts, nil, false
}

// mustDecode decodes a block that this package encoded a moment ago.
func mustDecode(data []byte) market.Block {
	block, err := market.DecodeBlock(data, nil)
	if err != nil {
		panic("files: a block in memory is damaged: " + err.Error())
	}
	return block
}

// blocks is a sequence of the days in order of time.
func (c *collector) blocks(yield func(market.Block) bool) {
	c.blocksWithin(func(market.Range) bool { return true })(yield)
}

// blocksWithin returns the sequence of the days that isWanted accepts, in order of time.
func (c *collector) blocksWithin(isWanted func(day market.Range) bool) iter.Seq[market.Block] {
	return func(yield func(market.Block) bool) {
		c.closeDay()
		for _, start := range slices.Sorted(maps.Keys(c.days)) {
			if isWanted(market.Range{From: start, To: start + secondsOfDay}) && !yield(mustDecode(c.days[start])) {
				return
			}
		}
	}
}
