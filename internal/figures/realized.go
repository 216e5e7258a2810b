package figures

import (
	"context"

	"fillbook/internal/analytics"
	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/matching"
	"fillbook/internal/playbook"
)

// partBatchSize is the number of realized parts that are in memory as rows at a time.
const partBatchSize = 32768

// readRealized returns the columns of realized parts of an account, based on the
// columns of its closed trades. It reads only trades with several parts and open ones.
func readRealized(
	ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account, columns *analytics.Columns,
) (*analytics.Columns, error) {
	realized := columns
	waiting, parts := map[journal.TradeID]ledger.RealizedTrade{}, 0
	var batches []map[journal.TradeID]ledger.RealizedTrade
	err := ledger.EachRealizedTrade(ctx, tx, owner, a, func(r ledger.RealizedTrade) error {
		if !r.Open && len(r.Parts) < 2 {
			return nil // everything was realized when it closed
		}
		waiting[r.ID] = r
		if parts += len(r.Parts); parts >= partBatchSize {
			batches = append(batches, waiting)
			waiting, parts = map[journal.TradeID]ledger.RealizedTrade{}, 0
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, batch := range append(batches, waiting) {
		open, err := readOpenRows(ctx, tx, owner, batch)
		if err != nil {
			return nil, err
		}
		realized = realized.WithChanges(splitIntoParts(append(columns.FindTrades(realizedIDs(batch)), open...), batch), nil)
	}
	return realized, nil
}

// realizedRows returns the rows of the realized parts of some trades. The
// closed trades are given; open ones are read.
func realizedRows(
	ctx context.Context, tx *db.Tx, owner journal.UserID, closed []analytics.Trade, touched []journal.TradeID,
) ([]analytics.Trade, error) {
	list, err := ledger.RealizedTradesByID(ctx, tx, owner, touched)
	if err != nil {
		return nil, err
	}
	realized := make(map[journal.TradeID]ledger.RealizedTrade, len(list))
	for _, r := range list {
		realized[r.ID] = r
	}
	open, err := readOpenRows(ctx, tx, owner, realized)
	if err != nil {
		return nil, err
	}
	return splitIntoParts(append(open, closed...), realized), nil
}

func realizedIDs(realized map[journal.TradeID]ledger.RealizedTrade) []journal.TradeID {
	ids := make([]journal.TradeID, 0, len(realized))
	for id := range realized {
		ids = append(ids, id)
	}
	return ids
}

// readOpenRows reads the open trades among the given ones.
func readOpenRows(
	ctx context.Context, tx *db.Tx, owner journal.UserID, realized map[journal.TradeID]ledger.RealizedTrade,
) ([]analytics.Trade, error) {
	var ids []journal.TradeID
	for id, r := range realized {
		if r.Open {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	trades, err := ledger.OpenTradesByID(ctx, tx, owner, ids)
	if err != nil {
		return nil, err
	}
	annotations, err := playbook.LoadAnnotations(ctx, tx, owner, ids)
	if err != nil {
		return nil, err
	}
	rows := withAnnotations(trades, annotations)
	for i := range rows {
		rows[i].Open = true
	}
	return rows, nil
}

// splitIntoParts replaces each trade by a row for each of its realized parts. Trades
// that realized everything when they closed are unchanged.
func splitIntoParts(rows []analytics.Trade, realized map[journal.TradeID]ledger.RealizedTrade) []analytics.Trade {
	out := make([]analytics.Trade, 0, len(rows))
	for i := range rows {
		row, parts := &rows[i], realized[rows[i].ID].Parts
		if !row.Open && len(parts) < 2 {
			out = append(out, *row)
			continue
		}
		volumes := splitVolume(row, parts)
		for k, p := range parts {
			part := *row
			part.Part, part.ClosedAt = true, db.FromMicros(p.At)
			part.Net, part.Gross, part.Fees, part.Volume = p.Net(), p.Gross, p.Costs, volumes[k]
			out = append(out, part)
		}
	}
	return out
}

// splitVolume returns the volume of each part. The parts of a closed trade
// share the trade's volume in proportion, even if that is not the sum
// of theirs. If the trade's volume is unknown, all are 0.
func splitVolume(row *analytics.Trade, parts []matching.RealizedPart) []decimal.Decimal {
	volumes := make([]decimal.Decimal, len(parts))
	var sum decimal.Decimal
	for i, p := range parts {
		volumes[i] = p.Volume
		sum = sum.Add(p.Volume)
	}
	if row.Open && row.Volume.IsZero() { // an open trade with stated results has no rate
		return make([]decimal.Decimal, len(parts))
	}
	if row.Open || sum.Equal(row.Volume) || sum.IsZero() {
		return volumes
	}
	left := row.Volume
	for i := range volumes[:len(volumes)-1] {
		volumes[i] = row.Volume.Mul(volumes[i]).DivRound(sum, matching.CostScale)
		left = left.Sub(volumes[i])
	}
	volumes[len(volumes)-1] = left
	return volumes
}
