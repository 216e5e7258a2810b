package excursions_test

import (
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
)

// TestMark has several series: the bar that ended latest is the mark, whatever its
// length. An unfinished bar does not count, and for bars with the same end the price kind
// decides.
func TestMark(t *testing.T) {
	t.Parallel()
	const hour, day = 3600, 24 * 3600
	key := func(secs int64, kind market.PriceKind) bars.Key {
		return bars.Key{Symbol: "BTCUSD", Secs: secs, PriceKind: kind}
	}
	bar := func(seconds, price int64) market.Bar {
		return market.Bar{Time: monday + seconds, Open: price, High: price, Low: price, Close: price}
	}
	tests := []struct {
		name     string
		quantity int64
		stored   map[bars.Key][]market.Bar
		want     string
	}{
		{"a day that has not ended", 1, map[bars.Key][]market.Bar{
			key(day, market.TradePrice):    {bar(0, 10_000), bar(day, 10_100)},
			key(minute, market.TradePrice): {bar(day+hour, 10_200)},
		}, "102 2025-10-21 01:01"},
		{"a day that ended last", 1, map[bars.Key][]market.Bar{
			key(day, market.TradePrice):    {bar(0, 10_000)},
			key(minute, market.TradePrice): {bar(22*hour, 10_200)},
		}, "100 2025-10-21 00:00"},
		{"the price of trades first", 1, map[bars.Key][]market.Bar{
			key(minute, market.BidPrice):   {bar(day, 10_100)},
			key(minute, market.TradePrice): {bar(day, 10_200)},
			key(minute, market.AskPrice):   {bar(day, 10_300)},
		}, "102 2025-10-21 00:01"},
		{"the bid of a long position", 1, map[bars.Key][]market.Bar{
			key(minute, market.BidPrice): {bar(day, 10_100)},
			key(minute, market.AskPrice): {bar(day, 10_300)},
		}, "101 2025-10-21 00:01"},
		{"the ask of a short position", -1, map[bars.Key][]market.Bar{
			key(minute, market.BidPrice): {bar(day, 10_100)},
			key(minute, market.AskPrice): {bar(day, 10_300)},
		}, "103 2025-10-21 00:01"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(f fixture) {
				for key, list := range test.stored {
					f.commit(key, market.AroundTheClock, list)
				}
				f.addFills(newFill(hour, test.quantity, "100"))
				id := f.trades()[0].ID
				found, err := f.excursions.Value(f.ctx, f.owner, at(day+2*hour), []journal.TradeID{id})
				f.must(err)
				mark := found[id].Mark
				if mark == nil {
					f.Fatal("there is no mark")
				}
				if got := mark.Price.String() + " " + mark.At.Format("2006-01-02 15:04"); got != test.want {
					f.Errorf("the mark is %s, not %s", got, test.want)
				}
			})
		})
	}
}
