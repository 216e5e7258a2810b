package bars_test

import (
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// TestReferenceRatesAreNoPrices stores reference rates beside prices for the same symbol.
func TestReferenceRatesAreNoPrices(t *testing.T) {
	t.Parallel()
	rates := bars.Key{Symbol: "EURUSD", Secs: market.ReferenceSecs, PriceKind: market.ReferencePrice}
	of := instruments.Priced{Symbol: "EURUSD", Type: instruments.TypeForex}
	eachEngine(t, func(f fixture) {
		commit := func(key bars.Key, price int64) bars.Import {
			bar := market.Bar{Time: monday, Open: price, High: price, Low: price, Close: price}
			done, _, err := f.service.Commit(f.Context(), f.owner, bars.NewImport{FileName: "file", Layout: "layout", Series: []bars.NewSeries{{
				Key: key, VolumeKind: market.NoVolume, Blocks: market.SplitBlocks(market.Block{Secs: key.Secs, PriceScale: 4, Bars: []market.Bar{bar}}),
			}}})
			f.must(err)
			return done
		}
		check := func(when string, matches int, change int64) {
			f.Helper()
			f.must(f.db.View(f.Context(), func(tx *db.Tx) error {
				lookup, err := bars.LoadLookup(f.Context(), tx, f.owner)
				if err != nil {
					return err
				}
				if got := lookup.Find(of, testClock()); len(got) != matches || matches > 0 && got[0].PriceKind != market.BidPrice {
					f.Errorf("%s: found %+v", when, got)
				}
				if lookup.Has(of) != (matches > 0) {
					f.Errorf("%s: has prices", when)
				}
				if last, err := bars.LastChange(f.Context(), tx, f.owner); err != nil || last != change {
					f.Errorf("%s: the last change is %d, want %d: %v", when, last, change, err)
				}
				return nil
			}))
			to := int64(monday + market.ReferenceSecs)
			for _, kind := range []market.PriceKind{"", market.ReferencePrice} {
				window, err := f.service.Window(f.Context(), f.owner, bars.WindowQuery{Of: of, PriceKind: kind, To: &to, MaxPoints: 10})
				f.must(err)
				if got := len(window.Bars); got != matches && kind == "" || got != 0 && kind != "" {
					f.Errorf("%s: a chart of %q has %d bars", when, kind, got)
				}
			}
		}
		reversed := commit(rates, 11012)
		check("rates only", 0, 0)
		commit(bars.Key{Symbol: "EURUSD", Secs: minute, PriceKind: market.BidPrice}, 10999)
		check("rates and prices", 1, 1)
		commit(rates, 11013)
		check("other rates", 1, 1)
		f.must(f.service.Reverse(f.Context(), f.owner, reversed.ID))
		check("rates reversed", 1, 1)

		var series bars.Series
		f.must(f.db.View(f.Context(), func(tx *db.Tx) error {
			lookup, err := bars.LoadLookup(f.Context(), tx, f.owner)
			if err != nil {
				return err
			}
			stored, ok := lookup.FindKey(rates, monday)
			if !ok || stored.Key != rates || stored.Bars != 1 {
				f.Errorf("the series of a file is %+v", stored)
			}
			if other, ok := lookup.FindKey(bars.Key{Symbol: "EURUSD", Secs: market.ReferenceSecs, PriceKind: market.BidPrice}, monday); ok {
				f.Errorf("daily prices continue %+v", other)
			}
			found := false
			if series, found, err = bars.FindReference(f.Context(), tx, f.owner, "USD"); err != nil || !found {
				f.Errorf("no rates of USD: %v", err)
			}
			if _, found, err := bars.FindReference(f.Context(), tx, f.owner, "GBP"); err != nil || found {
				f.Errorf("rates of GBP: %v", err)
			}
			return nil
		}))
		f.must(f.service.DeleteSeries(f.Context(), f.owner, series.ID))
		check("rates deleted", 1, 1)
	})
}

func TestCheckOfReferenceRates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		symbol string
		secs   int64
		isGood bool
	}{{"EURUSD", 86400, true}, {"EURUSD", 60, false}, {"USDEUR", 86400, false}, {"EUREUR", 86400, false}, {"EURUSDT", 86400, false}} {
		n := bars.NewSeries{Key: bars.Key{Symbol: c.symbol, Secs: c.secs, PriceKind: market.ReferencePrice}, VolumeKind: market.NoVolume}
		if err := n.Check(); (err == nil) != c.isGood {
			t.Errorf("%s %s: %v", c.symbol, time.Duration(c.secs)*time.Second, err)
		}
	}
}
