package analytics

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// CashEvent is a cash transaction as the equity curve sees it.
type CashEvent struct {
	ID     journal.CashID
	At     time.Time
	Amount decimal.Decimal // signed: money in is positive
	// Flow marks deposits and withdrawals, which move equity and are no result.
	Flow bool
}

// DefaultPoints is how many points a curve has at most unless told otherwise, and
// MinPoints the fewest that a curve is thinned to.
const (
	DefaultPoints = 2000
	MinPoints     = 8
)

// CurveQuery says what curve to draw.
type CurveQuery struct {
	// Filter selects the trades. Its period is the window of the curve and always
	// tests the closing, because that is when a result reaches the account.
	Filter  Filter
	Capital Capital
	// Cash is all cash of the accounts, in any order and also from before the
	// window.
	Cash []CashEvent
	// MaxPoints bounds the points; 0 means DefaultPoints.
	MaxPoints int
}

// Curve is equity over time.
type Curve struct {
	Points         []Point         `json:"points"`
	StartingEquity decimal.Decimal `json:"starting_equity"`
	EndingEquity   decimal.Decimal `json:"ending_equity"`
	MaxDrawdown    decimal.Decimal `json:"max_drawdown"`
	MaxDrawdownPct *float64        `json:"max_drawdown_pct"`
	// NetCashFlow is deposits less withdrawals inside the window.
	NetCashFlow decimal.Decimal `json:"net_cash_flow"`
	Currency    string          `json:"currency"`
}

// Point is the equity right after an event, and how far it is below its peak.
type Point struct {
	At       time.Time       `json:"at"`
	Equity   decimal.Decimal `json:"equity"`
	Drawdown decimal.Decimal `json:"drawdown"`
}

// Equity draws the equity curve of some accounts.
func Equity(columns []*Columns, q CurveQuery) Curve {
	from := q.Filter.Period.From
	q.Filter.Basis, q.Filter.Period.From = ByClosing, nil
	s := Select(columns, q.Filter)
	cash := cashColumnOf(q)
	s.chooseScale(&cash.amounts)
	start := int64(-1 << 63)
	if from != nil {
		start = ceilMicro(*from)
	}
	if s.unbounded {
		return equity[exact](s, cash, q, start, from)
	}
	return equity[int128](s, cash, q, start, from)
}

// cashColumn is the cash up to the end of the window, in order, as a column. The
// starting capital is its first amount, so that it takes part in the scale.
type cashColumn struct {
	events  []CashEvent
	amounts amounts
}

func cashColumnOf(q CurveQuery) *cashColumn {
	c := &cashColumn{}
	for _, event := range q.Cash {
		if to := q.Filter.Period.To; to == nil || !event.At.After(*to) {
			c.events = append(c.events, event)
		}
	}
	slices.SortStableFunc(c.events, func(a, b CashEvent) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.ID), string(b.ID)))
	})
	c.amounts.push(q.Capital.Starting)
	for _, event := range c.events {
		c.amounts.push(event.Amount)
	}
	return c
}

// cashValues gives the starting capital and the amounts of the events.
func cashValues[T number[T]](c *cashColumn, scale int32) (starting T, values []T) {
	picks := make([]pick, len(c.events)+1)
	for i := range picks {
		picks[i].row = int32(i)
	}
	values = make([]T, len(picks))
	starting.gather(values, []*amounts{&c.amounts}, picks, scale)
	return values[0], values[1:]
}

// walk is the state along a curve.
type walk[T number[T]] struct {
	scale         int32
	level, peak   T
	flow          T
	falls         falls[T]
	at            []int64
	levels, below []T
}

func equity[T number[T]](s *Selection, cash *cashColumn, q CurveQuery, start int64, from *time.Time) Curve {
	net := column[T](s, netOf)
	level, amounts := cashValues[T](cash, s.scale)
	trade, event := 0, 0
	for ; trade < len(net) && s.closed(trade) < start; trade++ {
		level = level.add(net[trade])
	}
	for ; event < len(amounts) && cash.events[event].At.UnixMicro() < start; event++ {
		level = level.add(amounts[event])
	}
	w := &walk[T]{scale: s.scale, level: level, peak: level, at: make([]int64, 0, len(net)-trade+len(amounts)-event+1)}
	w.levels, w.below = make([]T, 0, cap(w.at)), make([]T, 0, cap(w.at))
	w.begin(s, cash, trade, event, from)
	for trade < len(net) || event < len(amounts) {
		if event < len(amounts) && (trade == len(net) || cash.events[event].At.UnixMicro() <= s.closed(trade)) {
			w.cash(cash.events[event], amounts[event])
			event++
			continue
		}
		w.result(s.closed(trade), net[trade])
		trade++
	}
	return w.curve(level, q)
}

// begin puts the first point: the starting equity, at the beginning of the window
// or else at the first event.
func (w *walk[T]) begin(s *Selection, cash *cashColumn, trade, event int, from *time.Time) {
	var first int64
	switch hasTrade, hasCash := trade < s.Len(), event < len(cash.events); {
	case from != nil:
		first = from.UnixMicro()
	case hasCash && (!hasTrade || cash.events[event].At.UnixMicro() <= s.closed(trade)):
		first = cash.events[event].At.UnixMicro()
	case hasTrade:
		first = s.closed(trade)
	default:
		return
	}
	w.point(first)
}

func (w *walk[T]) cash(e CashEvent, amount T) {
	if !e.Flow {
		w.result(e.At.UnixMicro(), amount)
		return
	}
	w.falls.leave(w.peak.float(w.scale), w.scale)
	w.level, w.peak, w.flow = w.level.add(amount), w.peak.add(amount), w.flow.add(amount)
	w.point(e.At.UnixMicro())
}

func (w *walk[T]) result(at int64, amount T) {
	w.level = w.level.add(amount)
	if w.level.cmp(w.peak) > 0 {
		w.falls.leave(w.peak.float(w.scale), w.scale)
		w.peak = w.level
	}
	w.point(at)
}

func (w *walk[T]) point(at int64) {
	below := w.peak.sub(w.level)
	w.falls.fell(below)
	w.at, w.levels, w.below = append(w.at, at), append(w.levels, w.level), append(w.below, below)
}

func (w *walk[T]) curve(start T, q CurveQuery) Curve {
	if len(w.at) > 0 {
		w.falls.leave(w.peak.float(w.scale), w.scale)
	}
	out := Curve{
		Points: []Point{}, StartingEquity: start.decimal(w.scale), EndingEquity: w.level.decimal(w.scale),
		MaxDrawdown: w.falls.deepest.decimal(w.scale), MaxDrawdownPct: w.falls.pct(),
		NetCashFlow: w.flow.decimal(w.scale), Currency: q.Capital.Currency,
	}
	for _, i := range w.thinned(q.MaxPoints) {
		out.Points = append(out.Points, Point{
			At: time.UnixMicro(w.at[i]).UTC(), Equity: w.levels[i].decimal(w.scale), Drawdown: w.below[i].decimal(w.scale),
		})
	}
	return out
}

// thinned chooses which points to show. Beyond the limit the points are cut into
// spans of equal length, of which the lowest and the highest stay; so do the
// first and the last point, the bottom of the deepest drawdown and the peak
// before it. What is shown was there: nothing is averaged or interpolated.
func (w *walk[T]) thinned(limit int) []int {
	if limit <= 0 {
		limit = DefaultPoints
	}
	limit = max(limit, MinPoints)
	n := len(w.at)
	keep := make([]int, 0, min(n, limit))
	if n <= limit {
		for i := range n {
			keep = append(keep, i)
		}
		return keep
	}
	const special = 4
	peak, trough := w.deepest()
	keep = append(keep, 0, n-1, peak, trough)
	spans := (limit - special) / 2
	for k := range spans {
		low, high := w.extremes(1+k*(n-2)/spans, 1+(k+1)*(n-2)/spans)
		keep = append(keep, low, high)
	}
	slices.Sort(keep)
	return slices.Compact(keep)
}

func (w *walk[T]) extremes(from, until int) (low, high int) {
	low, high = from, from
	for i := from + 1; i < until; i++ {
		if w.levels[i].cmp(w.levels[low]) < 0 {
			low = i
		}
		if w.levels[i].cmp(w.levels[high]) > 0 {
			high = i
		}
	}
	return low, high
}

// deepest finds the bottom of the deepest drawdown and the last point before it
// that stood at the peak.
func (w *walk[T]) deepest() (peak, trough int) {
	for i := range w.below {
		if w.below[i].cmp(w.below[trough]) > 0 {
			trough = i
		}
	}
	for peak = trough; peak > 0 && w.below[peak].sign() > 0; {
		peak--
	}
	return peak, trough
}
