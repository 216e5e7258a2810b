package market

import (
	"errors"
	"math"
	"slices"

	"fillbook/internal/base/decimal"
)

// Fill is a position's fill.
type Fill struct {
	// At is the instant in microseconds since 1970, UTC.
	At int64
	// Width is how many microseconds after At the fill may have happened: a minute
	// less one microsecond if the broker wrote the minute only. It is 0 if At is
	// exact.
	Width int64
	// Quantity is the part of the fill belonging to the position, negative if sold.
	Quantity decimal.Decimal
	Price    decimal.Decimal
}

// Bounds are the lowest and highest possible value.
type Bounds struct {
	Low, High decimal.Decimal
}

// Equal reports whether both bounds are the same, so the value is known.
func (b Bounds) Equal() bool { return b.Low.Equal(b.High) }

// Excursion is how far a position went against and for the trader while it was open, as
// positive money. Fees and commissions are not included.
type Excursion struct {
	MAE, MFE Bounds
	// FillsChecked counts the fills with a bar, FillsInside those whose price lies
	// between its low and high, and FillsWithoutBar the others.
	FillsChecked, FillsInside, FillsWithoutBar int
}

// ErrTooCoarse means the fill times are known so badly that comparing each with each bar
// would take too long.
var ErrTooCoarse = errors.New("market: the times of the fills are too coarse for these bars")

// maxWork is the maximum number of bars times positions in one excursion.
const maxWork = 5_000_000

const micros = 1_000_000

// MeasureExcursion returns the position's excursion over a window's bars.
//
// The position's result at a price is the money received and paid so far plus the value
// held: multiplier × (held × price − Σ quantity × price over the fills so far). While a
// bar has no fill inside, both its high and its low were reached with the position held.
// In a bar with fills inside it is unknown in which part the high and the low were, so
// the result is given as bounds: low is what certainly happened, high is the most that
// may have happened.
//
// Fills are in ledger order. Bars before the first and after the last fill are ignored,
// except after an open position's last fill: it is held to the end of the bars.
func (p *Position) MeasureExcursion(b Window) (Excursion, error) {
	if len(p.fills) == 0 {
		return Excursion{}, nil
	}
	w := walk{Position: p, scale: b.PriceScale}
	for i := range p.fills {
		w.addCertain(p.result(i, p.fills[i].Price))
	}
	w.compareFills(b.Block)

	for i := b.findEnd(0, p.starts[0]); i < len(b.Bars); {
		bar := &b.Bars[i]
		begin, end := bar.Time*micros, (bar.Time+b.Secs)*micros
		first, last := w.partsDuring(begin, end)
		if first < last {
			if err := w.addMixedBar(bar, begin, end); err != nil {
				return Excursion{}, err
			}
			i++
			continue
		}
		// No fill until the next one: only the highest and the lowest price matter.
		next := len(b.Bars)
		if last < len(p.fills) {
			next = b.findEnd(i+1, p.starts[last])
		}
		if !p.isFlat(first) {
			high, low := b.extremes(i, next)
			w.addCertain(p.result(first, w.price(high)))
			w.addCertain(p.result(first, w.price(low)))
		} else if first == len(p.fills) {
			break
		}
		i = next
	}
	return w.excursion(), nil
}

// Position has a position's fills, prepared for several measurements. Part k is the time
// after k fills. [Position.Reset] uses its memory again. It is not safe for concurrent
// use.
type Position struct {
	fills      []Fill
	multiplier decimal.Decimal
	// starts and ends are the first and the last instant at which each fill can have
	// happened, given the fill order.
	starts, ends []int64
	// held and paid are the quantity and the money paid for it in each part.
	held, paid []decimal.Decimal
}

// Reset sets the fills, which the caller must not change before the next Reset.
func (p *Position) Reset(fills []Fill, multiplier decimal.Decimal) {
	n := len(fills)
	p.fills, p.multiplier = fills, multiplier
	p.starts, p.ends = slices.Grow(p.starts[:0], n)[:n], slices.Grow(p.ends[:0], n)[:n]
	p.held, p.paid = slices.Grow(p.held[:0], n+1)[:n+1], slices.Grow(p.paid[:0], n+1)[:n+1]
	p.held[0], p.paid[0] = decimal.Zero, decimal.Zero
	latest := int64(math.MinInt64)
	for i := range fills {
		f := &fills[i]
		latest = max(latest, f.At)
		p.starts[i] = latest
		p.held[i+1] = p.held[i].Add(f.Quantity)
		p.paid[i+1] = p.paid[i].Add(f.Quantity.Mul(f.Price))
	}
	earliest := int64(math.MaxInt64)
	for i := n - 1; i >= 0; i-- {
		earliest = min(earliest, max(p.starts[i], fills[i].At+fills[i].Width))
		p.ends[i] = max(earliest, p.starts[i])
	}
}

func (p *Position) isFlat(part int) bool { return p.held[part].IsZero() }

// result returns the position's result in a part at a price.
func (p *Position) result(part int, price decimal.Decimal) decimal.Decimal {
	return p.held[part].Mul(price).Sub(p.paid[part]).Mul(p.multiplier)
}

// isInstant reports whether a part lasted no time, because the fills before and after
// it happened at one instant.
func (p *Position) isInstant(part, last int) bool {
	return part < last && p.starts[part-1] == p.ends[part]
}

// walk goes through a position's bars.
type walk struct {
	*Position
	scale int32

	// before and possible count the fills that certainly happened before the bar's start,
	// and that may have happened before its end.
	before, possible int

	// The result's extremes: what certainly happened, and what may have happened besides.
	certainMin, certainMax   decimal.Decimal
	possibleMin, possibleMax decimal.Decimal

	work                 int
	checked, inside, out int
}

// partsDuring returns the first and the last part in which the position can have
// been during a bar. Calls go forward in time.
func (w *walk) partsDuring(begin, end int64) (first, last int) {
	for w.before < len(w.fills) && w.ends[w.before] < begin {
		w.before++
	}
	for w.possible < len(w.fills) && w.starts[w.possible] < end {
		w.possible++
	}
	return w.before, w.possible
}

func (w *walk) price(n int64) decimal.Decimal { return decimal.FromScaled(n, w.scale) }

// addMixedBar adds a bar during which the position can have been in several parts.
func (w *walk) addMixedBar(bar *Bar, begin, end int64) error {
	first, last := w.before, w.possible
	if w.work += last - first; w.work > maxWork {
		return ErrTooCoarse
	}
	w.addReached(w.price(bar.High), first, last)
	w.addReached(w.price(bar.Low), first, last)
	// The open was reached before the bar's first fill if no fill can have happened
	// before the bar, and the close after its last fill if none can have happened after
	// the bar.
	if w.starts[first] >= begin {
		w.addCertain(w.result(first, w.price(bar.Open)))
	}
	if w.ends[last-1] < end {
		w.addCertain(w.result(last, w.price(bar.Close)))
	}
	return nil
}

// addReached adds a price reached in one of the parts, it is unknown in which: the least
// result was certainly exceeded or met, and so was the greatest from above.
func (w *walk) addReached(price decimal.Decimal, first, last int) {
	least := w.result(first, price)
	most := least
	for part := first + 1; part <= last; part++ {
		if w.isInstant(part, last) {
			continue
		}
		result := w.result(part, price)
		least, most = decimal.Min(least, result), decimal.Max(most, result)
	}
	w.certainMax, w.certainMin = decimal.Max(w.certainMax, least), decimal.Min(w.certainMin, most)
	w.possibleMax, w.possibleMin = decimal.Max(w.possibleMax, most), decimal.Min(w.possibleMin, least)
}

// addCertain adds a result the position certainly had.
func (w *walk) addCertain(result decimal.Decimal) {
	w.certainMax, w.certainMin = decimal.Max(w.certainMax, result), decimal.Min(w.certainMin, result)
}

// compareFills counts the fills whose price is in their bar. A fill known only to the
// minute or day may lie in any bar in that time.
func (w *walk) compareFills(b Block) {
	first := 0
	for i := range w.fills {
		first = b.findEnd(first, w.starts[i])
		hasBar, isInside := false, false
		for at := first; at < len(b.Bars) && b.Bars[at].Time*micros <= w.ends[i] && !isInside; at++ {
			hasBar = true
			isInside = isBetween(w.fills[i].Price, w.price(b.Bars[at].Low), w.price(b.Bars[at].High))
		}
		switch {
		case !hasBar:
			w.out++
		case isInside:
			w.checked++
			w.inside++
		default:
			w.checked++
		}
	}
}

func isBetween(price, low, high decimal.Decimal) bool {
	return price.Cmp(low) >= 0 && price.Cmp(high) <= 0
}

func (w *walk) excursion() Excursion {
	return Excursion{
		MAE:          Bounds{Low: w.certainMin.Neg(), High: decimal.Min(w.certainMin, w.possibleMin).Neg()},
		MFE:          Bounds{Low: w.certainMax, High: decimal.Max(w.certainMax, w.possibleMax)},
		FillsChecked: w.checked, FillsInside: w.inside, FillsWithoutBar: w.out,
	}
}
