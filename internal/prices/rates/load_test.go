package rates_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/rates"
	"fillbook/internal/testkit"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	const day = journal.Day("2026-03-10")
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		owner, _ := testkit.NewUser(t, d)
		other, _ := testkit.NewUser(t, d)
		service := bars.New(d, day.Time, 1000, nil)
		// add stores values with four decimals as an import.
		add := func(owner journal.UserID, layout, currency string, days map[journal.Day]int64) {
			block := market.Block{Secs: market.ReferenceSecs, PriceScale: 4}
			for at := day.AddDays(-20); at <= day.AddDays(5); at = at.AddDays(1) {
				if n, ok := days[at]; ok {
					block.Bars = append(block.Bars, market.Bar{Time: at.Time().Unix(), Open: n, High: n, Low: n, Close: n})
				}
			}
			_, _, err := service.Commit(t.Context(), owner, bars.NewImport{FileName: "file", Layout: layout, Series: []bars.NewSeries{{
				Key: bars.Key{Symbol: "EUR" + currency, Secs: market.ReferenceSecs, PriceKind: market.ReferencePrice}, VolumeKind: market.NoVolume,
				Blocks: market.SplitBlocks(block),
			}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		add(owner, "file", "USD", map[journal.Day]int64{"2026-03-02": 10900, "2026-03-03": 11000, "2026-03-09": 11012, "2026-03-11": 11111})
		add(owner, "web", "USD", map[journal.Day]int64{"2026-03-09": 11013, "2026-03-10": 0})
		add(other, "file", "GBP", map[journal.Day]int64{"2026-03-09": 8700})
		var table rates.Table
		err := d.View(t.Context(), func(tx *db.Tx) (err error) {
			table, err = rates.Load(t.Context(), tx, owner, []string{"USD", "GBP", "EUR", "USD"}, day)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want := rates.Table{
			"USD": {
				"2026-03-03": {Value: decimal.Must("1.1"), Source: "file"},
				"2026-03-09": {Value: decimal.Must("1.1013"), Source: "web"},
			},
			"GBP": {},
		}
		if diff := cmp.Diff(want, table); diff != "" {
			t.Error(diff)
		}
	})
}
