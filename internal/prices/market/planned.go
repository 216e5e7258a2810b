package market

import "fillbook/internal/base/decimal"

// Reach is whether the price came to a level.
type Reach string

// The values for Reach. The zero value means unknown.
const (
	Reached      Reach = "yes"
	MaybeReached Reach = "maybe"
	NotReached   Reach = "no"
)

// PlannedExit is what an order at a level would have brought.
type PlannedExit struct {
	Reached Reach
	// At is the opening of the first bar in which the level was or may have been reached,
	// in seconds since 1970.
	At int64
	// Result is the position's result if the level was reached.
	Result Bounds
}

// PlannedExit returns the result a closed position would have had without its last fill,
// but with an order closing all of it as soon as the price reaches a level until an
// instant in seconds. The order is filled at the level, or at the open of a bar opening
// beyond it. A stop is below a long position and above a short one, a target on the other
// side. A level on the wrong side of the first fill is no order: Reached is empty.
func (p *Position) PlannedExit(b Window, level decimal.Decimal, isStop bool, until int64) PlannedExit {
	n := len(p.fills) - 1
	if n < 1 {
		return PlannedExit{}
	}
	kept := *p
	kept.fills = p.fills[:n]
	o := plannedOrder{walk: walk{Position: &kept, scale: b.PriceScale}, level: level, isAbove: (p.held[1].Sign() > 0) != isStop}
	if o.isBeyond(p.fills[0].Price) {
		return PlannedExit{}
	}
	o.found.Reached = NotReached
	for i := b.findEnd(0, p.starts[0]); i < len(b.Bars) && b.Bars[i].Time+b.Secs <= until; i++ {
		if o.addBar(&b.Bars[i], b.Secs) {
			o.found.Reached = Reached
			break
		}
	}
	return o.found
}

// plannedOrder follows an order from bar to bar.
type plannedOrder struct {
	walk
	level decimal.Decimal
	// isAbove reports whether the order waits for prices at or above the level.
	isAbove bool
	found   PlannedExit
}

func (o *plannedOrder) isBeyond(price decimal.Decimal) bool {
	if o.isAbove {
		return price.Cmp(o.level) >= 0
	}
	return price.Cmp(o.level) <= 0
}

// addBar adds the results with which the order can have been filled during a bar, and
// reports whether it was filled for certain.
func (o *plannedOrder) addBar(bar *Bar, secs int64) bool {
	begin, end := bar.Time*micros, (bar.Time+secs)*micros
	first, last := o.partsDuring(begin, end)
	farthest := bar.Low
	if o.isAbove {
		farthest = bar.High
	}
	if !o.isBeyond(o.price(farthest)) {
		return false
	}
	open := o.price(bar.Open)
	opensBeyond := o.isBeyond(open)
	if opensBeyond && first > 0 && (first == last || o.starts[first] >= begin) {
		o.add(bar, first, open)
		return true
	}
	for part := max(first, 1); part <= last; part++ {
		if o.isInstant(part, last) {
			continue
		}
		o.add(bar, part, o.level)
		if opensBeyond && o.starts[part-1] < begin {
			o.add(bar, part, open)
		}
	}
	return first > 0 || o.isCertain(bar, end, last)
}

// isCertain reports whether the level was reached after the first fill, for a position
// opened during a bar: by a later fill's price, or by the close.
func (o *plannedOrder) isCertain(bar *Bar, end int64, last int) bool {
	for i := 1; i < last; i++ {
		if o.ends[i] < end && o.isBeyond(o.fills[i].Price) {
			return true
		}
	}
	return last > 0 && o.ends[0] < end && o.isBeyond(o.price(bar.Close))
}

// add adds a possible result of the order.
func (o *plannedOrder) add(bar *Bar, part int, price decimal.Decimal) {
	result := o.result(part, price)
	if o.found.Reached == NotReached {
		o.found = PlannedExit{Reached: MaybeReached, At: bar.Time, Result: Bounds{Low: result, High: result}}
		return
	}
	o.found.Result.Low = decimal.Min(o.found.Result.Low, result)
	o.found.Result.High = decimal.Max(o.found.Result.High, result)
}
