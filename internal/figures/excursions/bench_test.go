//go:build unix

package excursions_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

const (
	benchSymbols = 40
	benchDays    = 504
	benchTrades  = 100_000
)

// BenchmarkExcursions computes the excursions for 100,000 trades in 40 shares over two
// years of minute bars: measure without storing, and refresh with it. execution adds one
// fill to an account, with and without bars.
func BenchmarkExcursions(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			if engine == db.PostgreSQL && os.Getenv("SVC_TEST_POSTGRES") == "" {
				b.Skip("SVC_TEST_POSTGRES is not set")
			}
			f := newFixture(b, testkit.Open(b, engine))
			f.addJournal()
			account := f.accountRecord()
			b.Run("measure", func(b *testing.B) {
				defer reportProcessorTime(b)()
				for b.Loop() {
					n, err := f.excursions.MeasureAll(f.ctx, f.owner, account)
					f.must(err)
					if n < benchTrades*9/10 {
						b.Fatalf("%d trades were measured", n)
					}
				}
			})
			b.Run("refresh", func(b *testing.B) {
				defer reportProcessorTime(b)()
				for b.Loop() {
					f.must(f.db.Update(f.ctx, func(tx *db.Tx) error { return excursions.ForgetAccount(f.ctx, tx, f.owner, f.account) }))
					f.must(f.excursions.Refresh(f.ctx, f.owner))
				}
			})
			other := newFixture(b, f.db)
			for name, g := range map[string]fixture{"with": f, "without": other} {
				b.Run("execution/"+name, func(b *testing.B) {
					n := int64(0)
					for b.Loop() {
						n++
						g.addFills(shareFill(0, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n)*time.Second), 1-2*(n%2), 10_000))
					}
				})
			}
			b.Run("one", func(b *testing.B) {
				n := int64(0)
				for b.Loop() {
					n++
					f.addFills(shareFill(1, time.Date(2025, 12, 1, 15, 0, 0, 0, time.UTC).Add(time.Duration(n)*time.Second), 1-2*(n%2), 10_000))
					f.must(f.excursions.Refresh(f.ctx, f.owner))
				}
			})
		})
	}
}

// reportProcessorTime returns a function that reports the time on all cores since the
// call. Unlike elapsed time it depends little on other programs.
func reportProcessorTime(b *testing.B) func() {
	b.Helper()
	used := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			b.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	before := used()
	return func() { b.ReportMetric(float64((used()-before).Milliseconds())/float64(b.N), "cpu-ms/op") }
}

func shareSymbol(n int) string { return fmt.Sprintf("SYM%c%c", 'A'+n/26, 'A'+n%26) }

func shareFill(symbol int, at time.Time, quantity, cents int64) ledger.NewFill {
	n := ledger.NewFill{
		Symbol: shareSymbol(symbol), Side: matching.Buy, Quantity: decimal.New(max(quantity, -quantity)),
		Price: decimal.FromScaled(cents, 2), ExecutedAt: at, AllowDuplicate: true,
	}
	if quantity < 0 {
		n.Side = matching.Sell
	}
	return n
}

// addJournal adds bars and trades with two to five fills at bar prices, held up to an
// hour.
func (f fixture) addJournal() {
	f.Helper()
	random := rand.New(rand.NewPCG(1, 2)) // no secret
	newYork, err := time.LoadLocation("America/New_York")
	f.must(err)
	const perDay = 390
	for symbol := range benchSymbols {
		list := make([]market.Bar, 0, benchDays*perDay)
		day, price := time.Date(2024, 1, 2, 9, 30, 0, 0, newYork), int64(10_000+500*symbol)
		for len(list) < benchDays*perDay {
			if weekday := day.Weekday(); weekday != time.Saturday && weekday != time.Sunday {
				for i := range int64(perDay) {
					move := random.Int64N(21) - 10
					bar := market.Bar{Time: day.Unix() + i*minute, Open: price, High: max(price, price+move) + random.Int64N(5), Low: min(price, price+move) - random.Int64N(5), Close: price + move, Volume: 100 + random.Int64N(900)}
					list, price = append(list, bar), max(bar.Close, 1000)
				}
			}
			day = day.AddDate(0, 0, 1)
		}
		f.commit(bars.Key{Symbol: shareSymbol(symbol), Secs: minute, PriceKind: market.TradePrice}, market.USStocks, list)
		f.addTrades(random, symbol, list)
	}
}

func (f fixture) addTrades(random *rand.Rand, symbol int, list []market.Bar) {
	f.Helper()
	const each = benchTrades / benchSymbols
	var fills []ledger.NewFill
	step := len(list) / each
	for n := range each {
		at, held := n*step, int64(0)
		for range 1 + random.IntN(4) {
			fills = append(fills, shareFill(symbol, time.Unix(list[at].Time+random.Int64N(60), 0), 100, list[at].Close))
			at, held = at+1+random.IntN(step/6), held+100
		}
		fills = append(fills, shareFill(symbol, time.Unix(list[at].Time+random.Int64N(60), 0), -held, list[at].Close))
	}
	f.must(f.db.Update(f.ctx, func(tx *db.Tx) error {
		_, err := f.ledger.InsertFills(f.ctx, tx, f.owner, f.account, "", fills)
		return err
	}))
}
