package rates

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
)

// Load reads the values for some currencies needed for a day's rate. It runs inside a
// transaction.
func Load(ctx context.Context, tx *db.Tx, owner journal.UserID, currencies []string, day journal.Day) (Table, error) {
	within := market.Range{From: day.AddDays(-LookBack).Time().Unix(), To: day.AddDays(1).Time().Unix()}
	table := Table{}
	for _, currency := range currencies {
		if table[currency] != nil || currency == market.ReferenceBase {
			continue
		}
		table[currency] = map[journal.Day]Value{}
		series, found, err := bars.FindReference(ctx, tx, owner, currency)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		block, err := bars.Read(ctx, tx, owner, series, within)
		if err != nil {
			return nil, err
		}
		coverage, err := bars.ReadCoverage(ctx, tx, owner, series)
		if err != nil {
			return nil, err
		}
		for _, bar := range block.Bars {
			if bar.Close <= 0 {
				continue // a backup not written by Fillbook
			}
			source, _ := coverage.Source(market.Range{From: bar.Time, To: bar.Time + series.Secs})
			table[currency][journal.DayOf(time.Unix(bar.Time, 0).UTC())] = Value{
				Value: decimal.FromScaled(bar.Close, block.PriceScale), Source: source,
			}
		}
	}
	return table, nil
}
