package httpapi

import (
	"context"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/playbook"
)

// TradeSort is the query of the order of a list of trades.
type TradeSort struct {
	Sort  string `query:"sort" enum:"opened_at,closed_at,symbol,net_pnl,return_pct,r_multiple,time_in_trade_secs,qty_opened,avg_entry_price,avg_exit_price,fees_total,initial_risk,trade_quality" doc:"The field to sort by; trades without a value come last. Without it: newest first."`
	Order string `query:"order" enum:"asc,desc" doc:"The direction of sort. Default asc."`
}

// Keys of the order that need more than the columns of a trade.
const (
	sortR       ledger.SortKey = "r_multiple"
	sortRisk    ledger.SortKey = "initial_risk"
	sortQuality ledger.SortKey = "trade_quality"
	sortCosts   ledger.SortKey = "fees_total"
)

// tradeOrder reads the order; nil is newest first.
func (in TradeSort) tradeOrder() (*ledger.Sort, error) {
	key, err := oneOf("sort", in.Sort, ledger.SortOpenedAt, ledger.SortClosedAt, ledger.SortSymbol, ledger.SortNetPnL,
		ledger.SortReturnPct, sortR, ledger.SortTimeHeld, ledger.SortQtyOpened, ledger.SortEntryPrice, ledger.SortExitPrice,
		sortCosts, sortRisk, sortQuality)
	if err != nil {
		return nil, err
	}
	order, err := oneOf("order", in.Order, "asc", "desc")
	switch {
	case err != nil:
		return nil, err
	case key == "" && order != "":
		return nil, journal.InvalidField("order", "order needs sort beside it.")
	case key == "":
		return nil, nil //nolint:nilnil // the usual order is no error
	}
	return &ledger.Sort{By: key, Down: order == "desc"}, nil
}

// sortedTrades answers a list in an order that was asked for.
func (a *API) sortedTrades(ctx context.Context, owner journal.UserID, query ledger.TradeQuery, order *ledger.Sort, p *Paging) (*listing[Trade], error) {
	size, err := p.size()
	if err != nil {
		return nil, err
	}
	if order.After, err = p.rank(*order); err != nil {
		return nil, err
	}
	if size == 0 {
		return &listing[Trade]{each: func(emit func(Trade) error) error {
			return a.eachSorted(ctx, owner, query, order, func(t Trade, _ ledger.RankedTrade) error { return emit(t) })
		}}, nil
	}
	type placed struct {
		Trade
		at ledger.RankedTrade
	}
	query.Limit = size + 1
	var rows []placed
	var total int
	err = a.DB.View(ctx, func(tx *db.Tx) (err error) {
		err = a.sortedIn(ctx, tx, owner, query, order, func(t Trade, at ledger.RankedTrade) error {
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
	return listOf(p, rows, total, func(r placed) Trade { return r.Trade }, func(r placed) []string { return rankKeys(*order, r.at) })
}

// eachSorted reads trades with their annotations in an order, in one snapshot.
func (a *API) eachSorted(
	ctx context.Context, owner journal.UserID, query ledger.TradeQuery, order *ledger.Sort, emit func(Trade, ledger.RankedTrade) error,
) error {
	return a.DB.View(ctx, func(tx *db.Tx) error { return a.sortedIn(ctx, tx, owner, query, order, emit) })
}

// sortedIn is the step of eachSorted.
func (a *API) sortedIn(
	ctx context.Context, tx *db.Tx, owner journal.UserID, query ledger.TradeQuery, order *ledger.Sort, emit func(Trade, ledger.RankedTrade) error,
) error {
	names, err := tagsByID(ctx, tx, owner)
	if err != nil {
		return err
	}
	by, err := valued(ctx, tx, owner, *order)
	if err != nil {
		return err
	}
	ranked, err := ledger.RankTrades(ctx, tx, owner, query, by)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(ranked, chunk) {
		if err := emitRanked(ctx, tx, owner, part, names, emit); err != nil {
			return err
		}
	}
	return nil
}

func emitRanked(
	ctx context.Context, tx *db.Tx, owner journal.UserID, part []ledger.RankedTrade, names tagNames, emit func(Trade, ledger.RankedTrade) error,
) error {
	ids := make([]journal.TradeID, len(part))
	for i, r := range part {
		ids[i] = r.ID
	}
	found, err := ledger.TradesByID(ctx, tx, owner, ids)
	if err != nil {
		return err
	}
	trades := make(map[journal.TradeID]ledger.Trade, len(found))
	for _, t := range found {
		trades[t.ID] = t
	}
	annotations, err := playbook.LoadAnnotations(ctx, tx, owner, ids)
	if err != nil {
		return err
	}
	for _, r := range part {
		if err := emit(shapeTrade(trades[r.ID], annotations[r.ID], names), r); err != nil {
			return err
		}
	}
	return nil
}

// valued teaches an order the values that the ledger does not know.
func valued(ctx context.Context, tx *db.Tx, owner journal.UserID, order ledger.Sort) (ledger.Sort, error) {
	if order.By == sortCosts {
		order.Of = func(f ledger.SortFigures) decimal.Null { return decimal.Of(f.Fees.Add(f.Commission)) }
	}
	if order.By != sortR && order.By != sortRisk && order.By != sortQuality {
		return order, nil
	}
	grades, err := playbook.LoadRiskAndQuality(ctx, tx, owner)
	order.Of = func(f ledger.SortFigures) decimal.Null {
		annotations, graded := grades[f.Trade]
		switch {
		case !graded:
			return decimal.Null{}
		case order.By == sortQuality && annotations.TradeQuality == 0:
			return decimal.Null{}
		case order.By == sortQuality:
			return decimal.Of(decimal.New(int64(annotations.TradeQuality)))
		}
		derived := playbook.Derive(playbook.Figures{
			Long: f.Long, EntryNotional: f.EntryNotional, EntrySize: f.EntrySize, Rate: f.Rate, NetPnL: f.NetPnL,
		}, annotations)
		if order.By == sortRisk {
			return derived.InitialRisk
		}
		return derived.RMultiple
	}
	return order, err
}

// rankKeys are the keys of a record in a sorted list. They name the order too,
// because a cursor of one order means nothing in another.
func rankKeys(order ledger.Sort, at ledger.RankedTrade) []string {
	value := at.Text
	if at.Number.Valid {
		value = at.Number.Decimal.String()
	}
	return append([]string{orderName(order), value}, tradeKeys(at.Place)...)
}

func orderName(order ledger.Sort) string {
	if order.Down {
		return "-" + string(order.By)
	}
	return string(order.By)
}

// rank reads what rankKeys wrote, nil where there is no cursor.
func (p *Paging) rank(order ledger.Sort) (*ledger.RankedTrade, error) {
	keys, err := p.position(2 + placeKeys)
	if err != nil || keys == nil {
		return nil, err
	}
	place, err := parsePlace(keys[2:])
	if err != nil {
		return nil, err
	}
	at := &ledger.RankedTrade{Place: *place}
	switch {
	case keys[0] != orderName(order):
		return nil, badCursor()
	case order.By == ledger.SortSymbol:
		at.Text = keys[1]
	case keys[1] != "":
		number, err := decimal.ParseExact(keys[1])
		if err != nil {
			return nil, badCursor()
		}
		at.Number = decimal.Of(number)
	}
	return at, nil
}
