package rates

import (
	"context"
	"hash/maphash"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
)

// Load reads the rates needed between some currencies on a range of days. It runs inside a
// transaction.
func Load(ctx context.Context, tx *db.Tx, owner journal.UserID, currencies []string, days DayRange) (*Table, error) {
	stored, err := List(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	typed := make([]Typed, len(stored))
	for i := range stored {
		typed[i] = stored[i].Typed
		currencies = append(currencies, typed[i].Base, typed[i].Quote)
	}
	published, read := map[string]map[journal.Day]Value{}, map[string]bool{market.ReferenceBase: true}
	for _, currency := range currencies {
		if read[currency] {
			continue
		}
		read[currency] = true
		values, found, err := loadPublished(ctx, tx, owner, currency, days)
		if err != nil {
			return nil, err
		}
		if found {
			published[currency] = values
		}
	}
	return NewTable(published, typed), nil
}

// loadPublished reads a currency's reference rates. found reports whether it has a series.
func loadPublished(
	ctx context.Context, tx *db.Tx, owner journal.UserID, currency string, days DayRange,
) (values map[journal.Day]Value, found bool, err error) {
	series, found, err := bars.FindReference(ctx, tx, owner, currency)
	if err != nil || !found {
		return nil, false, err
	}
	within := market.Range{From: days.From.AddDays(-LookBack).Time().Unix(), To: days.To.AddDays(1).Time().Unix()}
	block, err := bars.Read(ctx, tx, owner, series, within)
	if err != nil {
		return nil, false, err
	}
	coverage, err := bars.ReadCoverage(ctx, tx, owner, series)
	values = make(map[journal.Day]Value, len(block.Bars))
	for _, bar := range block.Bars {
		if bar.Close <= 0 {
			continue // a backup not written by Fillbook
		}
		source, _ := coverage.Source(market.Range{From: bar.Time, To: bar.Time + series.Secs})
		values[journal.DayOf(time.Unix(bar.Time, 0).UTC())] = Value{Value: decimal.FromScaled(bar.Close, block.PriceScale), Source: source}
	}
	return values, true, err
}

var versionSeed = maphash.MakeSeed()

// Version returns a number that differs between tables with different rates, for keys of
// caches in this process.
func (t *Table) Version() uint64 {
	var sum uint64 // of the entries in any order
	for currency, values := range t.published {
		sum += maphash.String(versionSeed, currency)
		for day, value := range values {
			sum += maphash.String(versionSeed, currency+string(day)+value.Value.String()+value.Source)
		}
	}
	for _, list := range t.typed {
		for _, r := range list {
			sum += maphash.String(versionSeed, r.Base+"/"+r.Quote+string(r.On)+r.Rate.String())
		}
	}
	return sum
}
