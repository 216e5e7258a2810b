package barimport

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// FillsOf returns the owner's fills in an instrument during a period, with a known
// instant, in order. It runs inside a transaction; see [bars.FillsOf].
func FillsOf(ctx context.Context, tx *db.Tx, owner journal.UserID, of instruments.Priced, within market.Range) (fills []market.Fill, err error) {
	traded, err := ledger.TradedInstruments(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	at := time.Unix(within.To, 0).UTC()
	own, _ := of.PriceKeys(at)
	var numbers []int64
	for _, t := range traded {
		if key, _ := toPriced(t.Instrument).PriceKeys(at); key == own {
			numbers = append(numbers, t.Number)
		}
	}
	list, err := ledger.FillPrices(ctx, tx, owner, numbers, within.From*micros, within.To*micros)
	for _, f := range list {
		if f.HasPreciseTime() {
			fills = append(fills, market.Fill{At: f.At, Price: f.Price})
		}
	}
	return fills, err
}
