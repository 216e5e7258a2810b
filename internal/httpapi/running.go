package httpapi

import (
	"context"
	"net/http"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// maxRunningTrades is how many trades are followed together at most.
const maxRunningTrades = 500

// runningQuery selects trades, and the bars at whose closes they are valued.
type runningQuery struct {
	TradeFilter
	BarSecs   intParam[barSecsRange]                  `query:"bar_secs" doc:"The length of a bar in seconds, as for GET /bars."`
	PriceKind enumParam[market.PriceKind, priceKinds] `query:"price_kind" doc:"Default: trade if stored, else mid, bid, ask."`
	BarsFrom  instantParam                            `query:"bars_from" doc:"The earliest opening of a bar, inclusive. Default: the first stored."`
	BarsTo    instantParam                            `query:"bars_to" doc:"The latest opening of a bar, inclusive. Default: the last stored."`
}

// runningPnL is the result bar by bar, in columns with the same length.
type runningPnL struct {
	PnLCurrency string                    `json:"pnl_currency"`
	BarSecs     int64                     `json:"bar_secs" doc:"The length of a bar in seconds; 0 without bars."`
	T           []int64                   `json:"t" doc:"The openings of the bars in seconds since 1970."`
	Position    []decimal.Decimal         `json:"position" doc:"The quantity held at the close of each bar; negative if short. A fill counts from the last bar on that opens at or before it."`
	PnL         orNull[[]decimal.Decimal] `json:"pnl" doc:"The result of the trades at the close of each bar, realized and not, before costs. Null if it can't be computed: fills with different multipliers, or an unknown rate of a currency."`
	R           orNull[[]decimal.Decimal] `json:"r" doc:"The same in units of the initial risk; null unless it is one trade with an initial risk."`
	MAELow      orNull[[]decimal.Decimal] `json:"mae_low" doc:"The most that the position lost until the end of each bar, at least; null unless it is one trade."`
	MAEHigh     orNull[[]decimal.Decimal] `json:"mae_high" doc:"The same, at most."`
}

func (a tradeAPI) registerRunningRoutes(api *API) {
	read := tradeRoute(readJournal, http.MethodGet, "/running", "getRunningPnL", "Read the result of trades bar by bar")
	read.about = "The filter selects up to 500 trades, for example with trade_id. They must be in one instrument and have results in one currency. The answer has the bars that GET /bars returns for the instrument and the same times, at most 2000."
	read.excursions = false
	register(api, read, a.readRunning)
}

func (a tradeAPI) readRunning(ctx context.Context, in *runningQuery) (*body[runningPnL], error) {
	owner := caller(ctx).UserID
	views, err := a.selectRunning(ctx, owner, tradeview.Query{Filter: in.filter})
	if err != nil {
		return nil, err
	}
	ids := make([]journal.TradeID, len(views))
	for i := range views {
		ids[i] = views[i].ID
	}
	query := bars.WindowQuery{
		Of: toPriced(views[0].Instrument), Secs: int64(in.BarSecs.Value), PriceKind: in.PriceKind.Value, MaxPoints: bars.MaxPoints,
	}
	if err := setWindow(&query, in.BarsFrom, in.BarsTo, "bars_"); err != nil {
		return nil, err
	}
	window, err := a.bars.Window(ctx, owner, query)
	if err != nil {
		return nil, err
	}
	totals, err := a.excursions.Running(ctx, owner, ids, window)
	out := shapeRunning(window, totals)
	out.PnLCurrency = views[0].Currency
	if len(views) == 1 {
		out.R = divideAll(out.PnL, views[0].Derived.InitialRisk)
		out.addMAE(totals)
	}
	return answer(out, err)
}

// selectRunning returns the trades in a query, which must be in one instrument and have
// one currency.
func (a tradeAPI) selectRunning(ctx context.Context, owner journal.UserID, query tradeview.Query) (views []tradeview.View, err error) {
	err = a.trades.Each(ctx, owner, query, func(v *tradeview.View) error {
		if len(views) == maxRunningTrades {
			return journal.InvalidField("trade_id", "Select at most %d trades, for example with trade_id.", maxRunningTrades)
		}
		views = append(views, *v)
		if !isSameInstrument(v.Instrument, views[0].Instrument) || v.Currency != views[0].Currency {
			return journal.InvalidField("trade_id", "The trades must be in one instrument and one currency. Select them with trade_id.")
		}
		return nil
	})
	if err == nil && len(views) == 0 {
		return nil, journal.NotFound("trade")
	}
	return views, err
}

// isSameInstrument reports whether two instruments have the same prices.
func isSameInstrument(a, b ledger.Instrument) bool {
	return a.Symbol == b.Symbol && a.Type == b.Type && a.OptionRight == b.OptionRight && a.Strike.Equal(b.Strike) && a.Expiry == b.Expiry
}

func toPriced(i ledger.Instrument) instruments.Priced {
	return instruments.Priced{Symbol: i.Symbol, Type: i.Type, Right: instruments.Right(i.OptionRight), Strike: i.Strike, Expiry: i.Expiry}
}

func shapeRunning(w bars.Window, totals []excursions.RunningTotal) runningPnL {
	n := len(w.Bars)
	out := runningPnL{T: make([]int64, n), Position: make([]decimal.Decimal, n)}
	if n > 0 {
		out.BarSecs = w.Secs
	}
	results := make([]decimal.Decimal, n)
	isKnown := true
	for i, total := range totals {
		out.T[i], out.Position[i], results[i] = w.Bars[i].Time, total.Held, total.Result.Decimal
		isKnown = isKnown && total.Result.Valid
	}
	if isKnown {
		out.PnL.value = &results
	}
	return out
}

// addMAE adds the only trade's MAE, if its result is known.
func (out *runningPnL) addMAE(totals []excursions.RunningTotal) {
	if out.PnL.value == nil {
		return
	}
	low, high := make([]decimal.Decimal, len(totals)), make([]decimal.Decimal, len(totals))
	for i := range totals {
		low[i], high[i] = totals[i].MAE.Low, totals[i].MAE.High
	}
	out.MAELow.value, out.MAEHigh.value = &low, &high
}

// divideAll returns amounts in units of the initial risk.
func divideAll(amounts orNull[[]decimal.Decimal], risk decimal.Null) orNull[[]decimal.Decimal] {
	if amounts.value == nil || !risk.Valid || risk.Decimal.Sign() <= 0 {
		return orNull[[]decimal.Decimal]{}
	}
	ratios := make([]decimal.Decimal, len(*amounts.value))
	for i, amount := range *amounts.value {
		ratios[i] = amount.DivRound(risk.Decimal, unitScale)
	}
	return orNull[[]decimal.Decimal]{&ratios}
}
