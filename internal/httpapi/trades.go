package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/prices/bars"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// Trade is a listed trade, open or closed. It names the annotations with a place among
// its other members in JSON, and the initial risk, which may be derived; the others
// follow at its end.
type Trade struct {
	ID                 journal.TradeID        `json:"id"`
	AccountID          journal.AccountID      `json:"account_id"`
	Symbol             string                 `json:"symbol"`
	InstrumentType     string                 `json:"instrument_type"`
	Direction          matching.Direction     `json:"direction" enum:"long,short"`
	Status             ledger.Status          `json:"status" enum:"open,closed"`
	EndedBy            *string                `json:"ended_by" enum:"trade,expiry,assignment,exercise,settlement,removal" doc:"The kind of the last exit; null while the trade is open."`
	Outcome            *string                `json:"outcome" enum:"win,loss,breakeven" doc:"Null while the trade is open, and if it ended only by removals."`
	StrategyID         *journal.StrategyID    `json:"strategy_id" doc:"The accepted or manual strategy that the trade counts in; null for none, and for a cover."`
	Symbols            []string               `json:"symbols" doc:"All symbols of the position; the first is symbol."`
	OpenedAt           time.Time              `json:"opened_at"`
	ClosedAt           *time.Time             `json:"closed_at"`
	QtyOpened          decimal.Decimal        `json:"qty_opened"`
	QtyRemaining       decimal.Decimal        `json:"qty_remaining"`
	AvgEntryPrice      decimal.Decimal        `json:"avg_entry_price"`
	AvgExitPrice       decimal.Null           `json:"avg_exit_price"`
	GrossPnL           decimal.Null           `json:"gross_pnl"`
	FeesTotal          decimal.Decimal        `json:"fees_total" doc:"Fees and commission of all its fills."`
	NetPnL             decimal.Null           `json:"net_pnl" doc:"Gross less costs; null until the trade is closed."`
	RealizedPnL        decimal.Decimal        `json:"realized_pnl" doc:"Net result of the closed part."`
	PnLCurrency        string                 `json:"pnl_currency"`
	ReturnPct          decimal.Null           `json:"return_pct" doc:"Net result in percent of the entry notional."`
	TimeInTradeSecs    *int64                 `json:"time_in_trade_secs"`
	Multiplier         decimal.Decimal        `json:"multiplier"`
	ExecutionCount     int                    `json:"execution_count"`
	OptionRight        *string                `json:"option_right"`
	Strike             decimal.Null           `json:"strike"`
	Expiry             *journal.Day           `json:"expiry"`
	Notes              string                 `json:"notes"`
	Tags               []tradeTag             `json:"tags"`
	TagIDs             []journal.TagID        `json:"tag_ids"`
	SetupIDs           []journal.SetupID      `json:"setup_ids"`
	Rules              []playbook.RuleTick    `json:"rules" doc:"Whether the trade followed the rules of its setups; rules without an answer are not listed."`
	TradingRules       tradeRules             `json:"trading_rules" doc:"The verdicts of the trading rules on the trade."`
	InitialRisk        decimal.Null           `json:"initial_risk"`
	InitialRiskDerived bool                   `json:"initial_risk_derived" doc:"Whether the initial risk is derived from the stop."`
	StopPrice          decimal.Null           `json:"stop_price"`
	RiskToStop         decimal.Null           `json:"risk_to_stop" doc:"What the open quantity loses between the average entry and the stop, at least 0; null for a closed trade or without a stop."`
	TargetPrice        decimal.Null           `json:"target_price"`
	LastStop           decimal.Null           `json:"last_stop" doc:"The last stop of a broker statement. Not used to derive the risk."`
	RMultiple          decimal.Null           `json:"r_multiple"`
	PlannedR           decimal.Null           `json:"planned_r"`
	EmotionalState     string                 `json:"emotional_state"`
	Confidence         annotations.Grade      `json:"confidence" doc:"1 to 5."`
	TradeQuality       annotations.Grade      `json:"trade_quality" doc:"1 to 5."`
	Converted          *convertedTrade        `json:"converted,omitempty" doc:"The result in the requested currency. Only in lists with currency."`
	Excursion          orNull[TradeExcursion] `json:"excursion" doc:"What the price did during the trade, from price bars; null without enough of them. mae and mfe are what the trader typed, and count instead where they are present."`
	playbook.AnnotationValues
}

// tradeTag is a tag as a trade shows it.
type tradeTag struct {
	ID    journal.TagID    `json:"id"`
	Name  string           `json:"name"`
	Color string           `json:"color"`
	Kind  playbook.TagKind `json:"kind" enum:"custom,mistake"`
}

// tradeRules are the verdicts of trading rules as a trade shows them.
type tradeRules struct {
	Kept    int                     `json:"kept" doc:"How many rules the trade kept."`
	Broken  []journal.TradingRuleID `json:"broken" doc:"The rules that the trade broke."`
	Unknown int                     `json:"unknown" doc:"How many rules could not be judged."`
}

func shapeTradeRules(r tradeview.TradingRules) tradeRules {
	return tradeRules{Kept: r.Kept, Broken: shapeAll(r.Broken, keepShape), Unknown: r.Unknown}
}

func shapeTrade(v *tradeview.View) Trade {
	annotations := &v.Annotations
	out := Trade{
		ID: v.ID, AccountID: v.Account, Symbol: v.Instrument.Symbol, InstrumentType: v.Instrument.Type, Direction: v.Direction,
		Status: ledger.StatusOpen, OpenedAt: v.OpenedAt, ClosedAt: v.ClosedAt, QtyOpened: v.QtyOpened, QtyRemaining: v.QtyRemaining,
		AvgEntryPrice: v.AvgEntry, AvgExitPrice: v.AvgExit, GrossPnL: v.GrossPnL, FeesTotal: v.Costs(), NetPnL: v.NetPnL,
		RealizedPnL: v.RealizedPnL, PnLCurrency: v.Currency, ReturnPct: v.ReturnPct, Multiplier: v.Multiplier,
		ExecutionCount: v.Executions, OptionRight: nilIfZero(v.Instrument.OptionRight), Strike: v.Instrument.Strike,
		Expiry: nilIfZero(v.Instrument.Expiry), Notes: annotations.Notes, Tags: shapeAll(v.Tags, shapeTradeTag),
		TagIDs: annotations.Tags, SetupIDs: annotations.Setups, Rules: annotations.CurrentRules(), TradingRules: shapeTradeRules(v.TradingRules),
		InitialRisk: v.Derived.InitialRisk, InitialRiskDerived: v.Derived.InitialRiskDerived, StopPrice: annotations.StopPrice, RiskToStop: v.Derived.RiskToStop,
		TargetPrice: annotations.TargetPrice, LastStop: annotations.LastStop, RMultiple: v.Derived.RMultiple,
		PlannedR: v.Derived.PlannedR, EmotionalState: annotations.EmotionalState, Confidence: annotations.Confidence,
		TradeQuality: annotations.TradeQuality, AnnotationValues: annotations.AnnotationValues,
		Outcome: nilIfZero(string(v.Outcome)), Symbols: v.Symbols, StrategyID: nilIfZero(v.Strategy),
	}
	if out.Symbols == nil {
		out.Symbols = []string{v.Instrument.Symbol}
	}
	if v.Excursion != nil {
		out.Excursion = orNull[TradeExcursion]{shapeTradeExcursion(v.Excursion)}
	}
	if v.ClosedAt != nil {
		seconds := int64(v.ClosedAt.Sub(v.OpenedAt) / time.Second)
		endedBy := v.EndedBy.String()
		out.Status, out.TimeInTradeSecs, out.EndedBy = ledger.StatusClosed, &seconds, &endedBy
	}
	return out
}

func shapeTradeTag(t playbook.Tag) tradeTag {
	return tradeTag{ID: t.ID, Name: t.Name, Color: t.Color, Kind: t.Kind}
}

// nilIfZero returns nil for the zero value.
func nilIfZero[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	present := value // not value itself, which would then always be allocated
	return &present
}

type tradeQuery struct {
	TradeFilter
	TradeSort
	Paging
}

// listQuery returns the list's filter and order, from its cursor on.
func (in *tradeQuery) listQuery() (query tradeview.Query, err error) {
	query.Filter, query.Completed = in.filter, true
	if query.Sort = in.order(in.filter.ByOpening); query.Sort != nil {
		query.Sort.After, err = in.decodeRankCursor(*query.Sort)
	} else {
		query.After, err = in.decodeTradeCursor()
	}
	return query, err
}

// tradeAPI has the operations on trades and their annotations.
type tradeAPI struct {
	db         *db.DB
	clock      journal.Clock
	ledger     *ledger.Service
	playbook   *playbook.Service
	trades     *tradeview.Service
	bars       *bars.Service
	excursions *excursions.Service
}

func (a tradeAPI) listTrades(ctx context.Context, in *tradeQuery) (*listing[Trade], error) {
	owner := caller(ctx).UserID
	query, err := in.listQuery()
	if err != nil {
		return nil, err
	}
	converter, err := newTradeConverter(ctx, a.db, a.clock, in.filter.Currency)
	if err != nil {
		return nil, err
	}
	shape := func(v *tradeview.View) Trade {
		out := shapeTrade(v)
		out.Converted = converter.convert(v)
		return out
	}
	size := in.pageSize()
	if size == 0 {
		if err := a.requireRates(ctx, query, converter); err != nil {
			return nil, err
		}
		return &listing[Trade]{each: func(emit func(Trade) error) error {
			err := a.trades.Each(ctx, owner, query, func(v *tradeview.View) error { return emit(shape(v)) })
			return cmp.Or(err, converter.err())
		}}, nil
	}
	query.Limit = size + 1 // to know whether there is a next page
	page, err := a.trades.Page(ctx, owner, query)
	if err != nil {
		return nil, err
	}
	for i := range page.Rows[:min(size, len(page.Rows))] {
		converter.convert(&page.Rows[i])
	}
	if err := converter.err(); err != nil {
		return nil, err
	}
	return newListing(&in.Paging, page.Rows, page.Total, func(v tradeview.View) Trade { return shape(&v) }, func(v tradeview.View) []string {
		if query.Sort != nil {
			return rankKeys(*query.Sort, v.Rank)
		}
		return tradeKeys(v.Cursor)
	}), nil
}

// requireRates refuses a list with missing rates before its first row is sent.
func (a tradeAPI) requireRates(ctx context.Context, query tradeview.Query, converter tradeConverter) error {
	if converter.Converter == nil {
		return nil
	}
	err := a.trades.Each(ctx, caller(ctx).UserID, query, func(v *tradeview.View) error {
		converter.convert(v)
		return nil
	})
	return cmp.Or(err, converter.err())
}

func tradeRoute(needs permission, method, path, id, summary string) route {
	r := journalRoute(needs, method, "/trades"+path, id, "Trades", summary)
	r.excursions = method == http.MethodGet
	return r
}

func (a tradeAPI) register(api *API) {
	list := allowLongAnswer(tradeRoute(readJournal, http.MethodGet, "", "listTrades", "List trades, newest first by default"))
	list.refusals = append(list.refusals, http.StatusConflict)
	registerList(api, list, a.listTrades)
	register(api, tradeRoute(readJournal, http.MethodGet, "/{id}", "getTrade", "Read a trade with its fills"),
		func(ctx context.Context, in *ByID[journal.TradeID]) (*body[TradeDetail], error) {
			detail, err := a.trades.Detail(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeTradeDetail(&detail), err)
		})
	register(api, tradeRoute(writeJournal, http.MethodPatch, "/{id}", "annotateTrade", "Annotate a trade"), a.annotateTrade)
	remove := tradeRoute(writeJournal, http.MethodDelete, "/{id}", "deleteTrade", "Delete a trade with the fills that belong to it alone")
	remove.about = "A fill shared with another trade keeps its part in that trade. A trade that a corporate action opened, such as a spin-off, is refused with conflict: delete the action."
	remove.refusals = append(remove.refusals, http.StatusConflict)
	register(api, remove, a.deleteTrade)
	a.registerTradeFillRoutes(api)
	a.registerExcursionRoutes(api)
	a.registerRunningRoutes(api)
	a.registerTradeWriteRoutes(api)
	a.registerOrphanRoutes(api)
}
