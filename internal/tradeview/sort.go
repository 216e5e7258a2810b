package tradeview

import (
	"context"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/playbook"
)

// Keys whose values need annotations, or more than one column of a trade.
const (
	SortR       ledger.SortKey = "r_multiple"
	SortRisk    ledger.SortKey = "initial_risk"
	SortQuality ledger.SortKey = "trade_quality"
	SortCosts   ledger.SortKey = "fees_total"
)

// SortKeys returns everything that trades can be sorted by.
func SortKeys() []ledger.SortKey {
	return []ledger.SortKey{
		ledger.SortOpenedAt, ledger.SortClosedAt, ledger.SortSymbol, ledger.SortNetPnL, ledger.SortReturnPct, SortR, ledger.SortTimeHeld,
		ledger.SortQtyOpened, ledger.SortEntryPrice, ledger.SortExitPrice, SortCosts, SortRisk, SortQuality,
	}
}

// Ranking is the order of the trades of a query.
type Ranking struct {
	Trades []ledger.RankedTrade
	// Total is the number of trades without the limit and the cursor.
	Total int
}

// Ranker selects and ranks the trades of a query in the caller's snapshot, faster
// than the database, and by any filter.
type Ranker func(ctx context.Context, tx *db.Tx, owner journal.UserID, q Query) (Ranking, error)

// rankInDatabase reads the values of all trades of a query and sorts them. Only
// tests use it, to check the ranker.
func rankInDatabase(ctx context.Context, tx *db.Tx, owner journal.UserID, q Query) ([]ledger.RankedTrade, error) {
	order, err := addValues(ctx, tx, owner, *q.Sort)
	if err != nil {
		return nil, err
	}
	return ledger.RankTrades(ctx, tx, owner, q.ledgerQuery(owner), order)
}

// eachRanked reads ranked trades part by part.
func (r *reader) eachRanked(ranked []ledger.RankedTrade, fn func(*View) error) error {
	if len(ranked) > fewTrades {
		if err := r.loadFew(); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(ranked, ChunkSize) {
		ids := make([]journal.TradeID, len(part))
		for i := range part {
			ids[i] = part[i].ID
		}
		views, err := r.readMany(ids)
		if err != nil {
			return err
		}
		for i := range views { // one for each rank: all are read from one snapshot
			views[i].Rank = part[i]
		}
		if err := callEach(views, fn); err != nil {
			return err
		}
	}
	return nil
}

// addValues sets the function of an order for values that the ledger does not
// have.
func addValues(ctx context.Context, tx *db.Tx, owner journal.UserID, order ledger.Sort) (ledger.Sort, error) {
	switch order.By {
	case SortCosts:
		order.Of = func(f ledger.SortFigures) decimal.Null { return decimal.Of(f.Fees.Add(f.Commission)) }
		return order, nil
	case SortR, SortRisk, SortQuality:
	default:
		return order, nil
	}
	stored, err := playbook.LoadRiskAndQuality(ctx, tx, owner)
	order.Of = func(f ledger.SortFigures) decimal.Null {
		annotations, annotated := stored[f.Trade]
		if !annotated {
			return decimal.Null{}
		}
		return sortValue(order.By, f, annotations)
	}
	return order, err
}

func sortValue(by ledger.SortKey, f ledger.SortFigures, annotations playbook.Annotations) decimal.Null {
	if by == SortQuality {
		if annotations.TradeQuality == 0 {
			return decimal.Null{}
		}
		return decimal.Of(decimal.New(int64(annotations.TradeQuality)))
	}
	derived := playbook.Derive(playbook.Figures{
		Long: f.Long, EntryNotional: f.EntryNotional, EntrySize: f.EntrySize, Rate: f.Rate, NetPnL: f.NetPnL,
	}, annotations)
	if by == SortRisk {
		return derived.InitialRisk
	}
	return derived.RMultiple
}
