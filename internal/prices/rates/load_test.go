package rates_test

import (
	"fmt"
	"strings"
	"testing"

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
		typed := rates.New(d, day.Time)
		change := rates.Change{Base: journal.Some("usd"), Quote: journal.Some("TWD"), On: journal.Some("2025-01-01"), Rate: journal.Some(decimal.New(32))}
		if _, err := typed.Create(t.Context(), owner, change); err != nil {
			t.Fatal(err)
		}
		converter, err := typed.NewConverter(t.Context(), owner, []string{"USD", "GBP", "EUR", "USD", "TWD"}, "EUR", rates.DayRange{From: day, To: day})
		if err != nil {
			t.Fatal(err)
		}
		for wanted, want := range map[string]string{
			"USD 2026-03-10": "0.908017797149 2026-03-09 web", "USD 2026-03-08": "0.909090909091 2026-03-03 file", "USD 2026-03-02": "",
			"TWD 2026-03-10": "0.0283755561609 2025-01-01 typed, web", "GBP 2026-03-10": "",
		} {
			currency, on, _ := strings.Cut(wanted, " ")
			got := ""
			if rate, ok := converter.Find(currency, journal.Day(on)); ok {
				got = fmt.Sprintf("%s %s %s", rate.Rate, rate.Day, rate.Source)
			}
			if got != want {
				t.Errorf("%s is %q, want %q", wanted, got, want)
			}
		}
	})
}
