package analytics

import (
	"slices"
	"sort"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// CashEvent is a cash transaction as an equity curve event.
type CashEvent struct {
	ID     journal.CashID
	At     time.Time
	Amount decimal.Decimal // signed: money in is positive
	// Flow is set for deposits and withdrawals, which change equity but are not
	// results.
	Flow bool
	// Account and Own are the account and the amount in its own currency, if Amount is
	// converted; Amount is 0 without a rate.
	Account int
	Own     decimal.Decimal
}

// DefaultPoints is the default for [CurveQuery.MaxPoints], and MinPoints its lowest
// effective value.
const (
	DefaultPoints = 2000
	MinPoints     = 8
)

// CurveQuery has the parameters for [BuildEquityCurve].
type CurveQuery struct {
	// Filter selects the trades. Its period is the curve's window and always tests the
	// closing, because results reach the account then.
	Filter  Filter
	Capital Capital
	// MaxPoints bounds the points; 0 means DefaultPoints.
	MaxPoints int
	// Open has the results of open trades, in time order. It is nil without prices.
	Open []OpenDay
}

// OpenDay is the result so far for trades open at an instant: a day's end, or now.
type OpenDay struct {
	At time.Time
	// Result is absent if any price is missing.
	Result decimal.Null
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
	// FXEffect and MaxDrawdownWithFX are nil unless amounts are converted.
	FXEffect          *decimal.Decimal `json:"fx_effect,omitempty" doc:"How much exchange rates changed the equity since the first point: the change of equity is results + net_cash_flow + fx_effect. Only with currency."`
	MaxDrawdownWithFX *decimal.Decimal `json:"max_drawdown_with_fx,omitempty" doc:"The greatest drawdown including the effect of exchange rates. Only with currency."`
	// Marked is the equity including open trades; nil, and null in JSON, if no point has
	// a value.
	Marked *[]MarkedPoint `json:"marked" nullable:"true" doc:"Equity at the end of each day of UTC, and now, with the result so far of trades that were open then, by the last price bar that had ended. Costs of open trades are not part of it. It goes from the first to the last day on which a trade was held overnight, and is null if no day has a value: without price bars, with pnl_basis=realized, and with more than 10,000 trades that were held overnight."`
}

// MarkedPoint is the equity at an instant including open trades.
type MarkedPoint struct {
	At     time.Time    `json:"at"`
	Equity decimal.Null `json:"equity" doc:"null if there is no price bar of an open trade in the five days before."`
}

// Point is the equity right after an event, and how far it is below its peak.
type Point struct {
	At       time.Time       `json:"at"`
	Equity   decimal.Decimal `json:"equity"`
	Drawdown decimal.Decimal `json:"drawdown"`
	// FXEffect and DrawdownWithFX are nil unless amounts are converted.
	FXEffect       *decimal.Decimal `json:"fx_effect,omitempty" doc:"How much exchange rates changed the equity since the first point. Only with currency."`
	DrawdownWithFX *decimal.Decimal `json:"drawdown_with_fx,omitempty" doc:"How far the equity is below its peak, including the effect of exchange rates. Only with currency."`
}

// BuildEquityCurve returns the equity curve for some accounts. With a filter besides the
// period it includes the starting balances, deposits, withdrawals and the selected
// results.
func BuildEquityCurve(columns []*Columns, q CurveQuery) Curve {
	from := q.Filter.Period.From
	q.Filter.Basis, q.Filter.Period.From = ByClosing, nil
	s, cash := SelectTrades(columns, q.Filter).withCash(q.Capital)
	s.filter.Period.From = from
	if cash.exchange != nil {
		return chooseArithmetic(s, buildConvertedCurve[int128], buildConvertedCurve[exact])(s, cash, q, from)
	}
	return chooseArithmetic(s, buildEquityCurve[int128], buildEquityCurve[exact])(s, cash, q, from)
}

// curveBuilder accumulates curve points.
type curveBuilder[T number[T]] struct {
	level, peak   T
	flow, maxFall T
	at            []int64
	levels, below []T
}

func buildEquityCurve[T number[T]](s *Selection, cash *cashColumn, q CurveQuery, from *time.Time) Curve {
	t := newTimeline(s, readColumn[T](s, netOf), cash)
	p := newPerformance(t)
	n := s.Len() + len(cash.events) + 1
	w := &curveBuilder[T]{
		level: t.starting, peak: t.starting, at: make([]int64, 0, n), levels: make([]T, 0, n), below: make([]T, 0, n),
	}
	start := t.starting
	begin := func(at int64) {
		start, w.peak = w.level, w.level
		w.addPoint(at)
	}
	t.walk(func(e *event[T]) {
		switch {
		case !e.inside && e.at <= t.to:
			w.level = w.level.add(e.amount)
			return
		case !e.inside:
			return
		case len(w.at) == 0 && from != nil:
			begin(from.UnixMicro())
		case len(w.at) == 0:
			begin(e.at)
		}
		if !e.flow {
			p.apply(e.amount.float(s.scale), e.equity(s.scale), e.overdraws(s.scale))
		}
		w.add(e)
	})
	if len(w.at) == 0 {
		if start = w.level; from != nil {
			begin(from.UnixMicro())
		}
	}
	out := w.toCurve(start, s.scale, q)
	out.MaxDrawdownPct = p.drawdownPct()
	out.Marked = w.markDays(q, journal.Period{From: from, To: q.Filter.Period.To}, start, s.scale)
	return out
}

// markDays returns the daily equity in a period including open trades, nil if no day has
// a value.
func (w *curveBuilder[T]) markDays(q CurveQuery, period journal.Period, start T, scale int32) *[]MarkedPoint {
	var points []MarkedPoint
	hasValue := false
	for _, day := range q.Open {
		if period.Contains(day.At) {
			point := w.markDay(day, start, scale)
			points, hasValue = append(points, point), hasValue || point.Equity.Valid
		}
	}
	if !hasValue {
		return nil
	}
	points = thinMarked(points, q.MaxPoints)
	return &points
}

// markDay returns the equity before an instant including the trades open then. start is
// the equity before the first point.
func (w *curveBuilder[T]) markDay(day OpenDay, start T, scale int32) MarkedPoint {
	point := MarkedPoint{At: day.At}
	if !day.Result.Valid {
		return point
	}
	at := day.At.UnixMicro()
	level := start
	if n := sort.Search(len(w.at), func(i int) bool { return w.at[i] >= at }); n > 0 {
		level = w.levels[n-1]
	}
	point.Equity = decimal.Of(level.decimal(scale).Add(day.Result.Decimal))
	return point
}

// thinMarked returns at most limit points: the first, the last, and the lowest and the
// highest in equal spans. A gap stays if it is as long as a span.
func thinMarked(points []MarkedPoint, limit int) []MarkedPoint {
	if limit <= 0 {
		limit = DefaultPoints
	}
	limit = max(limit, MinPoints)
	n := len(points)
	if n <= limit {
		return points
	}
	const ends = 2
	keep := []int{0, n - 1}
	spans := (limit - ends) / 2
	for k := range spans {
		from, until := 1+k*(n-2)/spans, 1+(k+1)*(n-2)/spans
		low, high := from, from
		for i := from + 1; i < until; i++ {
			if !points[i].Equity.Valid {
				continue
			}
			if e := points[i].Equity.Decimal; !points[low].Equity.Valid || e.Cmp(points[low].Equity.Decimal) < 0 {
				low = i
			}
			if e := points[i].Equity.Decimal; !points[high].Equity.Valid || e.Cmp(points[high].Equity.Decimal) > 0 {
				high = i
			}
		}
		keep = append(keep, low, high)
	}
	slices.Sort(keep)
	thinned := []MarkedPoint{}
	for _, i := range slices.Compact(keep) {
		thinned = append(thinned, points[i])
	}
	return thinned
}

// ListOvernight returns the trades held at the end of a UTC day. All selected trades must
// be closed.
func (s *Selection) ListOvernight() (ids []journal.TradeID) {
	const day = 24 * 60 * 60 * 1_000_000
	for i := range s.Len() {
		if opened, closed := s.opened(i), s.closed(i); (closed - closed%day) > opened {
			ids = append(ids, s.ID(i))
		}
	}
	return ids
}

// add adds the point after an event. A flow shifts the peak as well.
func (w *curveBuilder[T]) add(e *event[T]) {
	w.level = w.level.add(e.amount)
	if e.flow {
		w.peak, w.flow = w.peak.add(e.amount), w.flow.add(e.amount)
	} else if w.level.cmp(w.peak) > 0 {
		w.peak = w.level
	}
	w.addPoint(e.at)
}

func (w *curveBuilder[T]) addPoint(at int64) {
	below := w.peak.sub(w.level)
	if below.cmp(w.maxFall) > 0 {
		w.maxFall = below
	}
	w.at, w.levels, w.below = append(w.at, at), append(w.levels, w.level), append(w.below, below)
}

func (w *curveBuilder[T]) toCurve(start T, scale int32, q CurveQuery) Curve {
	out := Curve{
		Points: []Point{}, StartingEquity: start.decimal(scale), EndingEquity: w.level.decimal(scale),
		MaxDrawdown: w.maxFall.decimal(scale), NetCashFlow: w.flow.decimal(scale), Currency: q.Capital.Currency,
	}
	for _, i := range w.choosePoints(q.MaxPoints) {
		out.Points = append(out.Points, Point{
			At: time.UnixMicro(w.at[i]).UTC(), Equity: w.levels[i].decimal(scale), Drawdown: w.below[i].decimal(scale),
		})
	}
	return out
}

// choosePoints returns the indexes of the points to show. Above the limit the points are
// divided into equal spans; the lowest and the highest in each are kept, as are the first
// and the last point, the deepest drawdown's trough and the peak before it. Nothing is
// averaged or interpolated.
func (w *curveBuilder[T]) choosePoints(limit int) []int {
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
	peak, trough := w.findDeepest()
	keep = append(keep, 0, n-1, peak, trough)
	spans := (limit - special) / 2
	for k := range spans {
		low, high := w.findExtremes(1+k*(n-2)/spans, 1+(k+1)*(n-2)/spans)
		keep = append(keep, low, high)
	}
	slices.Sort(keep)
	return slices.Compact(keep)
}

func (w *curveBuilder[T]) findExtremes(from, until int) (low, high int) {
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

// findDeepest returns the deepest drawdown's trough and the last point at the peak before
// it.
func (w *curveBuilder[T]) findDeepest() (peak, trough int) {
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
