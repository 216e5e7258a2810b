package excursions

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/programs"
)

// LoadOpenProfit returns what bars say about the open profit and loss of an account's
// trades. Left out are open trades, and those whose bars do not cover the whole holding time
// or have quotes of the other side. It is a step; see [Service.Refresh].
func LoadOpenProfit(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, ids []journal.TradeID,
) (map[journal.TradeID]programs.Excursion, error) {
	const few = 1000
	var found map[journal.TradeID]Result
	var err error
	if len(ids) > few {
		found, err = LoadAccount(ctx, tx, owner, account)
	} else {
		found, err = Load(ctx, tx, owner, ids)
	}
	if err != nil {
		return nil, err
	}
	out := make(map[journal.TradeID]programs.Excursion, len(found))
	for id, r := range found {
		if !r.IsAvailable() || !r.IsWhole() || r.IsOtherSide || !r.GrossAtExit.Valid {
			continue
		}
		zero := decimal.Zero
		out[id] = programs.Excursion{
			LossLow: decimal.Max(r.MAE.Low, zero), LossHigh: decimal.Max(r.MAE.High, zero),
			ProfitLow: decimal.Max(r.MFE.Low, zero), ProfitHigh: decimal.Max(r.MFE.High, zero),
		}
	}
	return out, nil
}
