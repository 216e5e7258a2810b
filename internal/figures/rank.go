package figures

import (
	"context"
	"strings"
	"time"

	"fillbook/internal/analytics"
	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/matching"
	"fillbook/internal/tradeview"
)

// rankKeys are the keys of lists in package analytics.
var rankKeys = map[ledger.SortKey]analytics.RankKey{
	ledger.SortOpenedAt: analytics.RankByOpening, ledger.SortClosedAt: analytics.RankByClosing, ledger.SortSymbol: analytics.RankBySymbol,
	ledger.SortNetPnL: analytics.RankByNet, ledger.SortReturnPct: analytics.RankByReturn, ledger.SortTimeHeld: analytics.RankByHoldingTime,
	ledger.SortQtyOpened: analytics.RankByQuantity, ledger.SortEntryPrice: analytics.RankByEntryPrice, ledger.SortExitPrice: analytics.RankByExitPrice,
	tradeview.SortR: analytics.RankByR, tradeview.SortCosts: analytics.RankByCosts, tradeview.SortRisk: analytics.RankByRisk,
	tradeview.SortQuality: analytics.RankByQuality,
}

// RankTrades ranks the trades of a sorted query from the cached columns, as
// [tradeview.Ranker] describes. It does not know which trades are reviewed or
// belong to an import.
func (s *Service) RankTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, q tradeview.Query) (tradeview.Ranking, bool, error) {
	key, known := rankKeys[q.Sort.By]
	if !known || q.Batch != "" || q.Annotations.Reviewed.Set || len(q.Trades.Where) > 0 {
		return tradeview.Ranking{}, false, nil
	}
	if err := q.Trades.Check(); err != nil {
		return tradeview.Ranking{}, true, err
	}
	accounts, err := ledger.ResolveScope(ctx, tx, owner, q.Trades.Scope.Accounts, ledger.ToList)
	if err != nil {
		return tradeview.Ranking{}, true, err
	}
	var columns []*analytics.Columns
	for _, a := range accounts {
		data, err := s.load(ctx, tx, owner, a, false)
		if err != nil {
			return tradeview.Ranking{}, true, err
		}
		if q.Trades.Status != ledger.StatusOpen {
			columns = append(columns, data.columns.WithName(a.Name, a.Number()))
		}
		if q.Trades.Status != ledger.StatusClosed {
			columns = append(columns, data.open.WithName(a.Name, a.Number()))
		}
	}
	rows, total := analytics.RankTrades(columns, analytics.RankQuery{
		Filter: listFilter(q), Key: key, Down: q.Sort.Down, Limit: q.Trades.Limit, After: toPosition(*q.Sort),
	})
	ranking := tradeview.Ranking{Trades: make([]ledger.RankedTrade, len(rows)), Total: total}
	for i := range rows {
		ranking.Trades[i] = toRankedTrade(&rows[i])
	}
	return ranking, true, nil
}

// listFilter returns the filter of a list. The status selects columns instead.
func listFilter(q tradeview.Query) analytics.Filter {
	f := NewFilter(q)
	// Lists compare whole microseconds.
	if from := f.Period.From; from != nil {
		whole := from.Truncate(time.Microsecond)
		f.Period.From = &whole
	}
	return f
}

// NewFilter returns the filter of a query for trades, without its status.
func NewFilter(q tradeview.Query) analytics.Filter {
	trades := q.Trades
	f := analytics.Filter{Period: trades.Scope.Period, Setups: q.Annotations.Setups, Tags: q.Annotations.Tags}
	for _, symbol := range trades.Symbols {
		f.Symbols = append(f.Symbols, strings.ToUpper(strings.TrimSpace(symbol)))
	}
	if trades.Basis == ledger.ByOpening {
		f.Basis = analytics.ByOpening
	}
	switch trades.Direction {
	case matching.Long:
		f.Sides = []analytics.Side{analytics.Long}
	case matching.Short:
		f.Sides = []analytics.Side{analytics.Short}
	}
	if trades.InstrumentType != "" {
		f.InstrumentTypes = []string{strings.ToLower(trades.InstrumentType)}
	}
	return f
}

// toPosition returns the position after which a list continues, nil if it begins.
func toPosition(order ledger.Sort) *analytics.RankPosition {
	if order.After == nil {
		return nil
	}
	return &analytics.RankPosition{
		Number: order.After.Number, Text: order.After.Text,
		ComparePlace: func(r *analytics.RankedRow) int {
			place := toPlace(r)
			return place.Compare(&order.After.Place, order.Basis())
		},
	}
}

func toRankedTrade(r *analytics.RankedRow) ledger.RankedTrade {
	return ledger.RankedTrade{ID: r.ID(), Number: r.Number, Text: r.Text, Place: toPlace(r)}
}

func toPlace(r *analytics.RankedRow) ledger.TradeCursor {
	name, number := r.Account()
	return ledger.TradeCursor{
		ListedAt: r.ListedAt(), OpenedAt: r.OpenedAt(), ClosedAt: r.ClosedAt(), Instrument: r.Instrument(), Account: name,
		External: r.External(), Arrival: r.Arrival(), AccountNumber: number,
	}
}
