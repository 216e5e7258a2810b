package columns

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/tradefilter"
)

// partBatchSize is how many realized parts are in memory as rows at a time.
const partBatchSize = 32768

// readRealized returns an account's columns with realized parts, based on its other
// columns. It reads the fills for open trades and trades with several parts.
func readRealized(ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account, data *accountData) (*analytics.Columns, error) {
	realized := data.columns
	waiting, parts := map[journal.TradeID]ledger.RealizedTrade{}, 0
	flush := func() {
		ids := slices.Collect(maps.Keys(waiting))
		rows := slices.Concat(data.columns.FindTrades(ids), data.open.FindTrades(ids))
		realized = realized.WithChanges(splitIntoParts(rows, waiting), nil)
		waiting, parts = map[journal.TradeID]ledger.RealizedTrade{}, 0
	}
	err := ledger.EachRealizedTrade(ctx, tx, owner, a, func(r ledger.RealizedTrade) error {
		if !r.Open && len(r.Parts) < 2 {
			return nil // everything was realized when it closed
		}
		waiting[r.ID] = r
		if parts += len(r.Parts); parts >= partBatchSize {
			flush()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	flush()
	return realized, nil
}

// realizedRows returns the realized parts for touched trades, which are given as rows.
func realizedRows(
	ctx context.Context, tx *db.Tx, owner journal.UserID, rows []analytics.Trade, touched []journal.TradeID,
) ([]analytics.Trade, error) {
	list, err := ledger.RealizedTradesByID(ctx, tx, owner, touched)
	if err != nil {
		return nil, err
	}
	realized := make(map[journal.TradeID]ledger.RealizedTrade, len(list))
	for _, r := range list {
		realized[r.ID] = r
	}
	return splitIntoParts(rows, realized), nil
}

// splitIntoParts replaces each trade by a row for each realized part. Trades that
// realized everything when they closed are unchanged.
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

// splitVolume returns each part's volume. A closed trade's parts share its volume in
// proportion, even if it is not their sum. If the trade's volume is unknown, all are 0.
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

// SelectTrades returns a function that reports whether a trade passes a filter's status
// and conditions, whatever its period; nil means all do. It is a step.
func (s *Service) SelectTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, f tradefilter.Filter) (func(journal.TradeID) bool, error) {
	if f.Status == "" && f.Conditions.IsEmpty() {
		return nil, nil
	}
	accounts, err := ledger.ResolveScope(ctx, tx, owner, f.Scope.Accounts, ledger.ListPurpose(f.Scope))
	if err != nil {
		return nil, err
	}
	f.Scope.Period = journal.Period{}
	filter, err := s.newListFilter(ctx, tx, owner, accounts, f)
	if err != nil {
		return nil, err
	}
	columns, err := s.loadListed(ctx, tx, owner, accounts, f.Status)
	return analytics.SelectIDs(columns, filter).Has, err
}
