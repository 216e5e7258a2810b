package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/matching"
	"fillbook/internal/playbook"
)

// Trade is a round trip, or a position still open, as lists show it.
type Trade struct {
	ID                 journal.TradeID    `json:"id"`
	AccountID          journal.AccountID  `json:"account_id"`
	Symbol             string             `json:"symbol"`
	InstrumentType     string             `json:"instrument_type"`
	Direction          matching.Direction `json:"direction" enum:"long,short"`
	Status             ledger.Status      `json:"status" enum:"open,closed"`
	OpenedAt           time.Time          `json:"opened_at"`
	ClosedAt           *time.Time         `json:"closed_at"`
	QtyOpened          decimal.Decimal    `json:"qty_opened"`
	QtyRemaining       decimal.Decimal    `json:"qty_remaining"`
	AvgEntryPrice      decimal.Decimal    `json:"avg_entry_price"`
	AvgExitPrice       decimal.Null       `json:"avg_exit_price"`
	GrossPnL           decimal.Null       `json:"gross_pnl"`
	FeesTotal          decimal.Decimal    `json:"fees_total" doc:"Fees and commission of all its fills."`
	NetPnL             decimal.Null       `json:"net_pnl" doc:"Gross less costs; null until the trade is closed."`
	RealizedPnL        decimal.Decimal    `json:"realized_pnl" doc:"Net result of what was closed so far."`
	PnLCurrency        string             `json:"pnl_currency"`
	ReturnPct          decimal.Null       `json:"return_pct" doc:"Net result in percent of the entry notional."`
	TimeInTradeSecs    *int64             `json:"time_in_trade_secs"`
	Multiplier         decimal.Decimal    `json:"multiplier"`
	ExecutionCount     int                `json:"execution_count"`
	OptionRight        *string            `json:"option_right"`
	Strike             decimal.Null       `json:"strike"`
	Expiry             *journal.Day       `json:"expiry"`
	Notes              string             `json:"notes"`
	Tags               []tradeTag         `json:"tags"`
	TagIDs             []journal.TagID    `json:"tag_ids"`
	SetupIDs           []journal.SetupID  `json:"setup_ids"`
	InitialRisk        decimal.Null       `json:"initial_risk"`
	InitialRiskDerived bool               `json:"initial_risk_derived" doc:"The initial risk follows from the stop."`
	StopPrice          decimal.Null       `json:"stop_price"`
	TargetPrice        decimal.Null       `json:"target_price"`
	LastStop           decimal.Null       `json:"last_stop" doc:"The last stop that a statement showed; no risk follows from it."`
	RMultiple          decimal.Null       `json:"r_multiple"`
	PlannedR           decimal.Null       `json:"planned_r"`
	EmotionalState     string             `json:"emotional_state"`
	Confidence         *int               `json:"confidence"`
	TradeQuality       *int               `json:"trade_quality"`
	MAE                decimal.Null       `json:"mae"`
	MFE                decimal.Null       `json:"mfe"`
	ReviewedAt         *time.Time         `json:"reviewed_at"`
}

// tradeTag is a tag as a trade shows it.
type tradeTag struct {
	ID    journal.TagID    `json:"id"`
	Name  string           `json:"name"`
	Color string           `json:"color"`
	Kind  playbook.TagKind `json:"kind" enum:"custom,mistake"`
}

type tagNames map[journal.TagID]playbook.Tag

// derivedFigures returns what follows from a trade and its annotations.
func derivedFigures(t ledger.Trade, m playbook.Annotations) playbook.Derived {
	return playbook.Derive(playbook.Figures{
		Long: t.Direction == matching.Long, EntryNotional: t.EntryNotional, EntrySize: t.EntrySize, Rate: t.Rate, NetPnL: t.NetPnL,
	}, m)
}

func shapeTrade(t ledger.Trade, m playbook.Annotations, names tagNames) Trade {
	derived := derivedFigures(t, m)
	out := Trade{
		ID: t.ID, AccountID: t.Account, Symbol: t.Instrument.Symbol, InstrumentType: t.Instrument.Type, Direction: t.Direction,
		Status: ledger.StatusOpen, OpenedAt: t.OpenedAt, ClosedAt: t.ClosedAt, QtyOpened: t.QtyOpened, QtyRemaining: t.QtyRemaining,
		AvgEntryPrice: t.AvgEntry, AvgExitPrice: t.AvgExit, GrossPnL: t.GrossPnL, FeesTotal: t.Costs(), NetPnL: t.NetPnL,
		RealizedPnL: t.RealizedPnL, PnLCurrency: t.Currency, ReturnPct: t.ReturnPct, Multiplier: t.Multiplier,
		ExecutionCount: t.Executions, OptionRight: orAbsent(t.Instrument.OptionRight), Strike: t.Instrument.Strike,
		Expiry: orAbsent(t.Instrument.Expiry), Notes: m.Notes, Tags: []tradeTag{}, TagIDs: m.Tags, SetupIDs: m.Setups,
		InitialRisk: derived.InitialRisk, InitialRiskDerived: derived.InitialRiskDerived, StopPrice: m.StopPrice,
		TargetPrice: m.TargetPrice, LastStop: m.LastStop, RMultiple: derived.RMultiple, PlannedR: derived.PlannedR, EmotionalState: m.EmotionalState,
		Confidence: orAbsent(m.Confidence), TradeQuality: orAbsent(m.TradeQuality), MAE: m.MAE, MFE: m.MFE, ReviewedAt: m.ReviewedAt,
	}
	if t.ClosedAt != nil {
		seconds := int64(t.ClosedAt.Sub(t.OpenedAt) / time.Second)
		out.Status, out.TimeInTradeSecs = ledger.StatusClosed, &seconds
	}
	for _, id := range m.Tags {
		known := names[id]
		out.Tags = append(out.Tags, tradeTag{id, known.Name, known.Color, known.Kind})
	}
	return out
}

// orAbsent gives nil for a value that means "none".
func orAbsent[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

// TradeFilter is the query of trades, the same for lists and figures.
type TradeFilter struct {
	ScopeInput
	Status         string   `query:"status" enum:"open,closed"`
	DateBasis      string   `query:"date_basis" enum:"close,open" doc:"Which instant from and to test. Default close: the closing of a closed trade, the opening of an open one."`
	Symbol         []string `query:"symbol,explode" doc:"A comma-separated list."`
	Side           string   `query:"side" enum:"long,short"`
	InstrumentType string   `query:"instrument_type"`
	SetupID        []string `query:"setup_id,explode"`
	TagID          []string `query:"tag_id,explode"`
}

func (in TradeFilter) query(owner journal.UserID) (ledger.TradeQuery, error) {
	scope, err := in.scope()
	if err != nil {
		return ledger.TradeQuery{}, err
	}
	query := ledger.TradeQuery{Scope: scope, InstrumentType: strings.ToLower(strings.TrimSpace(in.InstrumentType))}
	if query.Status, err = oneOf("status", in.Status, ledger.StatusOpen, ledger.StatusClosed); err != nil {
		return query, err
	}
	if query.Direction, err = oneOf("side", in.Side, matching.Long, matching.Short); err != nil {
		return query, err
	}
	basis, err := oneOf("date_basis", in.DateBasis, "close", "open")
	if err != nil {
		return query, err
	}
	if basis == "open" {
		query.Basis = ledger.ByOpening
	}
	if query.Symbols, err = listed[string]("symbol", in.Symbol); err != nil {
		return query, err
	}
	for i, symbol := range query.Symbols {
		query.Symbols[i] = strings.ToUpper(symbol)
	}
	err = in.addAnnotationFilters(owner, &query)
	return query, err
}

// addAnnotationFilters adds the conditions on annotations.
func (in TradeFilter) addAnnotationFilters(owner journal.UserID, query *ledger.TradeQuery) error {
	setups, err := listed[journal.SetupID]("setup_id", in.SetupID)
	if err != nil {
		return err
	}
	tags, err := listed[journal.TagID]("tag_id", in.TagID)
	if err != nil {
		return err
	}
	if len(setups) > 0 {
		query.Where = append(query.Where, func(args *[]any) string { return "trades.id " + playbook.HasSetup(args, owner, setups) })
	}
	if len(tags) > 0 {
		query.Where = append(query.Where, func(args *[]any) string { return "trades.id " + playbook.HasTag(args, owner, tags) })
	}
	return nil
}

type tradeQuery struct {
	TradeFilter
	TradeSort
	Reviewed      flagParam `query:"reviewed" doc:"Whether the trader has marked the trade as reviewed."`
	ImportBatchID string    `query:"import_batch_id" doc:"The import that brought a fill of the trade."`
	Paging
}

// only adds the conditions that lists have and figures do not.
func (in *tradeQuery) only(owner journal.UserID, query *ledger.TradeQuery) error {
	if in.Reviewed != "" {
		reviewed, err := flag("reviewed", in.Reviewed)
		if err != nil {
			return err
		}
		query.Where = append(query.Where, func(args *[]any) string { return "trades.id " + playbook.IsReviewed(args, owner, reviewed) })
	}
	if in.ImportBatchID != "" {
		query.Where = append(query.Where, ledger.BatchCondition(owner, journal.BatchID(in.ImportBatchID)))
	}
	return nil
}

func (a *API) listTrades(ctx context.Context, in *tradeQuery) (*listing[Trade], error) {
	owner := caller(ctx).UserID
	query, err := in.query(owner)
	if err != nil {
		return nil, err
	}
	if err := in.only(owner, &query); err != nil {
		return nil, err
	}
	order, err := in.tradeOrder()
	if err != nil {
		return nil, err
	}
	if order != nil {
		return a.sortedTrades(ctx, owner, query, order, &in.Paging)
	}
	if query.After, err = in.tradePosition(); err != nil {
		return nil, err
	}
	size, err := in.size()
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return &listing[Trade]{each: func(emit func(Trade) error) error {
			return a.eachTrade(ctx, owner, query, func(t Trade, _ ledger.TradeCursor) error { return emit(t) })
		}}, nil
	}
	return a.tradePage(ctx, owner, query, &in.Paging, size)
}

func (a *API) tradePage(ctx context.Context, owner journal.UserID, query ledger.TradeQuery, p *Paging, size int) (*listing[Trade], error) {
	type placed struct {
		Trade
		at ledger.TradeCursor
	}
	query.Limit = size + 1
	var rows []placed
	var total int
	err := a.DB.View(ctx, func(tx *db.Tx) (err error) {
		err = a.tradesIn(ctx, tx, owner, query, func(t Trade, at ledger.TradeCursor) error {
			rows = append(rows, placed{t, at})
			return nil
		})
		if err != nil {
			return err
		}
		total, err = a.Ledger.CountTradesIn(ctx, tx, owner, query)
		return err
	})
	if err != nil {
		return nil, err
	}
	return listOf(p, rows, total, func(r placed) Trade { return r.Trade }, func(r placed) []string { return tradeKeys(r.at) })
}

// eachTrade reads trades with their annotations, in one snapshot.
func (a *API) eachTrade(ctx context.Context, owner journal.UserID, query ledger.TradeQuery, emit func(Trade, ledger.TradeCursor) error) error {
	return a.DB.View(ctx, func(tx *db.Tx) error { return a.tradesIn(ctx, tx, owner, query, emit) })
}

// tradesIn is the step of eachTrade.
func (a *API) tradesIn(
	ctx context.Context, tx *db.Tx, owner journal.UserID, query ledger.TradeQuery, emit func(Trade, ledger.TradeCursor) error,
) error {
	names, err := tagsByID(ctx, tx, owner)
	if err != nil {
		return err
	}
	left := query.Limit
	for {
		part := query
		part.Limit = chunk
		if left > 0 {
			part.Limit = min(left, chunk)
		}
		n, last, err := a.someTrades(ctx, tx, owner, part, names, emit)
		if err != nil || n < part.Limit || n == left {
			return err
		}
		left -= min(left, n)
		query.After = &last
	}
}

// someTrades reads one chunk and tells how many there were, and the last.
func (a *API) someTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, query ledger.TradeQuery, names tagNames, emit func(Trade, ledger.TradeCursor) error,
) (n int, last ledger.TradeCursor, err error) {
	var trades []ledger.Trade
	var ids []journal.TradeID
	err = ledger.EachTrade(ctx, tx, owner, query, func(t ledger.Trade) error {
		trades, ids = append(trades, t), append(ids, t.ID)
		return nil
	})
	if err != nil || len(trades) == 0 {
		return 0, last, err
	}
	annotations, err := playbook.LoadAnnotations(ctx, tx, owner, ids)
	if err != nil {
		return 0, last, err
	}
	for _, t := range trades {
		if err := emit(shapeTrade(t, annotations[t.ID], names), t.Cursor); err != nil {
			return 0, last, err
		}
	}
	return len(trades), trades[len(trades)-1].Cursor, nil
}

func tagsByID(ctx context.Context, tx *db.Tx, owner journal.UserID) (tagNames, error) {
	tags, err := playbook.ListTags(ctx, tx, owner)
	names := make(tagNames, len(tags))
	for _, t := range tags {
		names[t.ID] = t
	}
	return names, err
}

func tradeRoute(method, path, id, summary string) route {
	return journalRoute(method, "/trades"+path, id, "Trades", summary)
}

func (a *API) tradeOperations() {
	registerList(a, longAnswer(tradeRoute(http.MethodGet, "", "listTrades", "List trades, newest first unless sort says otherwise")), a.listTrades)
	register(a, tradeRoute(http.MethodGet, "/{id}", "getTrade", "Read a trade with its fills"),
		func(ctx context.Context, in *ByID[journal.TradeID]) (*body[TradeDetail], error) {
			detail, err := a.tradeDetail(ctx, caller(ctx).UserID, in.ID)
			return answer(detail, err)
		})
	register(a, tradeRoute(http.MethodPatch, "/{id}", "annotateTrade", "Write on a trade: notes, tags, setups, risk, grades"), a.annotateTrade)
	remove := tradeRoute(http.MethodDelete, "/{id}", "deleteTrade", "Delete a trade with the fills that belong to it alone")
	remove.about = "A fill that is shared with a neighbour keeps the neighbour's part."
	register(a, remove, a.deleteTrade)
	a.tradeWriteOperations()
	a.orphanOperations()
}
