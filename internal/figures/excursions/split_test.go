package excursions_test

import (
	"strings"
	"testing"

	"fillbook/internal/figures/excursions"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
)

// sessionBars returns the minutes in an American session at one price, some days after
// Monday.
func sessionBars(days, price int64) []market.Bar {
	return flat(days*24*60*minute+(13*60+30)*minute, 390, price)
}

func stockFill(days, quantity int64, price string) ledger.NewFill {
	n := newFill(days*24*60*minute+(19*60+30)*minute, quantity, price)
	n.Symbol, n.InstrumentType = "AAPL", "stock"
	return n
}

// TestSplit: a trade held over a split has no excursion from unadjusted bars, and the
// message says when the price jumped.
func TestSplit(t *testing.T) {
	t.Parallel()
	shares := bars.Key{Symbol: "AAPL", Secs: minute, PriceKind: market.TradePrice}
	calendar := bars.CalendarOf("stock", "AAPL")
	for name, c := range map[string]struct {
		days   map[int64]int64 // prices by day
		closed ledger.NewFill
		want   string
	}{
		"four for one":    {map[int64]int64{0: 40_000, 1: 10_100}, stockFill(1, -10, "101"), "maybe_split"},
		"one for ten":     {map[int64]int64{0: 40_000, 1: 396_000}, stockFill(1, -10, "3960"), "maybe_split"},
		"still open":      {map[int64]int64{0: 40_000, 1: 20_100}, ledger.NewFill{}, "maybe_split"},
		"a fall":          {map[int64]int64{0: 40_000, 1: 35_000}, stockFill(1, -10, "350"), ""},
		"a split after":   {map[int64]int64{0: 40_000, 1: 40_000, 2: 20_000}, stockFill(1, -10, "400"), ""},
		"no bar of entry": {map[int64]int64{1: 20_000, 2: 20_000, 3: 20_000, 4: 20_000, 7: 20_000, 8: 20_000, 9: 20_000, 10: 20_000, 11: 20_000}, stockFill(11, -10, "200"), "maybe_split"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(f fixture) {
				for days, price := range c.days {
					f.commit(shares, calendar, sessionBars(days, price))
				}
				f.addFills(stockFill(0, 10, "400"))
				if c.closed.Symbol != "" {
					f.addFills(c.closed)
				}
				r := f.measure(f.trades()[0].ID)
				if string(r.Reason) != c.want || c.want == "" && !r.IsExact(r.MAE) {
					f.Errorf("the result is %s, not %s", describe(r), c.want)
				}
				if c.want == string(excursions.MaybeSplit) && !strings.Contains(r.Sentence(), "It jumped between 2025-") {
					f.Errorf("the message is %q", r.Sentence())
				}
				if _, isKept := f.kept()[f.trades()[0].ID]; isKept != (c.want == "") {
					f.Error("a result without a figure is kept, or one with it is not")
				}
				f.must(f.excursions.Check(f.ctx, f.owner, func(problem string) { f.Error(problem) }))
			})
		})
	}
}

// TestOtherSide: a short position is closed at the ask and a long one at the bid, so bars
// from the other side do not say exactly what it would have brought.
func TestOtherSide(t *testing.T) {
	t.Parallel()
	for kind, isExact := range map[market.PriceKind]map[int64]bool{
		market.BidPrice:   {1: true, -1: false},
		market.AskPrice:   {1: false, -1: true},
		market.TradePrice: {1: true, -1: true},
	} {
		for quantity, want := range isExact {
			t.Run(string(kind), func(t *testing.T) {
				t.Parallel()
				eachEngine(t, func(f fixture) {
					f.commit(bars.Key{Symbol: "BTCUSD", Secs: minute, PriceKind: kind}, market.AroundTheClock, flat(0, 10, 10_000))
					f.addFills(newFill(60, quantity, "100"), newFill(240, -quantity, "100"))
					id := f.trades()[0].ID
					for name, r := range map[string]excursions.Result{"measured": f.measure(id), "kept": f.kept()[id]} {
						if !r.IsAvailable() || r.IsExact(r.MAE) != want || r.IsExact(r.MFE) != want {
							f.Errorf("the %s result of %d units is exact: %v, not %v", name, quantity, r.IsExact(r.MAE), want)
						}
					}
					f.must(f.excursions.Check(f.ctx, f.owner, func(problem string) { f.Error(problem) }))
				})
			})
		}
	}
}
