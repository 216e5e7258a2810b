package excursions_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

const (
	minute = 60
	// monday is the start of Monday, 20 October 2025, and of a minute block.
	monday = 1_760_918_400
)

// fixture is a user with an account on one engine.
type fixture struct {
	testing.TB
	ctx        context.Context
	db         *db.DB
	ledger     *ledger.Service
	bars       *bars.Service
	excursions *excursions.Service
	owner      journal.UserID
	account    journal.AccountID
}

func newFixture(t testing.TB, d *db.DB) fixture {
	t.Helper()
	clock := func() time.Time { return time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC) }
	owner, _ := testkit.NewUser(t, d)
	f := fixture{
		TB: t, ctx: context.Background(), db: d, owner: owner,
		ledger: ledger.New(d, clock, nil), bars: bars.New(d, clock, 100_000_000, nil), excursions: excursions.New(d),
	}
	account, err := f.ledger.CreateAccount(f.ctx, owner, ledger.NewAccount{Name: "main"})
	f.must(err)
	f.account = account.ID
	return f
}

func eachEngine(t *testing.T, fn func(f fixture)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(newFixture(t, d)) })
}

func (f fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// at returns an instant some seconds after Monday.
func at(seconds int64) time.Time { return time.Unix(monday+seconds, 0).UTC() }

// newFill returns a fill in BTCUSD, which trades around the clock. quantity is negative
// if sold.
func newFill(seconds, quantity int64, price string) ledger.NewFill {
	n := ledger.NewFill{
		Symbol: "BTCUSD", InstrumentType: "crypto", Side: matching.Buy, Quantity: decimal.New(max(quantity, -quantity)),
		Price: decimal.Must(price), ExecutedAt: at(seconds), AllowDuplicate: true,
	}
	if quantity < 0 {
		n.Side = matching.Sell
	}
	return n
}

func (f fixture) addFills(list ...ledger.NewFill) {
	f.Helper()
	for _, n := range list {
		_, err := f.ledger.AddExecution(f.ctx, f.owner, f.account, n)
		f.must(err)
	}
}

// minuteBars returns minute bars, one for each "open high low close" in hundredths.
func minuteBars(from int64, prices ...[4]int64) (list []market.Bar) {
	for i, p := range prices {
		list = append(list, market.Bar{Time: monday + from + int64(i)*minute, Open: p[0], High: p[1], Low: p[2], Close: p[3], Volume: 10})
	}
	return list
}

func (f fixture) commit(key bars.Key, calendar market.Calendar, list []market.Bar) bars.Import {
	f.Helper()
	done, _, err := f.bars.Commit(f.ctx, f.owner, bars.NewImport{
		FileName: "bars.csv", Layout: "TradingView",
		Series: []bars.NewSeries{{
			Key: key, VolumeKind: market.RealVolume,
			Blocks: func(yield func(market.Block) bool) {
				for rest := list; len(rest) > 0; {
					start := market.BlockStart(rest[0].Time, key.Secs)
					n := slices.IndexFunc(rest, func(b market.Bar) bool { return market.BlockStart(b.Time, key.Secs) != start })
					if n < 0 {
						n = len(rest)
					}
					if !yield(market.Block{Secs: key.Secs, PriceScale: 2, HasVolume: true, Bars: rest[:n]}) {
						return
					}
					rest = rest[n:]
				}
			},
			Ranges: market.DeclaredRanges(list, key.Secs, calendar),
		}},
	})
	f.must(err)
	return done
}

var minutes = bars.Key{Symbol: "BTCUSD", Secs: minute, PriceKind: market.TradePrice}

func (f fixture) trades() (list []ledger.Trade) {
	f.Helper()
	f.must(f.ledger.EachTrade(f.ctx, f.owner, ledger.TradeQuery{}, func(t ledger.Trade) error {
		list = append(list, t)
		return nil
	}))
	return list
}

func (f fixture) measure(id journal.TradeID) excursions.Result {
	f.Helper()
	r, err := f.excursions.Measure(f.ctx, f.owner, id, excursions.Plan{})
	f.must(err)
	return r
}

// kept returns the kept results, after a refresh.
func (f fixture) kept() (found map[journal.TradeID]excursions.Result) {
	f.Helper()
	f.must(f.excursions.Refresh(f.ctx, f.owner))
	f.must(f.db.View(f.ctx, func(tx *db.Tx) (err error) {
		found, err = excursions.LoadAccount(f.ctx, tx, f.owner, f.accountRecord())
		return err
	}))
	return found
}

func (f fixture) accountRecord() ledger.Account {
	f.Helper()
	accounts, err := f.ledger.Accounts(f.ctx, f.owner)
	f.must(err)
	return accounts[0]
}

func (f fixture) revision() int64 {
	f.Helper()
	accounts, err := f.ledger.Accounts(f.ctx, f.owner)
	f.must(err)
	return accounts[0].Revision
}

// describe returns a result as a text for comparison.
func describe(r excursions.Result) string {
	if !r.IsAvailable() {
		return string(r.Reason) + " " + r.Coverage.String()
	}
	back, most := r.GivenBack()
	text := fmt.Sprintf("mae %s..%s mfe %s..%s coverage %s fills %d/%d/%d bars %d %s %s gross %s best %s..%s back %s..%s after",
		r.MAE.Low, r.MAE.High, r.MFE.Low, r.MFE.High, r.Coverage, r.FillsInside, r.FillsChecked, r.FillsWithoutBar,
		r.BarSecs, r.PriceKind, r.Source, r.GrossAtExit, r.BestExitLow, r.BestExitHigh, back, most)
	for _, n := range r.AfterExit {
		text += " " + n.String()
	}
	return text
}

func (f fixture) wantOne(want string) {
	f.Helper()
	trades := f.trades()
	if len(trades) != 1 {
		f.Fatalf("there are %d trades", len(trades))
	}
	if got := describe(f.measure(trades[0].ID)); got != want {
		f.Errorf("the result is\n%s, not\n%s", got, want)
	}
}

// flat returns bars at one price.
func flat(from int64, n int, price int64) []market.Bar {
	list := make([][4]int64, n)
	for i := range list {
		list[i] = [4]int64{price, price, price, price}
	}
	return minuteBars(from, list...)
}

// day returns Monday's bars: the given bars at the start, then one price until midnight.
func day(price int64, prices ...[4]int64) []market.Bar {
	n := len(prices)
	return append(minuteBars(0, prices...), flat(int64(n)*minute, 1440-n, price)...)
}

func TestResult(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.commit(minutes, market.AroundTheClock, day(10_500,
			[4]int64{10_000, 10_100, 9_900, 10_000},  // the entry at 100 is inside
			[4]int64{10_000, 10_400, 9_800, 10_200},  // no fill: exact
			[4]int64{10_200, 10_600, 10_100, 10_300}, // the exit at 103 is inside
			[4]int64{10_300, 11_000, 10_300, 10_900},
		))
		f.addFills(newFill(30, 2, "100"), newFill(150, -2, "103"))
		// In the first bar the position was open or not while 101 and 99 were reached; the
		// second is certain; in the third 106 may have been before or after the exit.
		f.wantOne("mae 4..4 mfe 8..12 coverage 1 fills 2/2/0 bars 60 trade TradingView gross 6 best 20..20 back 2..6 after 4 4 4 4 4")
	})
}

func TestShortAndScaling(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.commit(minutes, market.AroundTheClock, day(10_000,
			[4]int64{10_000, 10_000, 10_000, 10_000},
			[4]int64{10_000, 10_200, 9_700, 10_100},
			[4]int64{10_100, 10_100, 10_100, 10_100},
			[4]int64{10_100, 10_300, 9_900, 10_000},
			[4]int64{10_000, 10_000, 10_000, 10_000},
		))
		f.addFills(newFill(0, -1, "100"), newFill(120, -1, "101"), newFill(240, 2, "100"))
		// With one sold at 100: 97 gives 3, 102 loses 2. With two at 100 and 101: 99 gives
		// 3, 103 loses 5.
		f.wantOne("mae 5..5 mfe 3..3 coverage 1 fills 3/3/0 bars 60 trade TradingView gross 1 best 3..3 back 2..2 after 0 0 0 0 0")
	})
}

func TestStatedResult(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.commit(minutes, market.AroundTheClock, day(10_000, [4]int64{10_000, 10_000, 10_000, 10_000},
			[4]int64{10_000, 10_400, 9_800, 10_200}, [4]int64{10_200, 10_200, 10_200, 10_200}))
		exit := newFill(150, -2, "102")
		exit.StatedPnL = decimal.Of(decimal.New(2)) // 4 in the price currency
		f.addFills(newFill(30, 2, "100"), exit)
		f.wantOne("mae 2..2 mfe 4..4 coverage 1 fills 2/2/0 bars 60 trade TradingView gross 2 best 4..4 back 2..2 after -2 -2 -2 -2 -2")
	})
}

func TestReasons(t *testing.T) {
	t.Parallel()
	multiplied := newFill(150, -2, "100")
	multiplied.Multiplier = decimal.Of(decimal.New(5))
	stated := newFill(150, -2, "100")
	stated.StatedPnL = decimal.Of(decimal.New(2))
	daily := bars.Key{Symbol: "BTCUSD", Secs: 24 * 60 * minute, PriceKind: market.TradePrice}
	for name, c := range map[string]struct {
		bars  []market.Bar
		key   bars.Key
		fills []ledger.NewFill
		want  string
	}{
		"no series":             {nil, minutes, []ledger.NewFill{newFill(30, 2, "100"), newFill(150, -2, "100")}, "no_bars 0"},
		"bars of another time":  {flat(600, 10, 10_000), minutes, []ledger.NewFill{newFill(30, 2, "100"), newFill(150, -2, "100")}, "no_bars 0"},
		"half of the time":      {flat(60, 10, 10_000), minutes, []ledger.NewFill{newFill(0, 2, "100"), newFill(120, -2, "100")}, "not_enough_bars 0.5"},
		"daily bars":            {flat(0, 1, 10_000), daily, []ledger.NewFill{newFill(30, 2, "100"), newFill(150, -2, "100")}, "daily_bars_only 0"},
		"prices elsewhere":      {flat(0, 10, 10_000), minutes, []ledger.NewFill{newFill(30, 2, "100"), newFill(150, -2, "107")}, "fills_outside_bars 1"},
		"different multipliers": {flat(0, 10, 10_000), minutes, []ledger.NewFill{newFill(30, 2, "100"), multiplied}, "different_multipliers 1"},
		"no rate":               {flat(0, 10, 10_000), minutes, []ledger.NewFill{newFill(30, 2, "100"), stated}, "unknown_rate 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, testkit.Open(t, db.SQLite))
			if len(c.bars) > 0 {
				f.commit(c.key, market.AroundTheClock, c.bars)
			}
			f.addFills(c.fills...)
			f.TB = t
			f.wantOne(c.want)
			if reason, _, _ := strings.Cut(c.want, " "); excursions.Reason(reason).Sentence() == "" {
				t.Error("the reason has no sentence")
			}
		})
	}
}

// TestDayOfFills has fills with only a known day: what happened after the exit is not
// known then.
func TestDayOfFills(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.commit(minutes, market.AroundTheClock, day(10_000, [4]int64{10_000, 10_500, 9_800, 10_000}))
		buy, sell := newFill(0, 1, "100"), newFill(0, -1, "101")
		buy.Facts = ledger.FactsRecorded | ledger.DayPrecision
		sell.Facts = buy.Facts
		f.must(f.db.Update(f.ctx, func(tx *db.Tx) error {
			_, err := f.ledger.InsertFills(f.ctx, tx, f.owner, f.account, "", []ledger.NewFill{buy, sell})
			return err
		}))
		f.wantOne("mae 0..2 mfe 1..5 coverage 1 fills 2/2/0 bars 60 trade TradingView gross 1 best null..null back 0..4 after null null null null null")
	})
}

func TestOpenTrade(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.commit(minutes, market.AroundTheClock, minuteBars(0, [4]int64{10_000, 10_000, 10_000, 10_000}, [4]int64{10_000, 10_300, 9_900, 10_100}))
		f.addFills(newFill(30, 2, "100"))
		f.wantOne("mae 2..2 mfe 6..6 coverage 1 fills 1/1/0 bars 60 trade TradingView gross null best null..null back null..null after null null null null null")
	})
}

// TestChosenBars checks which series is used.
func TestChosenBars(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.addFills(newFill(60, 2, "100"), newFill(660, -2, "100"))
		id := f.trades()[0].ID
		used := func() string {
			r := f.measure(id)
			return fmt.Sprint(r.BarSecs, " ", r.PriceKind, " ", r.Coverage)
		}
		check := func(want string) {
			f.Helper()
			if got := used(); got != want {
				f.Errorf("used %s, not %s", got, want)
			}
		}
		key := func(secs int64, kind market.PriceKind) bars.Key {
			return bars.Key{Symbol: "BTCUSD", Secs: secs, PriceKind: kind}
		}
		fives := []market.Bar{}
		for i := range int64(4) {
			fives = append(fives, market.Bar{Time: monday + i*300, Open: 10_000, High: 10_100, Low: 9_900, Close: 10_000})
		}
		f.commit(key(300, market.BidPrice), market.AroundTheClock, fives)
		check("300 bid 1")
		f.commit(key(300, market.TradePrice), market.AroundTheClock, fives)
		check("300 trade 1")
		f.commit(key(60, market.MidPrice), market.AroundTheClock, flat(60, 9, 10_000))
		check("300 trade 1") // the minutes cover 90 % only
		f.commit(key(60, market.MidPrice), market.AroundTheClock, flat(600, 2, 10_000))
		check("60 mid 1")
		// Between bid and ask the series with more fills inside.
		f.commit(key(30, market.BidPrice), market.AroundTheClock, half(10_100))
		f.commit(key(30, market.AskPrice), market.AroundTheClock, half(10_000))
		check("30 ask 1")
	})
}

// half returns half-minute bars with a range of 1.
func half(price int64) (list []market.Bar) {
	for i := range int64(30) {
		list = append(list, market.Bar{Time: monday + i*30, Open: price, High: price + 50, Low: price - 50, Close: price})
	}
	return list
}

// TestRefreshFollowsChanges changes fills and bars at random. After each step the kept
// results must equal a new computation, and the oracle.
func TestRefreshFollowsChanges(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		rapid.Check(f, testkit.LimitChecks(testkit.Rounds(20, 100), func(r *rapid.T) {
			f := newFixture(f.TB, f.db)
			var fills []journal.ExecutionID
			var imports []journal.BarImportID
			for range rapid.IntRange(1, 12).Draw(r, "steps") {
				switch step := rapid.IntRange(0, 9).Draw(r, "step"); {
				case step < 4:
					n := newFill(rapid.Int64Range(0, 900).Draw(r, "at"), rapid.SampledFrom([]int64{-2, -1, 1, 2}).Draw(r, "quantity"), "100")
					added, err := f.ledger.AddExecution(f.ctx, f.owner, f.account, n)
					f.must(err)
					fills = append(fills, added.Execution.ID)
				case step < 5 && len(fills) > 0:
					i := rapid.IntRange(0, len(fills)-1).Draw(r, "fill")
					f.must(f.ledger.DeleteExecution(f.ctx, f.owner, fills[i], nil))
					fills = slices.Delete(fills, i, i+1)
				case step < 8:
					list := make([][4]int64, rapid.IntRange(1, 15).Draw(r, "bars"))
					for i := range list {
						width := rapid.Int64Range(0, 300).Draw(r, "width")
						list[i] = [4]int64{10_000, 10_000 + width, 10_000 - width/2, 10_000}
					}
					from := rapid.Int64Range(0, 10).Draw(r, "first bar") * minute
					imports = append(imports, f.commit(minutes, market.AroundTheClock, minuteBars(from, list...)).ID)
				case len(imports) > 0:
					i := rapid.IntRange(0, len(imports)-1).Draw(r, "import")
					f.must(f.bars.Reverse(f.ctx, f.owner, imports[i]))
					imports = slices.Delete(imports, i, i+1)
				}
				f.checkKept(r)
			}
		}))
	})
}

// checkKept compares the kept results with new ones.
func (f fixture) checkKept(r *rapid.T) {
	kept := f.kept()
	for _, trade := range f.trades() {
		fresh := f.measure(trade.ID)
		old, found := kept[trade.ID]
		delete(kept, trade.ID)
		if found != fresh.IsAvailable() || found && describe(old) != describe(fresh) {
			r.Fatalf("trade %s is kept as\n%v %s, not\n%s", trade.ID, found, describe(old), describe(fresh))
		}
	}
	if len(kept) > 0 {
		r.Fatalf("there are %d results without a trade", len(kept))
	}
	f.must(f.excursions.Check(f.ctx, f.owner, func(problem string) { r.Fatal(problem) }))
}

// TestAllResultsEqualSingleOnes computes all results at once, on two cores and with the
// bars for many trades in memory, and each again by itself. With few fills at a time, the
// workers go on with earlier histories.
func TestAllResultsEqualSingleOnes(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		random := rand.New(rand.NewPCG(3, 4)) // no secret
		const days = 120
		var coins, shares []market.Bar
		for d := range int64(days) {
			coins = append(coins, randomBars(random, at(d*24*3600).Unix(), 288, 300)...)
			if d%7 < 5 {
				shares = append(shares, randomBars(random, at(d*24*3600).Unix()+13*3600+30*60, 390, minute)...)
			}
		}
		f.commit(bars.Key{Symbol: "BTCUSD", Secs: 300, PriceKind: market.TradePrice}, market.AroundTheClock, coins)
		f.commit(bars.Key{Symbol: "AAPL", Secs: minute, PriceKind: market.TradePrice}, market.USStocks, shares)
		var fills []ledger.NewFill
		for n := range 60 {
			list, symbol, kind := coins, "BTCUSD", "crypto"
			if n%2 == 0 {
				list, symbol, kind = shares, "AAPL", "stock"
			}
			lot, held := fmt.Sprint(n), int64(0)
			first := (n / 2) * len(list) / 31
			add := func(quantity int64) {
				bar := list[first]
				fill := newFill(bar.Time-monday+random.Int64N(60), quantity, decimal.FromScaled(bar.Close, 2).String())
				fill.Symbol, fill.InstrumentType, fill.Details = symbol, kind, map[string]string{"lot": lot}
				fills = append(fills, fill)
				held += quantity
				first = min(first+1+random.IntN(len(list)/20), len(list)-1)
			}
			for range 1 + random.IntN(3) {
				add(1 + random.Int64N(3))
			}
			if n < 57 { // the last ones stay open
				add(-held)
			}
		}
		f.must(f.db.Update(f.ctx, func(tx *db.Tx) error {
			_, err := f.ledger.InsertFills(f.ctx, tx, f.owner, f.account, "", fills)
			return err
		}))
		single, available := map[journal.TradeID]excursions.Result{}, 0
		for _, trade := range f.trades() {
			result := f.measure(trade.ID)
			single[trade.ID] = result
			if result.IsAvailable() {
				available++
			}
		}
		if available < 30 {
			f.Errorf("%d trades have a result", available)
		}
		for _, fills := range []int{1, 7, 1000} {
			f.excursions.SetSliceFills(fills)
			f.must(f.db.Update(f.ctx, func(tx *db.Tx) error { return excursions.ForgetAccount(f.ctx, tx, f.owner, f.account) }))
			kept := f.kept()
			for id, want := range single {
				if got := kept[id]; describe(got) != describe(want) || !sameContext(got.Context, want.Context) {
					f.Errorf("%d fills at a time: trade %s is\n%s %v, by itself\n%s %v", fills, id, describe(got), got.Context, describe(want), want.Context)
				}
			}
		}
		f.must(f.excursions.Check(f.ctx, f.owner, func(problem string) { f.Error(problem) }))
	})
}

// TestFewInstrumentsHaveBars computes all results for an account with bars for only one
// instrument.
func TestFewInstrumentsHaveBars(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		for n := range 9 {
			symbol := []string{"BTCUSD", fmt.Sprint("COIN", n)}[min(n, 1)]
			buy, sell := newFill(30, 2, "100"), newFill(150, -2, "101")
			buy.Symbol, sell.Symbol = symbol, symbol
			f.addFills(buy, sell)
		}
		f.commit(minutes, market.AroundTheClock, day(10_000, [4]int64{10_000, 10_100, 9_900, 10_100}, [4]int64{10_100, 10_300, 10_000, 10_100},
			[4]int64{10_100, 10_100, 10_000, 10_000}))
		kept := f.kept()
		if len(kept) != 1 {
			f.Fatalf("%d trades have a result", len(kept))
		}
		for id, got := range kept {
			if want := describe(f.measure(id)); describe(got) != want {
				f.Errorf("it is\n%s, not\n%s", describe(got), want)
			}
		}
	})
}

func sameContext(a, b market.Context) bool {
	return a.ATR.Equal(b.ATR) && a.GapPct.Equal(b.GapPct) && a.RelativeVolume.Equal(b.RelativeVolume) && a.OpeningRangePlace.Equal(b.OpeningRangePlace)
}

// randomBars returns bars with moving prices.
func randomBars(random *rand.Rand, from int64, n int, secs int64) (list []market.Bar) {
	price := int64(10_000)
	for i := range int64(n) {
		move := random.Int64N(21) - 10
		list = append(list, market.Bar{
			Time: from + i*secs, Open: price, High: max(price, price+move) + random.Int64N(5), Low: min(price, price+move) - random.Int64N(5),
			Close: price + move, Volume: 1 + random.Int64N(900),
		})
		price += move
	}
	return list
}

// TestRefreshRaisesRevision checks that only new results change an account.
func TestRefreshRaisesRevision(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.addFills(newFill(30, 2, "100"), newFill(150, -2, "100"))
		before := f.revision()
		f.kept()
		if f.revision() != before {
			f.Error("an account without bars changed")
		}
		f.commit(minutes, market.AroundTheClock, flat(0, 5, 10_000))
		f.kept()
		raised := f.revision()
		if raised == before {
			f.Error("new results did not raise the revision")
		}
		f.commit(minutes, market.AroundTheClock, flat(40*24*3600, 5, 10_000))
		f.kept()
		if f.revision() != raised {
			f.Error("bars of another time raised the revision")
		}
		f.must(f.db.View(f.ctx, func(tx *db.Tx) error {
			touched, known, err := ledger.TouchedSince(f.ctx, tx, f.owner, f.account, before)
			if len(touched) != 1 || !known {
				f.Errorf("touched are %v", touched)
			}
			return err
		}))
	})
}

func TestUsersAreSeparate(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.commit(minutes, market.AroundTheClock, flat(0, 5, 10_000))
		other := newFixture(f.TB, f.db)
		other.addFills(newFill(30, 2, "100"), newFill(150, -2, "100"))
		if kept := other.kept(); len(kept) > 0 {
			f.Errorf("bars of another user were used: %v", kept)
		}
		f.addFills(newFill(30, 2, "100"), newFill(150, -2, "100"))
		id := f.trades()[0].ID
		if _, err := other.excursions.Measure(f.ctx, other.owner, id, excursions.Plan{}); !journal.IsKind(err, journal.KindNotFound) {
			f.Errorf("measuring a trade of another user: %v", err)
		}
		if len(f.kept()) != 1 {
			f.Error("no result is kept")
		}
		f.must(f.db.Update(f.ctx, func(tx *db.Tx) error { return excursions.ForgetAccount(f.ctx, tx, f.owner, f.account) }))
		if len(f.kept()) != 1 {
			f.Error("the result was not computed again")
		}
	})
}

// TestRefreshDoesNotWait reads while a writer has the account locked: results stay as
// before until the next refresh.
func TestRefreshDoesNotWait(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.addFills(newFill(30, 2, "100"), newFill(150, -2, "100"))
		f.commit(minutes, market.AroundTheClock, flat(0, 5, 10_000))
		f.excursions.SetLockWait(50 * time.Millisecond)
		f.must(f.db.Update(f.ctx, func(tx *db.Tx) error {
			if _, err := ledger.LockAccount(f.ctx, tx, f.owner, f.account); err != nil {
				return err
			}
			return f.excursions.Refresh(f.ctx, f.owner)
		}))
		f.must(f.db.View(f.ctx, func(tx *db.Tx) error {
			kept, err := excursions.LoadAccount(f.ctx, tx, f.owner, f.accountRecord())
			if len(kept) > 0 {
				f.Error("results were computed without the lock")
			}
			return err
		}))
		f.excursions.SetLockWait(time.Minute)
		if len(f.kept()) != 1 {
			f.Error("no result is kept after the writer ended")
		}
	})
}

// TestFutures checks that the contract's bars are found in another notation, and the
// continuous contract's bars are used only if the fills lie inside.
func TestFutures(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		future := func(seconds, quantity int64, price string) ledger.NewFill {
			n := newFill(seconds, quantity, price)
			n.Symbol, n.InstrumentType = "NQZ5", "future"
			return n
		}
		f.addFills(future(30, 1, "100"), future(150, -1, "101"))
		key := func(symbol string) bars.Key {
			return bars.Key{Symbol: symbol, Secs: minute, PriceKind: market.TradePrice}
		}
		f.wantOne("no_bars 0")
		far := f.commit(key("NQ1!"), market.CME, flat(0, 5, 20_000))
		f.wantOne("no_bars 0")
		f.must(f.bars.Reverse(f.ctx, f.owner, far.ID))
		f.commit(key("NQ1!"), market.CME, minuteBars(0, [4]int64{10_000, 10_000, 10_000, 10_000}, [4]int64{10_000, 10_100, 10_000, 10_100},
			[4]int64{10_100, 10_100, 10_100, 10_100}))
		const continuous = "mae 0..0 mfe 20..20 coverage 1 fills 2/2/0 bars 60 trade TradingView gross 20 best null..null back 0..0 after null null null null null"
		f.wantOne(continuous)
		f.commit(key("NQ 12-25"), market.CME, minuteBars(0, [4]int64{10_000, 10_000, 10_000, 10_000}, [4]int64{10_000, 10_200, 9_900, 10_100},
			[4]int64{10_100, 10_100, 10_100, 10_100}))
		f.wantOne("mae 20..20 mfe 40..40 coverage 1 fills 2/2/0 bars 60 trade TradingView gross 20 best null..null back 20..20 after null null null null null")
		if kept := f.kept(); len(kept) != 1 {
			f.Errorf("%d results are kept", len(kept))
		}
	})
}
