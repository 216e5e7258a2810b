package excursions_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
)

// TestValueDays compares open trades' results at day ends with a slow computation from
// fills and bars. Some days have no bars and no result.
func TestValueDays(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		random := rand.New(rand.NewPCG(5, 6)) // no secret
		const days, secs = 40, 300
		var list []market.Bar
		for d := range int64(days) {
			if d < 12 || d >= 20 {
				list = append(list, randomBars(random, at(d*24*3600).Unix(), 288-int(d%5), secs)...)
			}
		}
		f.commit(bars.Key{Symbol: "BTCUSD", Secs: secs, PriceKind: market.TradePrice}, market.AroundTheClock, list)
		now := at(days*24*3600 - 5000)
		lots := make([][]ledger.NewFill, 6)
		var all []ledger.NewFill
		for lot := range lots {
			held, second := int64(0), random.Int64N(5*24*3600)
			for range 6 {
				quantity := 1 + random.Int64N(3)
				if held > 0 && random.IntN(2) == 0 {
					quantity = -held
				}
				fill := newFill(second, quantity, decimal.FromScaled(9_000+random.Int64N(2_000), 2).String())
				fill.Details = map[string]string{"lot": fmt.Sprint(lot)}
				lots[lot], all = append(lots[lot], fill), append(all, fill)
				held, second = held+quantity, second+1+random.Int64N(6*24*3600)
			}
		}
		f.must(f.db.Update(f.ctx, func(tx *db.Tx) error {
			_, err := f.ledger.InsertFills(f.ctx, tx, f.owner, f.account, "", all)
			return err
		}))
		var ids []journal.TradeID
		for _, trade := range f.trades() {
			ids = append(ids, trade.ID)
		}
		got, err := f.excursions.ValueDays(f.ctx, f.owner, now, ids)
		f.must(err)
		known := 0
		for i, day := range got {
			if i+1 < len(got) && day.At.Unix()%(24*3600) != 0 || i+1 == len(got) && !day.At.Equal(now) {
				f.Errorf("%s is not the end of a day", day.At)
			}
			want := slowValue(lots, list, secs, day.At)
			if !day.Result.Equal(want) {
				f.Errorf("at %s the result is %s, not %s", day.At, day.Result, want)
			}
			if want.Valid && !want.Decimal.IsZero() {
				known++
			}
		}
		if known < 15 || known == len(got) {
			f.Errorf("%d of %d days have a result", known, len(got))
		}
	})
}

// slowValue returns the total result for lots open at an instant.
func slowValue(lots [][]ledger.NewFill, list []market.Bar, secs int64, at time.Time) decimal.Null {
	var price decimal.Null
	for _, bar := range list {
		if day := (at.Unix() - 1) / 86400; bar.Time+secs <= at.Unix() && bar.Time/86400 == day {
			price = decimal.Of(decimal.FromScaled(bar.Close, 2))
		}
	}
	sum := decimal.Of(decimal.Zero)
	for _, lot := range lots {
		var held, paid decimal.Decimal
		for _, fill := range lot {
			if !fill.ExecutedAt.Before(at) {
				continue
			}
			quantity := fill.Quantity
			if fill.Side == "sell" {
				quantity = quantity.Neg()
			}
			held, paid = held.Add(quantity), paid.Add(quantity.Mul(fill.Price))
			if held.IsZero() {
				paid = decimal.Zero
			}
		}
		switch {
		case held.IsZero():
		case !price.Valid:
			return decimal.Null{}
		default:
			sum.Decimal = sum.Decimal.Add(held.Mul(price.Decimal).Sub(paid))
		}
	}
	return sum
}

// TestValueDaysOverWeekend holds a share over a weekend and a day without bars: Friday's
// close counts until Monday, and Monday without bars has no result.
func TestValueDaysOverWeekend(t *testing.T) {
	t.Parallel()
	const day = 24 * 3600
	eachEngine(t, func(f fixture) {
		for _, d := range []int64{3, 4, 8} { // Thursday, Friday and Tuesday
			list := []market.Bar{{Time: monday + d*day + 15*3600, Open: 11_000 + d, High: 11_000 + d, Low: 11_000 + d, Close: 11_000 + d}}
			f.commit(bars.Key{Symbol: "GE", Secs: 3600, PriceKind: market.TradePrice}, market.USStocks, list)
			f.commit(bars.Key{Symbol: "DE40", Secs: 3600, PriceKind: market.TradePrice}, market.AroundTheClock, list)
		}
		for symbol, instrument := range map[string]string{"GE": "stock", "DE40": "cfd"} {
			for _, fill := range []ledger.NewFill{newFill(3*day+16*3600, 1, "100"), newFill(9*day+16*3600, -1, "100")} {
				fill.Symbol, fill.InstrumentType = symbol, instrument
				f.addFills(fill)
			}
		}
		for _, trade := range f.trades() {
			got, err := f.excursions.ValueDays(f.ctx, f.owner, at(20*day), []journal.TradeID{trade.ID})
			f.must(err)
			var results []string
			for _, d := range got {
				results = append(results, d.At.Format("Mon ")+d.Result.String())
			}
			want := "[Fri 10.03 Sat 10.04 Sun 10.04 Mon 10.04 Tue null Wed 10.08]"
			if text := fmt.Sprint(results); text != want {
				f.Errorf("%s: the days are %s, not %s", trade.Instrument.Symbol, text, want)
			}
		}
	})
}
