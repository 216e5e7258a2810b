package backup

import (
	"bytes"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
)

func (h *fixture) bars() *bars.Service { return bars.New(h.db, h.clock.Now, bars.DefaultLimit, nil) }

func (h *fixture) exportBars(t failer, owner journal.UserID, with bool) string {
	t.Helper()
	var out bytes.Buffer
	must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
		return WriteJSON(h.ctx(), tx, owner, Scope{At: h.clock.Now(), Bars: with}, &out)
	}))
	return out.String()
}

// minutes returns bars in the given minutes at a price.
func minutes(price int64, list ...int64) (out []market.Bar) {
	for _, n := range list {
		out = append(out, market.Bar{Time: 60 * n, Open: price, High: price, Low: price, Close: price})
	}
	return out
}

func (h *fixture) storeBars(t failer, owner journal.UserID, list []market.Bar) {
	t.Helper()
	_, _, err := h.bars().Commit(h.ctx(), owner, bars.NewImport{FileName: "x", Layout: "x", Series: []bars.NewSeries{{
		Key: bars.Key{Symbol: "ESZ5", Secs: 60, PriceKind: market.TradePrice}, VolumeKind: market.NoVolume,
		Blocks: market.SplitBlocks(market.Block{Secs: 60, Bars: list}),
	}}})
	must(t, err)
}

// TestBarsAreRestored: bars are in the file if requested, and a restore adds the missing
// ones and replaces none.
func TestBarsAreRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		h.storeBars(t, from, minutes(100, 1, 2, 30_000))
		h.storeBars(t, from, minutes(101, 2, 3))
		_, err := h.bars().AddAlias(h.ctx(), from, "US500", "ESZ5")
		must(t, err)
		if plain := h.decode(t, h.exportBars(t, from, false)); len(plain.Bars) > 0 || len(plain.BarAliases) != 1 {
			t.Errorf("without being asked: %d series, %d aliases", len(plain.Bars), len(plain.BarAliases))
		}
		text := h.exportBars(t, from, true)
		h.storeBars(t, to, minutes(50, 1))
		result := h.restore(t, to, text)
		wantComplete(t, result)
		if result.Bars != 3 || result.BarAliases != 1 {
			t.Errorf("restored %d bars and %d aliases", result.Bars, result.BarAliases)
		}
		wantUnchanged(t, h.restore(t, to, text))
		must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
			list, err := bars.ListSeries(h.ctx(), tx, to)
			must(t, err)
			block, err := bars.Read(h.ctx(), tx, to, list[0], market.Range{From: 0, To: 1 << 33})
			must(t, err)
			var closes []int64
			for _, b := range block.Bars {
				closes = append(closes, b.Close)
			}
			if len(list) != 1 || len(closes) != 4 || closes[0] != 50 || closes[1] != 101 || closes[3] != 100 {
				t.Errorf("%d series with %v", len(list), closes)
			}
			// Results derived from bars read the changes: the first bars, the alias, the
			// restored bars. The second restore changed nothing.
			if last, err := bars.LastChange(h.ctx(), tx, to); err != nil || last != 3 {
				t.Errorf("the last change is %d, %v", last, err)
			}
			return bars.Check(h.ctx(), tx, to, func(what string) { t.Error(what) })
		}))
		small := h.user(t)
		result, err = h.tryRestoreWithin(2, Order{Owner: small, Document: h.decode(t, text)})
		must(t, err)
		if len(result.Errors) != 1 || result.Bars != 0 || result.BarAliases != 1 {
			t.Errorf("bars above the limit give %+v", result)
		}
		must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
			if list, err := bars.ListSeries(h.ctx(), tx, small); err != nil || len(list) > 0 {
				t.Errorf("bars above the limit leave %v, %v", list, err)
			}
			return bars.Check(h.ctx(), tx, small, func(what string) { t.Error(what) })
		}))
		damaged := h.decode(t, text)
		damaged.Bars[0].Blocks[0] = damaged.Bars[0].Blocks[0][:9]
		result, err = h.tryRestore(Order{Owner: h.user(t), Document: damaged})
		must(t, err)
		if len(result.Errors) != 1 || result.Bars != 0 {
			t.Errorf("a damaged block gives %+v", result)
		}
	})
}

// TestRatesAreRestored restores reference rates, which change no trade result.
func TestRatesAreRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		bar := market.Bar{Time: 20_000 * market.ReferenceSecs, Open: 11012, High: 11012, Low: 11012, Close: 11012}
		_, _, err := h.bars().Commit(h.ctx(), from, bars.NewImport{FileName: "x", Layout: "x", Series: []bars.NewSeries{{
			Key: bars.Key{Symbol: "EURUSD", Secs: market.ReferenceSecs, PriceKind: market.ReferencePrice}, VolumeKind: market.NoVolume,
			Blocks: market.SplitBlocks(market.Block{Secs: market.ReferenceSecs, PriceScale: 4, Bars: []market.Bar{bar}}),
		}}})
		must(t, err)
		text := h.exportBars(t, from, true)
		result := h.restore(t, to, text)
		wantComplete(t, result)
		if result.Bars != 1 {
			t.Errorf("restored %d rates", result.Bars)
		}
		wantUnchanged(t, h.restore(t, to, text))
		must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
			series, found, err := bars.FindReference(h.ctx(), tx, to, "USD")
			if err != nil || !found || series.Bars != 1 {
				t.Errorf("%+v, %v", series, err)
			}
			if last, err := bars.LastChange(h.ctx(), tx, to); err != nil || last != 0 {
				t.Errorf("the last change is %d, %v", last, err)
			}
			return bars.Check(h.ctx(), tx, to, func(what string) { t.Error(what) })
		}))
	})
}
