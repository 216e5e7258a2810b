package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// TradeExcursion is what the price did during a trade, as lists show it.
type TradeExcursion struct {
	MAELow   decimal.Decimal `json:"mae_low" doc:"The most that the position lost at any time, at least; positive money before costs."`
	MAEHigh  decimal.Decimal `json:"mae_high" doc:"The same, at most."`
	MFELow   decimal.Decimal `json:"mfe_low" doc:"The most that the position gained at any time, at least."`
	MFEHigh  decimal.Decimal `json:"mfe_high" doc:"The same, at most."`
	Coverage decimal.Decimal `json:"coverage" doc:"The share of the holding time that has bars, 0.9 to 1. Below 1 the upper bounds are only what the bars show."`
}

func shapeTradeExcursion(r *excursions.Result) *TradeExcursion {
	return &TradeExcursion{MAELow: r.MAE.Low, MAEHigh: r.MAE.High, MFELow: r.MFE.Low, MFEHigh: r.MFE.High, Coverage: r.Coverage}
}

// excursionAnswer is one trade's excursion, or why it has none.
type excursionAnswer struct {
	Available bool               `json:"available"`
	Reason    *excursions.Reason `json:"reason" enum:"no_bars,not_enough_bars,no_calendar,daily_bars_only,fills_outside_bars,different_multipliers,unknown_rate,times_too_coarse,maybe_split" doc:"Why there is no excursion."`
	Message   *string            `json:"message" doc:"The reason as a sentence."`
	Coverage  decimal.Decimal    `json:"coverage" doc:"The share of the holding time that has bars, 0 to 1."`
	AtEntry   entryContext       `json:"at_entry"`
	*MeasuredExcursion
}

// MeasuredExcursion is the part that needs enough bars.
type MeasuredExcursion struct {
	MAE      exactBounds         `json:"mae" required:"false" doc:"The most that the position lost at any time, in money before costs."`
	MFE      exactBounds         `json:"mfe" required:"false" doc:"The most that the position gained at any time."`
	MAER     orNull[exactBounds] `json:"mae_r" required:"false" doc:"In units of the initial risk; null without one."`
	MFER     orNull[exactBounds] `json:"mfe_r" required:"false"`
	MAEPct   orNull[exactBounds] `json:"mae_pct" required:"false" doc:"In percent of the entry notional."`
	MFEPct   orNull[exactBounds] `json:"mfe_pct" required:"false"`
	MAETicks orNull[exactBounds] `json:"mae_ticks" required:"false" doc:"In ticks per unit of the opened quantity; null if the tick size is not known."`
	MFETicks orNull[exactBounds] `json:"mfe_ticks" required:"false"`

	FillsChecked    int64            `json:"fills_checked" required:"false" doc:"Fills that have a bar."`
	FillsInside     int64            `json:"fills_inside" required:"false" doc:"Fills whose price lies between the low and the high of their bar."`
	FillsWithoutBar int64            `json:"fills_without_bar" required:"false"`
	BarSecs         int64            `json:"bar_secs" required:"false"`
	Source          string           `json:"source" required:"false" doc:"What wrote the newest file of the bars."`
	PriceKind       market.PriceKind `json:"price_kind" required:"false" enum:"trade,mid,bid,ask"`

	GrossAtExit     decimal.Null        `json:"gross_at_exit" required:"false" doc:"The result before costs; null while the trade is open."`
	BestExit        orNull[valueBounds] `json:"best_exit" required:"false" doc:"The result if only the last fill had been placed elsewhere before the end of its session, at the best price."`
	GivenBack       orNull[valueBounds] `json:"given_back" required:"false" doc:"The part of the MFE that was not kept: from 0 to all of it."`
	EntryEfficiency orNull[valueBounds] `json:"entry_efficiency" required:"false" doc:"MFE / (MFE + MAE), 0 to 1."`
	ExitEfficiency  orNull[valueBounds] `json:"exit_efficiency" required:"false" doc:"(Result + MAE) / (MFE + MAE), 0 to 1."`
	AfterExit       []exitOutcome       `json:"after_exit" required:"false" doc:"What the last fill would have brought more, some minutes later and at the end of the session."`
	Alternatives    []alternativeExit   `json:"alternatives" required:"false" doc:"The results of other exits than the last fill, as far as the bars show them. Empty while the trade is open."`
}

type exactBounds struct {
	Low   decimal.Decimal `json:"low"`
	High  decimal.Decimal `json:"high"`
	Exact bool            `json:"exact" doc:"Whether the value is known: both bounds are equal, bars cover the whole holding time, and they do not have the bid of a short position or the ask of a long one."`
}

type valueBounds struct {
	Low  decimal.Decimal `json:"low"`
	High decimal.Decimal `json:"high"`
}

type exitOutcome struct {
	Minutes *int64       `json:"minutes" doc:"Minutes after the exit; null for the end of the session."`
	At      time.Time    `json:"at"`
	PnL     decimal.Null `json:"pnl" doc:"Null if the bars end before."`
}

type entryContext struct {
	ATR               decimal.Null `json:"atr" doc:"Average true range of the 14 days before, in units of price, by Wilder."`
	GapPct            decimal.Null `json:"gap_pct" doc:"First price of the session against the last one of the session before, in percent."`
	RelativeVolume    decimal.Null `json:"relative_volume" doc:"Volume of the session up to the entry, divided by the mean of up to 20 sessions before up to the same time."`
	OpeningRangePlace decimal.Null `json:"opening_range_place" doc:"Where the entry is in the range of the first 30 minutes: 0 is its low, 1 its high."`
}

func (a tradeAPI) registerExcursionRoutes(api *API) {
	read := tradeRoute(readJournal, http.MethodGet, "/{id}/excursion", "getTradeExcursion", "Read what the price did during a trade")
	read.about = "Computed from the fills and the stored price bars. A bar with a fill inside does not say whether its high came before or after the fill, so values are bounds."
	read.excursions = false // it computes its own
	register(api, read, func(ctx context.Context, in *ByID[journal.TradeID]) (*body[excursionAnswer], error) {
		owner := caller(ctx).UserID
		detail, err := a.trades.Detail(ctx, owner, in.ID)
		if err != nil {
			return nil, err
		}
		result, err := a.excursions.Measure(ctx, owner, in.ID, excursions.Plan{Stop: detail.Annotations.StopPrice, Target: detail.Annotations.TargetPrice})
		if err != nil {
			return nil, err
		}
		tick, err := a.tickSize(ctx, owner, &detail.View)
		return answer(shapeExcursion(&result, &detail.View, tick), err)
	})
}

// tickSize returns the smallest price move for a trade's instrument, if it is known.
func (a tradeAPI) tickSize(ctx context.Context, owner journal.UserID, v *tradeview.View) (decimal.Null, error) {
	overrides, err := a.ledger.Overrides(ctx, owner, v.Account)
	if err != nil {
		return decimal.Null{}, err
	}
	root := instruments.RootOf(v.Instrument.Symbol, v.Instrument.Type)
	for _, o := range overrides {
		if (o.Root == root || o.Root == v.Instrument.Symbol) && o.TickSize.Valid {
			return o.TickSize, nil
		}
	}
	if v.Instrument.Type != instruments.TypeFuture {
		return decimal.Null{}, nil
	}
	contract, ok := instruments.ParseFuture(v.Instrument.Symbol)
	return decimal.Null{Decimal: contract.Root.TickSize, Valid: ok}, nil
}

func shapeExcursion(r *excursions.Result, v *tradeview.View, tick decimal.Null) excursionAnswer {
	out := excursionAnswer{Available: r.IsAvailable(), Coverage: r.Coverage, AtEntry: entryContext(r.Context)}
	if !out.Available {
		sentence := r.Sentence()
		out.Reason, out.Message = &r.Reason, &sentence
		return out
	}
	mae, mfe := shapeExact(r, r.MAE), shapeExact(r, r.MFE)
	m := &MeasuredExcursion{
		MAE: mae, MFE: mfe,
		FillsChecked: r.FillsChecked, FillsInside: r.FillsInside, FillsWithoutBar: r.FillsWithoutBar,
		BarSecs: r.BarSecs, Source: r.Source, PriceKind: r.PriceKind, GrossAtExit: r.GrossAtExit,
		BestExit:        shapeBounds(r.BestExitLow, r.BestExitHigh),
		GivenBack:       shapeBounds(r.GivenBack()),
		EntryEfficiency: shapeBounds(r.EntryEfficiency()),
		ExitEfficiency:  shapeBounds(r.ExitEfficiency()),
		AfterExit:       []exitOutcome{},
		Alternatives:    []alternativeExit{},
	}
	if risk := v.Derived.InitialRisk; risk.Valid {
		m.MAER, m.MFER = mae.divide(risk.Decimal), mfe.divide(risk.Decimal)
	}
	if notional := v.Rate.Convert(v.EntryNotional.Abs()); notional.Valid {
		percent := notional.Decimal.DivRound(decimal.New(100), notional.Decimal.Scale()+2)
		m.MAEPct, m.MFEPct = mae.divide(percent), mfe.divide(percent)
	}
	if size := v.Rate.Convert(v.EntrySize.Mul(tick.Decimal)); tick.Valid && size.Valid {
		m.MAETicks, m.MFETicks = mae.divide(size.Decimal), mfe.divide(size.Decimal)
	}
	if v.ClosedAt != nil {
		m.addAfterExit(r, *v.ClosedAt)
		m.addAlternatives(r, v)
	}
	out.MeasuredExcursion = m
	return out
}

func (m *MeasuredExcursion) addAfterExit(r *excursions.Result, exit time.Time) {
	for i, minutes := range excursions.AfterExitMinutes {
		at := exit.Add(time.Duration(minutes) * time.Minute)
		m.AfterExit = append(m.AfterExit, exitOutcome{Minutes: &minutes, At: at, PnL: r.AfterExit[i]})
	}
	end := r.AfterExit[len(excursions.AfterExitMinutes)]
	m.AfterExit = append(m.AfterExit, exitOutcome{At: time.Unix(r.SessionEnd, 0).UTC(), PnL: end})
}

func shapeExact(r *excursions.Result, b market.Bounds) exactBounds {
	return exactBounds{Low: b.Low, High: b.High, Exact: r.IsExact(b)}
}

// unitScale is how many decimals an amount in other units has.
const unitScale = 6

// divide returns the bounds in other units, null if the unit is zero.
func (b exactBounds) divide(unit decimal.Decimal) orNull[exactBounds] {
	if unit.Sign() <= 0 {
		return orNull[exactBounds]{}
	}
	return orNull[exactBounds]{&exactBounds{Low: b.Low.DivRound(unit, unitScale), High: b.High.DivRound(unit, unitScale), Exact: b.Exact}}
}

func shapeBounds(low, high decimal.Null) orNull[valueBounds] {
	if !low.Valid || !high.Valid {
		return orNull[valueBounds]{}
	}
	return orNull[valueBounds]{&valueBounds{Low: low.Decimal, High: high.Decimal}}
}

type excursionFigureQuery struct {
	FigureQuery
	Explain flagParam `query:"explain" doc:"Add the formula of each figure, and which bars it comes from."`
}

// excursionFigures are excursion statistics with their derivation.
type excursionFigures struct {
	CountedUnit
	analytics.ExcursionStats
	CurrencyConversion
	Explanation *excursionExplanation `json:"explanation,omitempty"`
}

type excursionExplanation struct {
	Formulas []figureText `json:"formulas"`
	Bars     []usedBars   `json:"bars" doc:"The bars that MAE and MFE come from, the most used first."`
}

type figureText struct {
	Figure  string `json:"figure"`
	Formula string `json:"formula"`
}

// usedBars are bars with the number of trades measured with them.
type usedBars struct {
	Source     string           `json:"source" doc:"What wrote the newest file of the bars."`
	BarSecs    int64            `json:"bar_secs"`
	PriceKind  market.PriceKind `json:"price_kind"`
	Trades     int              `json:"trades"`
	Exact      int              `json:"exact" doc:"Trades whose bounds are equal and whose holding time is covered."`
	NotCovered int              `json:"not_covered" doc:"Trades with bars for 90 to 100 % of the holding time."`
}

// excursionFormulas explain the excursion figures.
var excursionFormulas = []figureText{
	{"mae", "most that the position lost at any time, before costs: multiplier * (held * price - sum of quantity * price of the fills so far), least value without sign. low is certain: bars without a fill inside, and the prices of fills. high is what the highs and lows of bars with a fill inside allow"},
	{"mfe", "the greatest value of the same, with the same bounds"},
	{"stops", "sum over trades with an initial risk of -stop - costs if mae reached the stop, else the net result, in units of risk. low takes the worse result of a trade that is undecided, high the better one"},
	{"targets", "the same with target - costs if mfe reached the target"},
	{"grid", "both; a trade that reached both counts as stopped in low and as closed at the target in high"},
	{"halves", "the same for the first and the second half of the trades in the order of closing"},
	{"went_for_breakeven", "trades with mfe of 1 R or more that ended as breakeven, within the breakeven tolerance"},
	{"went_for_loss", "trades with mfe of 1 R or more that ended at a loss"},
	{"after_exit", "mean of multiplier * position before the last fill * (close of the last bar that ended by then - price of the last fill); its interval is that of draws of whole days"},
}

func (a figureAPI) excursionStats(ctx context.Context, in *excursionFigureQuery) (*body[excursionFigures], error) {
	out := excursionFigures{CountedUnit: in.byTrade().countedUnit()}
	err := a.withFigures(ctx, in.FigureQuery.byTrade(), func(tx *db.Tx, q *figureRequest) error {
		out.CurrencyConversion = q.conversion()
		out.ExcursionStats = cachedFigure(q, "excursions", func() analytics.ExcursionStats {
			return analytics.AnalyzeExcursions(q.selection(), q.zone, analytics.Seed)
		})
		if hidesTrades(caller(ctx)) {
			out.ExcursionStats = out.WithoutTradeIDs()
		}
		if !in.Explain.Value {
			return nil
		}
		used, err := listUsedBars(ctx, tx, q)
		out.Explanation = &excursionExplanation{Formulas: excursionFormulas, Bars: used}
		return err
	})
	return answer(out, err)
}

// listUsedBars counts the selected trades by the bars they were measured with.
func listUsedBars(ctx context.Context, tx *db.Tx, q *figureRequest) ([]usedBars, error) {
	selection := q.selection()
	ids := make([]journal.TradeID, selection.Len())
	for i := range ids {
		ids[i] = selection.ID(i)
	}
	kept, err := excursions.Load(ctx, tx, caller(ctx).UserID, ids)
	if err != nil {
		return nil, err
	}
	type key struct {
		source string
		secs   int64
		kind   market.PriceKind
	}
	found := map[key]*usedBars{}
	for _, r := range kept {
		if !r.IsAvailable() {
			continue
		}
		k := key{r.Source, r.BarSecs, r.PriceKind}
		if found[k] == nil {
			found[k] = &usedBars{Source: r.Source, BarSecs: r.BarSecs, PriceKind: r.PriceKind}
		}
		found[k].add(&r)
	}
	list := []usedBars{}
	for _, used := range found {
		list = append(list, *used)
	}
	slices.SortFunc(list, func(a, b usedBars) int {
		return cmp.Or(cmp.Compare(b.Trades, a.Trades), cmp.Compare(a.Source, b.Source), cmp.Compare(a.BarSecs, b.BarSecs), cmp.Compare(a.PriceKind, b.PriceKind))
	})
	return list, nil
}

func (u *usedBars) add(r *excursions.Result) {
	u.Trades++
	if !r.IsWhole() {
		u.NotCovered++
	}
	if r.IsExact(r.MAE) && r.IsExact(r.MFE) {
		u.Exact++
	}
}
