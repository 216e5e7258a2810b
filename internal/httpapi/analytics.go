package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/prices/rates"
	"fillbook/internal/trading/tradefilter"
	"fillbook/internal/trading/views"
)

func figureRoute(path, id, summary string) route {
	r := journalRoute(readFigures, http.MethodGet, "/analytics/"+path, id, "Analytics", summary)
	r.excursions = true
	r.repeated = repeatable
	r.refusals = append(r.refusals, http.StatusConflict)
	return r
}

// figureAPI has the operations on figures.
type figureAPI struct {
	clock      journal.Clock
	figures    *columns.Service
	excursions *excursions.Service
}

func (a figureAPI) register(api *API) {
	register(api, figureRoute("summary", "summary", "Read the summary of closed trades"), a.summary)
	register(api, figureRoute("daily", "daily", "Read the results day by day"), a.daily)
	register(api, figureRoute("equity-curve", "equityCurve", "Read equity and drawdown over time"), a.equityCurve)
	register(api, figureRoute("behavior", "behavior", "Read results by order, size and timing of trades"), a.behavior)
	register(api, figureRoute("breakdown", "breakdown", "Read results grouped by symbol, setup, tag, hour or another dimension"), a.breakdown)
	register(api, figureRoute("tag-effects", "tagEffects", "Compare the trades with each tag with all others"), a.tagEffects)
	register(api, figureRoute("r", "rMultiples", "Read the results in units of the risk taken"), a.rMultiples)
	register(api, figureRoute("drawdowns", "drawdowns", "List the drawdowns, the deepest first"), a.drawdowns)
	register(api, figureRoute("calendar", "calendar", "Read a year day by day, with notes and routines"), a.calendar)
	compare := figureRoute("compare", "compare", "Compare trades with other trades: another period, other accounts, or the rest")
	compare.repeated = append([]string{"other_account_id"}, repeatable...)
	register(api, compare, a.compare)
	register(api, figureRoute("rules", "ruleReport", "Read how often the rules of setups were followed, and what breaking them cost"), a.ruleReport)
	register(api, figureRoute("excursions", "excursionStats", "Compare results with what the price did: MAE and MFE, other stops and targets, after the exit"), a.excursionStats)
	register(api, figureRoute("insights", "insights", "Read what differs from the rest by more than chance, in sentences"), a.insights)
	register(api, figureRoute("what-if", "whatIf", "Read the results if a trading rule had been enforced"), a.whatIf)
	register(api, figureRoute("montecarlo", "monteCarlo", "Simulate future results from past ones"), a.monteCarlo)
}

type summaryQuery struct {
	FigureQuery
	Explain  flagParam `query:"explain" doc:"Add the formula, the inputs and the trades of each figure."`
	Evidence flagParam `query:"evidence" doc:"Add the statistical evidence: sample size, intervals and warnings."`
}

// CountedUnit names what an answer counts as one.
type CountedUnit struct {
	Unit figureUnit `json:"unit" enum:"trade,strategy" doc:"What counts as one. trade for figures that are by trade with any unit."`
}

// countedUnit returns the unit that an answer to the query names.
func (in FigureQuery) countedUnit() CountedUnit { return CountedUnit{in.unit()} }

// summaryAnswer is the summary with its optional parts.
type summaryAnswer struct {
	CountedUnit
	analytics.Summary
	Conversion
	RealizedInOpenUnits decimal.Null        `json:"realized_in_open_units,omitzero" doc:"With unit=strategy: the net result of the trades closed in the period less that of the units closed in it."`
	Evidence            *analytics.Evidence `json:"evidence,omitempty"`
	Explanation         []explained         `json:"explanation,omitempty"`
}

// behaviorAnswer, rAnswer and compareAnswer are figures with the unit they count.
type (
	behaviorAnswer struct {
		CountedUnit
		analytics.Behavior
		CurrencyConversion
	}
	rAnswer struct {
		CountedUnit
		analytics.RStats
		CurrencyConversion
	}
	compareAnswer struct {
		CountedUnit
		analytics.Comparison
		CurveA []analytics.CurveStep `json:"curve_a" doc:"The net result of a after each of its trades, at most 200 steps."`
		CurveB []analytics.CurveStep `json:"curve_b" doc:"The same of b."`
		CurrencyConversion
	}
)

// explained is a figure's derivation, with a link to its trades.
type explained struct {
	analytics.Explanation
	TradesLink string `json:"trades_link" doc:"The list of exactly the trades of this figure; empty if no filter selects them, and for access tokens with scope analytics."`
}

func (a figureAPI) summary(ctx context.Context, in *summaryQuery) (*body[summaryAnswer], error) {
	out := summaryAnswer{CountedUnit: in.countedUnit()}
	err := a.computeFiguresOnBasis(ctx, in.withoutZone().withCash(), func(q *figureRequest) {
		out.Conversion = q.conversion().Conversion
		out.Summary = cachedFigure(q, "summary", func() analytics.Summary { return analytics.Summarize(q.selection(), q.book.Capital) })
		if q.book.HasUnits {
			out.RealizedInOpenUnits = decimal.Of(cachedFigure(q, "open units", func() decimal.Decimal { return q.book.RealizedInOpenUnits(q.trades, q.selection()) }))
		}
		if in.Evidence.Value {
			assessed := cachedFigure(q, "evidence", func() analytics.Evidence { return analytics.AssessEvidence(q.selection(), q.zone, analytics.Seed) })
			out.Evidence = &assessed
		}
		if in.Explain.Value {
			out.Explanation = in.explain(q, &out.Summary)
			if hidesTrades(caller(ctx)) {
				hideTrades(out.Explanation)
			}
		}
	})
	return answer(out, err)
}

// explain explains every figure in the summary.
func (in *summaryQuery) explain(q *figureRequest, summary *analytics.Summary) []explained {
	list := cachedFigure(q, "explanation", func() []analytics.Explanation {
		return analytics.ExplainSummary(q.selection(), q.book.Capital, summary)
	})
	out := make([]explained, len(list))
	links := map[analytics.TradeSet]string{}
	for i := range list {
		which := list[i].Which
		if _, known := links[which]; !known {
			links[which] = in.setLink(&list[i])
		}
		out[i] = explained{Explanation: list[i], TradesLink: links[which]}
	}
	return out
}

// hideTrades removes trade ids and trade links, which may contain ids.
func hideTrades(list []explained) {
	for i := range list {
		list[i].TradeIDs, list[i].TradesLink = []journal.TradeID{}, ""
	}
}

// nameCurrency sets the currency in the rows of an answer with converted amounts.
func nameCurrency[T any](q *figureRequest, rows []T, at func(*T) *string) []T {
	if q.converter == nil {
		return rows
	}
	rows = slices.Clone(rows) // others use the cached rows
	for i := range rows {
		*at(&rows[i]) = q.converter.Currency()
	}
	return rows
}

// dayRow and drawdownRow are rows of figures that are by trade with any unit.
type (
	dayRow struct {
		CountedUnit
		analytics.Day
	}
	drawdownRow struct {
		CountedUnit
		analytics.Drawdown
	}
)

func (a figureAPI) daily(ctx context.Context, in *FigureQuery) (*body[[]dayRow], error) {
	var out []analytics.Day
	err := a.computeFiguresOnBasis(ctx, in.byTrade(), func(q *figureRequest) {
		out = cachedFigure(q, "daily", func() []analytics.Day { return analytics.ListDays(q.selection(), q.zone) })
		out = nameCurrency(q, out, func(d *analytics.Day) *string { return &d.Currency })
	})
	return answer(shapeAll(out, func(d analytics.Day) dayRow { return dayRow{in.byTrade().countedUnit(), d} }), err)
}

type curveQuery struct {
	FigureQuery
	MaxPoints intParam[pointRange] `query:"max_points" doc:"The maximum number of points, 8 to 20000. Default 2000."`
}

type pointRange struct{}

func (pointRange) bounds() (least, most int) { return analytics.MinPoints, 20_000 }

// curveAnswer is the equity curve with the rates behind it.
type curveAnswer struct {
	CountedUnit
	analytics.Curve
	Conversion
}

func (a figureAPI) equityCurve(ctx context.Context, in *curveQuery) (*body[curveAnswer], error) {
	points := in.MaxPoints.Or(analytics.DefaultPoints)
	var out curveAnswer
	last, failed := a.lastPrices(ctx, in.isRealized())
	if failed != nil {
		return nil, failed
	}
	err := a.computeFiguresOnBasis(ctx, in.withoutZone().byTrade().withCash(), func(q *figureRequest) {
		draw := func() (curveAnswer, error) {
			var open []analytics.OpenDay
			if overnight := q.overnight(last); len(overnight) > 0 && q.converter == nil {
				var err error
				if open, err = a.excursions.ValueDays(ctx, caller(ctx).UserID, last.now, overnight); err != nil {
					return curveAnswer{}, err
				}
			}
			curve := analytics.BuildEquityCurve(q.book.Columns, analytics.CurveQuery{
				Filter: q.filter, Capital: q.book.Capital, MaxPoints: points, Open: open,
			})
			return curveAnswer{in.byTrade().countedUnit(), curve, q.conversion().Conversion}, q.missingRates()
		}
		if points > analytics.DefaultPoints { // too large to be kept
			out, failed = draw()
			return
		}
		out, failed = columns.LoadOrTry(a.figures, q.book, "curve "+strconv.Itoa(points)+last.text()+"?"+q.text, draw)
	})
	return answer(out, errors.Join(err, failed))
}

// lastPrices is the state of the caller's price bars.
type lastPrices struct {
	// change is the number of the last change to bars; 0 if there are none.
	change int64
	// now is rounded down to minutes, so answers can be kept for a minute.
	now time.Time
}

func (p lastPrices) text() string {
	if p.change == 0 {
		return ""
	}
	return fmt.Sprintf(" bars %d %d", p.change, p.now.Unix())
}

// lastPrices returns the state of the caller's bars. Realized results include open trades
// already, so bars are not needed.
func (a figureAPI) lastPrices(ctx context.Context, isRealized bool) (p lastPrices, err error) {
	if isRealized {
		return p, nil
	}
	p.now = a.clock().UTC().Truncate(time.Minute)
	p.change, err = a.excursions.LastChange(ctx, caller(ctx).UserID)
	return p, err
}

// maxOvernight is how many overnight trades are marked at most: prices for each of their
// days are read.
const maxOvernight = 10_000

// overnight returns the selected trades held overnight, or none if there are no bars or
// too many trades.
func (q *figureRequest) overnight(last lastPrices) []journal.TradeID {
	if last.change == 0 {
		return nil
	}
	ids := q.book.ListOvernight(q.filter)
	if len(ids) > maxOvernight {
		return nil
	}
	return ids
}

func (a figureAPI) behavior(ctx context.Context, in *FigureQuery) (*body[behaviorAnswer], error) {
	out := behaviorAnswer{CountedUnit: in.countedUnit()}
	err := a.computeFigures(ctx, *in, func(q *figureRequest) {
		out.CurrencyConversion = q.conversion()
		out.Behavior = cachedFigure(q, "behavior", func() analytics.Behavior {
			return analytics.AnalyzeBehavior(q.selection(), analytics.BehaviorQuery{Zone: q.zone, Seed: analytics.Seed})
		})
		if hidesTrades(caller(ctx)) {
			out.Behavior = out.WithoutTradeIDs()
		}
	})
	return answer(out, err)
}

func (a figureAPI) rMultiples(ctx context.Context, in *FigureQuery) (*body[rAnswer], error) {
	out := rAnswer{CountedUnit: in.countedUnit()}
	err := a.computeFigures(ctx, in.withoutZone(), func(q *figureRequest) {
		out.CurrencyConversion = q.conversion()
		out.RStats = cachedFigure(q, "r", func() analytics.RStats { return analytics.ComputeRStats(q.selection()) })
	})
	return answer(out, err)
}

type drawdownQuery struct {
	FigureQuery
	Limit intParam[drawdownRange] `query:"limit" doc:"The maximum number of drawdowns, 1 to 1000. Default 50."`
}

const usualDrawdowns = 50

type drawdownRange struct{}

func (drawdownRange) bounds() (least, most int) { return 1, 1000 }

func (a figureAPI) drawdowns(ctx context.Context, in *drawdownQuery) (*body[[]drawdownRow], error) {
	limit := in.Limit.Or(usualDrawdowns)
	var out []analytics.Drawdown
	err := a.computeFigures(ctx, in.withoutZone().byTrade().withCash(), func(q *figureRequest) {
		out = cachedFigure(q, "drawdowns "+strconv.Itoa(limit), func() []analytics.Drawdown {
			return analytics.ListDrawdowns(q.selection(), q.book.Capital, limit)
		})
		out = nameCurrency(q, out, func(d *analytics.Drawdown) *string { return &d.Currency })
	})
	return answer(shapeAll(out, func(d analytics.Drawdown) drawdownRow { return drawdownRow{in.byTrade().countedUnit(), d} }), err)
}

type compareQuery struct {
	FigureQuery
	Against        enumParam[against, againstWhat] `query:"against" doc:"The other side. custom (default): the same filter with other_account_id, other_from and other_to. previous: the same filter in the period of the same length right before from. rest: the trades of the same accounts and dates that do not pass the filter. view: the filter of the view view_id; other_from and other_to replace its period."`
	ViewID         journal.ViewID                  `query:"view_id" doc:"With view: the saved view."`
	OtherAccountID []string                        `query:"other_account_id,explode" doc:"With custom: the accounts of the other side. Default: the same accounts."`
	OtherFrom      instantParam                    `query:"other_from" doc:"With custom and view: the first instant of the other side."`
	OtherTo        instantParam                    `query:"other_to" doc:"With custom and view: the last instant of the other side."`
}

// compareSteps is the maximum number of steps of a curve in a comparison.
const compareSteps = 200

// against is the other side in a comparison.
type against string

const (
	againstCustom   against = "custom"
	againstPrevious against = "previous"
	againstRest     against = "rest"
	againstView     against = "view"
)

type againstWhat struct{}

func (againstWhat) values() []against {
	return []against{againstPrevious, againstCustom, againstRest, againstView}
}

func (a figureAPI) compare(ctx context.Context, in *compareQuery) (*body[compareAnswer], error) {
	other, err := in.other()
	if err != nil {
		return nil, err
	}
	out := compareAnswer{CountedUnit: in.countedUnit()}
	err = a.withFigures(ctx, in.FigureQuery.withCash(), func(tx *db.Tx, q *figureRequest) error {
		if in.Against.Value == againstView {
			view, err := views.Read(ctx, tx, caller(ctx).UserID, in.ViewID)
			if err != nil {
				return err
			}
			if other, err = in.viewFilter(view); err != nil {
				return err
			}
		}
		book, converter, err := a.readOther(ctx, tx, in, other)
		if err != nil {
			return err
		}
		if book.Capital.Currency != q.book.Capital.Currency && len(book.Accounts) > 0 && len(q.book.Accounts) > 0 {
			return mixedCurrencies()
		}
		if in.unit() == unitStrategy {
			if book, err = a.figures.ToUnits(ctx, tx, book); err != nil {
				return err
			}
		}
		filter, err := a.figures.NewFilter(ctx, tx, book, other)
		if err != nil {
			return err
		}
		filter.Invert = in.Against.Value == againstRest
		if converter != nil {
			book.RequireRates(filter, true)
			if err := converter.Err(); err != nil {
				return err
			}
			out.CurrencyConversion = q.conversion()
		}
		selected, others := q.selection(), book.Select(filter)
		out.Comparison = analytics.CompareSelections(selected, others, q.zone, q.book.Capital, book.Capital)
		out.CurveA, out.CurveB = analytics.ListCurveSteps(selected, compareSteps), analytics.ListCurveSteps(others, compareSteps)
		return nil
	})
	return answer(out, err)
}

// readOther reads the other side's accounts, in the request's currency.
func (a figureAPI) readOther(
	ctx context.Context, tx *db.Tx, in *compareQuery, other tradefilter.Filter,
) (book *columns.Snapshot, converter *rates.Converter, err error) {
	if in.filter.Currency == "" {
		book, err = a.figures.Read(ctx, tx, caller(ctx).UserID, other.Scope.Accounts)
		return book, nil, err
	}
	query := a.convertQuery(in.FigureQuery)
	query.Accounts = other.Scope.Accounts
	return a.figures.ReadConverted(ctx, tx, caller(ctx).UserID, query)
}

// other returns the other side's filter: the same one with that side's accounts and
// period.
func (in *compareQuery) other() (tradefilter.Filter, error) {
	zone, err := in.zone()
	if err != nil {
		return tradefilter.Filter{}, err
	}
	f := in.zonedFilter(zone)
	switch in.Against.Value {
	case againstRest:
		return f, nil
	case againstView: // it is read in the figures' snapshot
		if in.ViewID == "" {
			return f, journal.InvalidField("view_id", "view_id is required with against=view.")
		}
		return f, nil
	case againstPrevious:
		f.Scope.Period, err = previousPeriod(f.Scope.Period)
		return f, err
	case againstCustom, "":
	}
	if f.Scope.Period, err = in.otherPeriod(); err != nil {
		return f, err
	}
	accounts, err := splitList[journal.AccountID]("other_account_id", in.OtherAccountID)
	if len(accounts) > 0 {
		f.Scope.Accounts = accounts
	}
	return f, err
}

// viewFilter returns a view's filter, with the other side's period if it is sent. Its
// weekdays and hours are in the request's zone, unless the view names one.
func (in *compareQuery) viewFilter(view views.View) (tradefilter.Filter, error) {
	f, err := view.Filter.Parse()
	if err != nil {
		return f, err
	}
	if f.Zone == nil {
		f.Zone, err = in.zone()
	}
	if err != nil || in.OtherFrom.at == nil && in.OtherTo.at == nil {
		return f, err
	}
	f.Scope.Period, err = in.otherPeriod()
	return f, err
}

func (in *compareQuery) otherPeriod() (journal.Period, error) {
	period := journal.Period{From: in.OtherFrom.at, To: in.OtherTo.at}
	if period.Check() != nil {
		return period, journal.InvalidField("other_from", "other_from must not be after other_to.")
	}
	return period, nil
}

// previousPeriod returns the period with the same length right before another.
func previousPeriod(p journal.Period) (journal.Period, error) {
	switch {
	case p.From == nil:
		return p, journal.InvalidField("from", "from is required with against=previous.")
	case p.To == nil:
		return p, journal.InvalidField("to", "to is required with against=previous.")
	}
	to := p.From.Add(-time.Microsecond)
	from := to.Add(-p.To.Sub(*p.From))
	return journal.Period{From: &from, To: &to}, nil
}

func mixedCurrencies() error {
	return &journal.Error{
		Kind: journal.KindInvalid, Code: "mixed_currencies", Message: "The two sides have different currencies. Choose accounts with the same currency.",
	}
}

type simulationQuery struct {
	FigureQuery
	Paths   intParam[pathRange]   `query:"paths" doc:"The number of simulations, 100 to 5000. Default 1000."`
	Trades  intParam[futureRange] `query:"trades" doc:"The number of trades in each simulation, 1 to 2000. Default: the number of trades selected."`
	RuinPct percentParam          `query:"ruin_pct" doc:"The loss in percent of the starting capital that counts as ruin. Default 50."`
}

const usualRuinPct = 50

type (
	pathRange   struct{}
	futureRange struct{}
)

func (pathRange) bounds() (least, most int)   { return 100, analytics.MaxPaths }
func (futureRange) bounds() (least, most int) { return 1, analytics.MaxFuture }

// futuresAnswer is a simulation with its currency.
type futuresAnswer struct {
	CountedUnit
	analytics.Futures
	CurrencyConversion
}

func (a figureAPI) monteCarlo(ctx context.Context, in *simulationQuery) (*body[futuresAnswer], error) {
	sim := analytics.Simulation{
		Paths: in.Paths.Or(analytics.DefaultPaths), Trades: in.Trades.Value, RuinPct: in.RuinPct.Or(decimal.New(usualRuinPct)),
	}
	out := futuresAnswer{CountedUnit: in.countedUnit()}
	err := a.computeFigures(ctx, in.withoutZone(), func(q *figureRequest) {
		sim.Capital, sim.Seed = q.book.Capital, analytics.Seed
		name := fmt.Sprintf("montecarlo %d %d %s", sim.Paths, sim.Trades, sim.RuinPct)
		out.CurrencyConversion = q.conversion()
		out.Futures = cachedFigure(q, name, func() analytics.Futures { return analytics.SimulateFutures(q.selection(), sim) })
	})
	return answer(out, err)
}
