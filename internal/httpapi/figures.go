package httpapi

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/prices/rates"
	"fillbook/internal/trading/tradefilter"
)

// FigureQuery is the query for every figure: the trades, with the parameters of their
// list, and the zone for days.
type FigureQuery struct {
	TradeFilter
	TZ string `query:"tz" doc:"The IANA time zone of days, hours and weekdays. Default UTC. Ignored by figures without days."`
	// PnLBasis is read by every figure, so figures without it can refuse it.
	PnLBasis enumParam[pnlBasis, pnlBases] `query:"pnl_basis" doc:"When results count. Default closed: the whole result when the trade closes. With realized, each closing fill counts at its own time with its share of costs, also in open trades; from and to test that time. Available in summary, daily, calendar, equity-curve, and breakdown by weekday, hour, month and session; other figures refuse realized."`
	// Unit is read by every figure; figures of days are by trade with either.
	Unit enumParam[figureUnit, figureUnits] `query:"unit" doc:"What counts as one. Default trade. With strategy, each accepted or manual strategy counts as one, closed when its last trade is, and every other trade by itself. Daily results, equity curve, drawdowns and calendar are by trade with either."`

	// countsCash is set by figures with cash results, which then need rates too.
	countsCash bool
	// ratesPeriod is the period whose trades need rates, if it is not the filter's.
	ratesPeriod *journal.Period
}

// figureUnit is what counts as one in figures.
type figureUnit string

const (
	unitTrade    figureUnit = "trade"
	unitStrategy figureUnit = "strategy"
)

type figureUnits struct{}

func (figureUnits) values() []figureUnit { return []figureUnit{unitTrade, unitStrategy} }

// unit returns what counts as one.
func (in FigureQuery) unit() figureUnit {
	if in.Unit.Value == unitStrategy {
		return unitStrategy
	}
	return unitTrade
}

// byTrade returns the query for a figure that is by trade with any unit.
func (in FigureQuery) byTrade() FigureQuery {
	in.Unit.Value = ""
	return in
}

// pnlBasis is when results count.
type pnlBasis string

const (
	basisClosed   pnlBasis = "closed"
	basisRealized pnlBasis = "realized"
)

type pnlBases struct{}

func (pnlBases) values() []pnlBasis { return []pnlBasis{basisClosed, basisRealized} }

// isRealized reports whether results count when they are realized.
func (in FigureQuery) isRealized() bool { return in.PnLBasis.Value == basisRealized }

// refuseRealized returns the refusal for a figure without realized results.
func refuseRealized() error {
	return journal.InvalidField("pnl_basis",
		"pnl_basis=realized is available in summary, daily, calendar, equity-curve, and breakdown by weekday, hour, month and session. Use closed here.")
}

// withoutZone returns the query for a figure without days: the zone is ignored.
func (in FigureQuery) withoutZone() FigureQuery {
	in.TZ = ""
	return in
}

// withCash returns the query for a figure that counts cash results.
func (in FigureQuery) withCash() FigureQuery {
	in.countsCash = true
	return in
}

// zonedFilter returns the filter with the zone for its weekdays, hours and days.
func (in FigureQuery) zonedFilter(zone *time.Location) tradefilter.Filter {
	f := in.filter
	if f.Zone == nil {
		f.Zone = zone
	}
	return f
}

func (in FigureQuery) zone() (*time.Location, error) {
	if in.TZ == "" {
		return time.UTC, nil
	}
	return journal.ParseZone("tz", in.TZ)
}

// figureRequest is a parsed figure query on its book.
type figureRequest struct {
	cache  *columns.Service
	text   string // the query, as a key
	book   *columns.Snapshot
	filter analytics.Filter
	trades analytics.Filter // the filter of trades, which differs for units
	zone   *time.Location
	// converter has the rates; nil unless amounts are converted.
	converter *rates.Converter
	selected  *analytics.Selection
}

// selection returns the selected trades, or units. Book and filter must be set.
func (q *figureRequest) selection() *analytics.Selection {
	if q.selected == nil {
		q.selected = q.book.Select(q.filter)
	}
	return q.selected
}

// cachedFigure computes a figure, or returns the result for the same accounts at the same
// revisions. name identifies the figure and its parameters.
func cachedFigure[T any](q *figureRequest, name string, compute func() T) T {
	return columns.LoadOrCompute(q.cache, q.book, name+"?"+q.text, compute)
}

// withFigures opens the book for a figure query and hands it to fn. It refuses realized
// results.
func (a figureAPI) withFigures(ctx context.Context, in FigureQuery, fn func(*db.Tx, *figureRequest) error) error {
	if in.isRealized() {
		return refuseRealized()
	}
	return a.withFiguresOnBasis(ctx, in, fn)
}

// withFiguresOnBasis opens the book for a figure query, on the requested basis, and
// passes it to fn.
func (a figureAPI) withFiguresOnBasis(ctx context.Context, in FigureQuery, fn func(*db.Tx, *figureRequest) error) error {
	q, err := a.newFigureRequest(in)
	if err != nil {
		return err
	}
	if in.filter.Currency != "" {
		return a.viewConverted(ctx, in, q, fn)
	}
	view := a.figures.View
	if in.isRealized() {
		view = a.figures.ViewRealized
	}
	return view(ctx, caller(ctx).UserID, in.filter.Scope.Accounts, func(tx *db.Tx, book *columns.Snapshot) error {
		if err := q.setBook(ctx, tx, in, book); err != nil {
			return err
		}
		return fn(tx, q)
	})
}

// computeFigures is like withFigures for figures that need only the book. Unless the
// filter needs more, it runs no transaction.
func (a figureAPI) computeFigures(ctx context.Context, in FigureQuery, fn func(*figureRequest)) error {
	if in.isRealized() {
		return refuseRealized()
	}
	return a.computeFiguresOnBasis(ctx, in, fn)
}

// computeFiguresOnBasis is like withFiguresOnBasis for figures that need only the book.
func (a figureAPI) computeFiguresOnBasis(ctx context.Context, in FigureQuery, fn func(*figureRequest)) error {
	if in.filter.Currency != "" || columns.NeedsLookups(&in.filter.Conditions) || in.unit() == unitStrategy {
		return a.withFiguresOnBasis(ctx, in, func(_ *db.Tx, q *figureRequest) error {
			fn(q)
			return nil
		})
	}
	q, err := a.newFigureRequest(in)
	if err != nil {
		return err
	}
	book, err := a.figures.Open(ctx, caller(ctx).UserID, in.filter.Scope.Accounts, in.isRealized())
	if err == nil {
		err = q.setBook(ctx, nil, in, book)
	}
	if err == nil {
		fn(q)
	}
	return err
}

func (a figureAPI) newFigureRequest(in FigureQuery) (q *figureRequest, err error) {
	q = &figureRequest{cache: a.figures, text: in.sent.Encode() + "&" + in.TZ + "&" + string(in.PnLBasis.Value) + "&" + string(in.unit())}
	q.zone, err = in.zone()
	return q, err
}

// setBook sets the book and the filter. tx may be nil if the filter needs no lookups.
func (q *figureRequest) setBook(ctx context.Context, tx *db.Tx, in FigureQuery, book *columns.Snapshot) (err error) {
	if q.trades, err = q.cache.NewFilter(ctx, tx, book, in.zonedFilter(q.zone)); err != nil {
		return err
	}
	q.book, q.filter = book, q.trades
	q.text += "&" + q.filter.Lookups.Text()
	if in.unit() != unitStrategy {
		return nil
	}
	return q.countUnits(ctx, tx, in)
}

// countUnits replaces trades by units, in which strategies count as one.
func (q *figureRequest) countUnits(ctx context.Context, tx *db.Tx, in FigureQuery) (err error) {
	if q.book.Realized {
		return journal.InvalidField("unit", "unit=strategy is available with pnl_basis=closed only.")
	}
	if q.book, err = q.cache.ToUnits(ctx, tx, q.book); err != nil {
		return err
	}
	q.filter, err = q.cache.NewFilter(ctx, tx, q.book, in.zonedFilter(q.zone))
	return err
}
