package files

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/market"
)

// Convert returns the bars of a series in blocks as they are stored: by UTC, stamped
// with their opening, at the price scale of the reading. A bar whose prices do not fit
// at that scale is left out.
func (s *Series) Convert(reading market.Reading) iter.Seq[market.Block] {
	return func(yield func(market.Block) bool) {
		c := newConverter(s, reading)
		for block := range s.Blocks() {
			if !c.addBlock(block, yield) {
				return
			}
		}
		c.flush(yield)
	}
}

// converter changes the times and prices of bars.
type converter struct {
	secs     int64
	zone     *time.Location
	shift    int64 // from the stamp to the opening
	price    number
	current  market.Block
	start    int64
	repeated []repeatedBar
	// later are the times by the file's clock of bars that belong to the second instant
	// of two with the same time, although they come first in the file: it is newest
	// first.
	later []market.Range

	// The offset of the zone, and the times by the file's clock for which it holds.
	offset     int64
	from, till int64
}

type repeatedBar struct {
	market.Bar
	priceScale, volumeScale int32
}

func newConverter(s *Series, reading market.Reading) *converter {
	c := &converter{secs: s.Secs, zone: reading.Zone, price: toNumber(reading.PriceScale)}
	if reading.Stamp == market.CloseStamp {
		c.shift = -s.Secs
	}
	c.current = c.newBlock(s.VolumeKind != market.NoVolume)
	if s.bars.isNewest {
		c.later = s.passes
	}
	for block := range s.repeated.blocks {
		for _, bar := range block.Bars {
			if local := bar.Time; s.bars.isNewest {
				bar.Time = c.toUTC(local) + c.shift
			} else {
				bar.Time = c.toSecondUTC(local) + c.shift
			}
			c.repeated = append(c.repeated, repeatedBar{bar, block.PriceScale, block.VolumeScale})
		}
	}
	slices.SortStableFunc(c.repeated, func(a, b repeatedBar) int { return cmp.Compare(a.Time, b.Time) })
	return c
}

func toNumber(d decimal.Decimal) number {
	n, err := parseNumber([]byte(d.String()))
	if err != nil {
		return number{coef: 1}
	}
	return n
}

func (c *converter) newBlock(hasVolume bool) market.Block {
	return market.Block{Secs: c.secs, HasVolume: hasVolume}
}

// toUTC returns the instant of a time by the file's clock, the first one if it comes
// twice.
func (c *converter) toUTC(local int64) int64 {
	if local >= c.from && local < c.till {
		return local - c.offset
	}
	t := time.Unix(local, 0).UTC()
	y, m, d := t.Date()
	instant := time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, c.zone)
	_, offset := instant.Zone()
	if c.offset = int64(offset); c.clockAt(instant.Unix()-secondsOfHour) == local {
		c.offset += secondsOfHour // time.Date returned the second of two instants
	}
	// The offset holds for the quarter hour: zones change at such times only.
	c.from = local - local%(15*60)
	c.till = c.from + 15*60
	return local - c.offset
}

// toSecondUTC returns the instant of a time by the file's clock, the second one if it
// comes twice.
func (c *converter) toSecondUTC(local int64) int64 {
	instant := c.toUTC(local)
	if again := instant + secondsOfHour; c.clockAt(again) == local {
		return again
	}
	return instant
}

// clockAt returns the time by the file's clock of an instant.
func (c *converter) clockAt(instant int64) int64 {
	_, offset := time.Unix(instant, 0).In(c.zone).Zone()
	return instant + int64(offset)
}

// addBlock adds the bars of a day and yields every block that is complete.
func (c *converter) addBlock(block market.Block, yield func(market.Block) bool) bool {
	for _, bar := range block.Bars {
		if local := bar.Time; len(c.later) > 0 && isIn(c.later, local) {
			bar.Time = c.toSecondUTC(local) + c.shift
		} else {
			bar.Time = c.toUTC(local) + c.shift
		}
		if start := market.BlockStart(bar.Time, c.secs); start != c.start || len(c.current.Bars) == 0 {
			if !c.flush(yield) {
				return false
			}
			c.start = start
		}
		c.add(bar, block.PriceScale, block.VolumeScale)
	}
	return true
}

func isIn(ranges []market.Range, time int64) bool {
	return slices.ContainsFunc(ranges, func(r market.Range) bool { return r.From <= time && time < r.To })
}

// add adds a bar to the current block. Around a change of clocks the bars of a file
// that leaves the repeated hour out may go back; they are sorted in flush.
func (c *converter) add(bar market.Bar, priceScale, volumeScale int32) {
	if c.price != (number{coef: 1}) {
		for _, n := range [...]*int64{&bar.Open, &bar.High, &bar.Low, &bar.Close} {
			price, err := number{coef: *n, scale: priceScale}.times(c.price)
			if err != nil {
				return
			}
			*n, _ = price.at(market.MaxPriceScale)
		}
		priceScale = market.MaxPriceScale
	}
	if priceScale == c.current.PriceScale && volumeScale == c.current.VolumeScale {
		c.current.Bars = append(c.current.Bars, bar)
		return
	}
	one := market.Block{Secs: c.secs, PriceScale: priceScale, VolumeScale: volumeScale, Bars: []market.Bar{bar}}
	market.EqualizeScales(&c.current, &one)
	c.current.Bars = append(c.current.Bars, one.Bars[0])
}

// flush yields the current block with the repeated bars of its time.
func (c *converter) flush(yield func(market.Block) bool) bool {
	if len(c.current.Bars) == 0 {
		return true
	}
	for len(c.repeated) > 0 && c.repeated[0].Time < c.start+market.BlockSpan(c.secs) {
		c.add(c.repeated[0].Bar, c.repeated[0].priceScale, c.repeated[0].volumeScale)
		c.repeated = c.repeated[1:]
	}
	block := c.current
	block.TrimPrices()
	c.current = c.newBlock(block.HasVolume)
	sortBars(block.Bars)
	block.Bars = keepLast(block.Bars)
	return yield(block)
}

// keepLast keeps the last of several bars of one time.
func keepLast(bars []market.Bar) []market.Bar {
	kept := bars[:0]
	for _, bar := range bars {
		if n := len(kept); n > 0 && kept[n-1].Time == bar.Time {
			kept[n-1] = bar
			continue
		}
		kept = append(kept, bar)
	}
	return kept
}
