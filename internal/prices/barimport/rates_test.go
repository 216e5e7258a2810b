package barimport_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/barimport"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestRates imports a central bank's file although EURUSD fills would not fit it.
func TestRates(t *testing.T) {
	t.Parallel()
	content := "Date,USD,GBP,\n2026-03-09,1.1012,0.87,\n2026-03-06,1.1,N/A,\n2026-02-27,1.09,x,\n"
	eachEngine(t, func(f fixture) {
		_, err := f.ledger.AddExecution(f.Context(), f.owner, f.account, ledger.NewFill{
			Symbol: "EURUSD", InstrumentType: "forex", Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.Must("150"),
			ExecutedAt: journal.Day("2026-03-09").Time().Add(time.Hour),
		})
		f.must(err)
		preview := f.preview(upload("eurofxref-hist.csv", content))
		if preview.Layout != "European Central Bank" || preview.Missing != "" || preview.Rows != 3 || preview.ErrorCount != 1 || len(preview.Warnings) > 0 {
			f.Errorf("%+v", preview)
		}
		want := []bars.Key{
			{Symbol: "EURUSD", Secs: market.ReferenceSecs, PriceKind: market.ReferencePrice},
			{Symbol: "EURGBP", Secs: market.ReferenceSecs, PriceKind: market.ReferencePrice},
		}
		for i, s := range preview.Series {
			if s.Key != want[i] || s.FillsChecked != 0 || s.Proposed != nil || s.GapDays != 0 || !s.ZoneKnown || !s.StampKnown {
				f.Errorf("%+v", s)
			}
		}
		done, _, err := f.imports.Commit(f.Context(), f.owner, upload("eurofxref-hist.csv", content))
		f.must(err)
		if diff := cmp.Diff(bars.Counts{Inserted: 4}, done.Counts); diff != "" {
			f.Error(diff)
		}
		again := f.preview(upload("eurofxref-hist.csv", content))
		if again.Series[0].Overlaps != 3 || again.Series[0].Conflicts != 0 {
			f.Errorf("%+v", again.Series[0])
		}
		f.must(f.db.View(f.Context(), func(tx *db.Tx) error {
			series, found, err := bars.FindReference(f.Context(), tx, f.owner, "USD")
			if err == nil && (!found || series.Bars != 3) {
				f.Errorf("%+v", series)
			}
			return err
		}))
		one := upload("eurofxref-hist.csv", content)
		one.Symbol = "EURGBP"
		if chosen := f.preview(one); len(chosen.Series) != 1 || chosen.Series[0].Symbol != "EURGBP" {
			f.Errorf("%+v", chosen.Series)
		}
	})
}

func TestRatesRefuseOptions(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		for field, change := range map[string]func(*barimport.Upload){
			"symbol":      func(up *barimport.Upload) { up.Symbol = "EURCHF" },
			"stamp":       func(up *barimport.Upload) { up.Stamp = "close" },
			"bar_secs":    func(up *barimport.Upload) { up.BarSecs = 60 },
			"price_scale": func(up *barimport.Upload) { up.PriceScale = decimal.Of(decimal.Must("0.01")) },
		} {
			up := upload("eurofxref.csv", "Date, USD, \n09 March 2026, 1.1012, \n")
			change(&up)
			_, _, err := f.imports.Commit(f.Context(), f.owner, up)
			var refused *journal.Error
			if !errors.As(err, &refused) || refused.Details["field"] != field {
				f.Errorf("%s: %v", field, err)
			}
		}
		list, err := f.bars.ListSeries(f.Context(), f.owner)
		if err != nil || len(list) != 0 {
			f.Error(list, err)
		}
	})
}
