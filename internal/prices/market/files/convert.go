package files

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// Convert returns a series' bars in blocks as they are stored: in UTC, stamped with their
// opening, at the reading's price scale. A bar whose prices do not fit at that scale is
// left out. Once the sequence was read to its end, Conflicts has the rows no clock change
// explains.
func (s *Series) Convert(reading market.Reading) iter.Seq[market.Block] {
	return func(yield func(market.Block) bool) {
		c := newConverter(s, reading)
		first, second := &timedCursor{cursor: s.bars.cursor(), toUTC: c.toUTC}, &timedCursor{cursor: s.repeated.cursor(), toUTC: c.toSecondUTC}
		if s.bars.isNewest {
			first.toUTC, second.toUTC = c.toUTCBackwards, c.toUTC
		}
		first.next()
		second.next()
		for first.hasBar || second.hasBar {
			from := first
			if !first.hasBar || second.hasBar && second.bar.Time < first.bar.Time {
				from = second
			}
			if !c.addBar(from.bar, yield) {
				return
			}
			from.next()
		}
		if c.flush(yield) {
			s.Conflicts = s.bars.repeats.conflicts + s.repeated.repeats.conflicts + c.repeats.conflicts
		}
	}
}

// timedCursor reads bars and converts their times.
type timedCursor struct {
	cursor *cursor
	toUTC  func(local int64) int64
	bar    scaledBar
	hasBar bool
}

func (t *timedCursor) next() {
	if t.hasBar = t.cursor.hasNext(); t.hasBar {
		t.bar = t.cursor.next()
		t.bar.Time = t.toUTC(t.bar.Time)
	}
}

// converter changes bar times and prices.
type converter struct {
	secs      int64
	zone      *time.Location
	shift     int64 // from the stamp to the opening
	price     number
	hasVolume bool
	bars      []scaledBar // in the current block
	start     int64
	repeats   repeats
	// later are the times, by the file's clock, of bars belonging to the second of two
	// instants with the same time, although they come first in the file: it is newest
	// first.
	later []market.Range

	// The zone offset, and the times by the file's clock for which it holds.
	offset     int64
	from, till int64
}

func newConverter(s *Series, reading market.Reading) *converter {
	c := &converter{secs: s.Secs, zone: reading.Zone, price: toNumber(reading.PriceScale), hasVolume: s.VolumeKind != market.NoVolume, later: s.passes}
	c.repeats.areTicks = s.bars.repeats.areTicks
	if reading.Stamp == market.CloseStamp {
		c.shift = -s.Secs
	}
	return c
}

func toNumber(d decimal.Decimal) number {
	n, err := parseNumber([]byte(d.String()))
	if err != nil {
		return number{coef: 1}
	}
	return n
}

// toUTC returns the instant for a time by the file's clock, the first one if it comes
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
		c.offset += secondsOfHour // time.Date returned the second instant
	}
	// The offset holds for the quarter hour: zones change at such times only.
	c.from = local - local%(15*60)
	c.till = c.from + 15*60
	return local - c.offset
}

// toSecondUTC returns the instant for a time by the file's clock, the second one if it
// comes twice.
func (c *converter) toSecondUTC(local int64) int64 {
	instant := c.toUTC(local)
	if again := instant + secondsOfHour; c.clockAt(again) == local {
		return again
	}
	return instant
}

// clockAt returns an instant's time by the file's clock.
func (c *converter) clockAt(instant int64) int64 {
	_, offset := time.Unix(instant, 0).In(c.zone).Zone()
	return instant + int64(offset)
}

// toUTCBackwards is toUTC for a newest-first file: the second pass comes first.
func (c *converter) toUTCBackwards(local int64) int64 {
	if len(c.later) > 0 && isIn(c.later, local) {
		return c.toSecondUTC(local)
	}
	return c.toUTC(local)
}

func isIn(ranges []market.Range, time int64) bool {
	return slices.ContainsFunc(ranges, func(r market.Range) bool { return r.From <= time && time < r.To })
}

// addBar adds a bar to the current block, which is yielded when it is complete. Around a
// clock change the bars in a file without the repeated hour may go back; they are sorted
// in flush.
func (c *converter) addBar(bar scaledBar, yield func(market.Block) bool) bool {
	bar.Time += c.shift
	if start := market.BlockStart(bar.Time, c.secs); start != c.start || len(c.bars) == 0 {
		if !c.flush(yield) {
			return false
		}
		c.start = start
	}
	if c.price != (number{coef: 1}) {
		for _, n := range [...]*int64{&bar.Open, &bar.High, &bar.Low, &bar.Close} {
			price, err := number{coef: *n, scale: bar.price}.times(c.price)
			if err != nil {
				return true
			}
			*n, _ = price.scaleTo(market.MaxPriceScale)
		}
		bar.price = market.MaxPriceScale
	}
	c.bars = append(c.bars, bar)
	return true
}

// flush yields the current block.
func (c *converter) flush(yield func(market.Block) bool) bool {
	if len(c.bars) == 0 {
		return true
	}
	byTime := func(a, b scaledBar) int { return cmp.Compare(a.Time, b.Time) }
	if !slices.IsSortedFunc(c.bars, byTime) {
		slices.SortStableFunc(c.bars, byTime)
	}
	block := toBlock(c.keepLast(), nil)
	block.Secs, block.HasVolume = c.secs, c.hasVolume
	block.TrimPrices()
	c.bars = c.bars[:0]
	return yield(block)
}

// keepLast keeps the last of several bars with one time, as a collector does.
func (c *converter) keepLast() []scaledBar {
	kept := c.bars[:0]
	for _, bar := range c.bars {
		if n := len(kept); n > 0 && kept[n-1].Time == bar.Time {
			c.repeats.repeat(&kept[n-1], bar)
			continue
		}
		kept = append(kept, bar)
	}
	return kept
}
