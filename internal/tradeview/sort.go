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

// eachSorted ranks all trades of a query and then reads them part by part.
func (r *reader) eachSorted(q ledger.TradeQuery, order ledger.Sort, fn func(*View) error) error {
	order, err := addValues(r.ctx, r.tx, r.owner, order)
	if err != nil {
		return err
	}
	ranked, err := ledger.RankTrades(r.ctx, r.tx, r.owner, q, order)
	if err != nil {
		return err
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
