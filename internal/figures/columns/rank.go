package columns

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/tradefilter"
)

// rankKeys are the list keys in package analytics.
var rankKeys = map[ledger.SortKey]analytics.RankKey{
	ledger.SortListedAt: analytics.RankByListing, ledger.SortOpenedAt: analytics.RankByOpening, ledger.SortClosedAt: analytics.RankByClosing, ledger.SortSymbol: analytics.RankBySymbol,
	ledger.SortNetPnL: analytics.RankByNet, ledger.SortReturnPct: analytics.RankByReturn, ledger.SortTimeHeld: analytics.RankByHoldingTime,
	ledger.SortQtyOpened: analytics.RankByQuantity, ledger.SortEntryPrice: analytics.RankByEntryPrice, ledger.SortExitPrice: analytics.RankByExitPrice,
	ledger.SortR: analytics.RankByR, ledger.SortCosts: analytics.RankByCosts, ledger.SortRisk: analytics.RankByRisk,
	ledger.SortQuality: analytics.RankByQuality,
}

// RankTrades selects and ranks trades from the cached columns, as
// [tradeview.Ranker] describes.
func (s *Service) RankTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, q tradeview.Query) (tradeview.Ranking, error) {
	if err := q.Filter.Scope.Period.Check(); err != nil {
		return tradeview.Ranking{}, err
	}
	accounts, err := ledger.ResolveScope(ctx, tx, owner, q.Filter.Scope.Accounts, ledger.ListPurpose(q.Filter.Scope))
	if err != nil {
		return tradeview.Ranking{}, err
	}
	filter, err := s.newListFilter(ctx, tx, owner, accounts, q.Filter)
	if err != nil {
		return tradeview.Ranking{}, err
	}
	columns, err := s.loadListed(ctx, tx, owner, accounts, q.Filter.Status)
	if err != nil {
		return tradeview.Ranking{}, err
	}
	query := newRankQuery(q)
	query.Filter = filter
	rows, total := analytics.RankTrades(columns, query)
	ranking := tradeview.Ranking{Trades: make([]ledger.RankedTrade, len(rows)), Total: total}
	for i := range rows {
		ranking.Trades[i] = toRankedTrade(&rows[i])
	}
	return ranking, nil
}

// loadListed returns the columns for trades with a status.
func (s *Service) loadListed(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []ledger.Account, status tradefilter.Status,
) (columns []*analytics.Columns, err error) {
	for _, a := range accounts {
		data, err := s.load(ctx, tx, owner, a, extras{})
		if err != nil {
			return nil, err
		}
		if status != tradefilter.Open {
			columns = append(columns, data.columns.WithName(a.Name, a.Number()))
		}
		if status != tradefilter.Closed {
			columns = append(columns, data.open.WithName(a.Name, a.Number()))
		}
	}
	return columns, nil
}

// newRankQuery returns a query's order and bounds, without its filter. An unsorted list
// is ranked by the instant its period tests, the newest first.
func newRankQuery(q tradeview.Query) analytics.RankQuery {
	out := analytics.RankQuery{Limit: q.Limit}
	if q.Sort != nil {
		out.Key, out.Down, out.After = rankKeys[q.Sort.By], q.Sort.Down, toPosition(*q.Sort)
		return out
	}
	out.Key, out.Down = analytics.RankByListing, true
	if q.Filter.ByOpening {
		out.Key = analytics.RankByOpening
	}
	if q.After != nil {
		at, basis := q.After.ListedAt, ledger.ByClosing
		if q.Filter.ByOpening {
			at, basis = q.After.OpenedAt, ledger.ByOpening
		}
		out.After = newPosition(ledger.RankedTrade{Number: decimal.Of(decimal.New(at)), Place: *q.After}, basis)
	}
	return out
}

// toPosition returns the position after which a sorted list continues, nil if it
// begins.
func toPosition(order ledger.Sort) *analytics.RankPosition {
	if order.After == nil {
		return nil
	}
	return newPosition(*order.After, order.Basis())
}

func newPosition(after ledger.RankedTrade, basis ledger.DateBasis) *analytics.RankPosition {
	return &analytics.RankPosition{
		Number: after.Number, Text: after.Text,
		ComparePlace: func(r *analytics.RankedRow) int {
			place := toPlace(r)
			return place.Compare(&after.Place, basis)
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
