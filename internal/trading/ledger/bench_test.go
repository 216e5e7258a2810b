package ledger_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/strategies"
)

// history makes a journal with so many fills over 200 symbols and three years: about
// three fills a trade, every tenth trade turned into the opposite one.
func history(n int) []ledger.NewFill {
	random := rand.New(rand.NewPCG(1, 2))
	position := map[string]int64{}
	fills := make([]ledger.NewFill, n)
	step := 3 * 365 * 24 * time.Hour / time.Duration(n)
	for i := range fills {
		symbol := fmt.Sprintf("SYM%d", random.IntN(200))
		held := position[symbol]
		quantity := 1 + random.Int64N(500)
		sign := int64(1)
		if held > 0 || held == 0 && random.IntN(2) == 0 {
			sign = -1
		}
		switch turn := random.IntN(10); {
		case held == 0:
		case turn < 3: // scale in
			if sign = 1; held < 0 {
				sign = -1
			}
		case turn < 9: // close
			quantity = max(held, -held)
		default: // flip
			quantity += max(held, -held)
		}
		side := matching.Buy
		if sign < 0 {
			side = matching.Sell
		}
		position[symbol] = held + sign*quantity
		fills[i] = ledger.NewFill{
			Symbol: symbol, Side: side, Quantity: decimal.New(quantity), Price: decimal.FromScaled(10000+random.Int64N(90000), 2),
			Commission: decimal.FromScaled(100+random.Int64N(100), 2), ExecutedAt: begin.Add(time.Duration(i) * step).Truncate(time.Second),
		}
	}
	return fills
}

func engines(b *testing.B, fn func(b *testing.B, d *db.DB)) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) { fn(b, testkit.Open(b, engine)) })
	}
}

// BenchmarkImport stores a whole journal, and then the same journal again.
func BenchmarkImport(b *testing.B) {
	engines(b, func(b *testing.B, database *db.DB) {
		for _, n := range []int{10_000, 100_000} {
			fills := history(n)
			d := newFixture(b, database)
			b.Run(fmt.Sprintf("new/%d", n), func(b *testing.B) {
				for b.Loop() {
					d.account = d.newAccount(d.owner, "USD")
					d.insert(journal.NewID[journal.BatchID](), fills...)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/fill")
			})
			b.Run(fmt.Sprintf("again/%d", n), func(b *testing.B) {
				for b.Loop() {
					d.insert(journal.NewID[journal.BatchID](), fills...)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/fill")
			})
			b.Run(fmt.Sprintf("hundred-more/%d", n), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					more := history(100)
					for k := range more {
						more[k].ExecutedAt = begin.AddDate(4, 0, i).Add(time.Duration(k) * time.Second)
					}
					d.insert(journal.NewID[journal.BatchID](), more...)
				}
			})
			b.Run(fmt.Sprintf("reverse/%d", n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					d.account = d.newAccount(d.owner, "USD")
					batch := journal.NewID[journal.BatchID]()
					d.insert(batch, fills...)
					b.StartTimer()
					d.reverse(batch)
				}
			})
			reportSize(b, database, n)
		}
	})
}

// reportSize prints the bytes a journal with n fills takes on SQLite.
func reportSize(b *testing.B, like *db.DB, n int) {
	if like.Engine() != db.SQLite {
		return
	}
	database := testkit.Open(b, db.SQLite)
	d := newFixture(b, database)
	d.insert(journal.NewID[journal.BatchID](), history(n)...)
	path := b.TempDir() + "/size.db"
	must(b, database.Snapshot(context.Background(), path))
	info, err := os.Stat(path)
	must(b, err)
	b.Logf("%d fills: %d bytes a fill", n, info.Size()/int64(n))
}

// BenchmarkAdd stores single fills on an empty account and on large ones.
func BenchmarkAdd(b *testing.B) {
	engines(b, func(b *testing.B, database *db.DB) {
		for _, n := range []int{0, 10_000, 100_000} {
			d := newFixture(b, database)
			if n > 0 {
				d.insert("", history(n)...)
			}
			add := func(b *testing.B, symbol string, at func(i int) time.Time) {
				for i := 0; b.Loop(); i++ {
					in := ledger.NewFill{
						Symbol: symbol, Side: []matching.Side{matching.Buy, matching.Sell}[i%2], Quantity: decimal.New(10),
						Price: decimal.New(int64(100 + i%7)), ExecutedAt: at(i), AllowDuplicate: true,
					}
					_, err := d.ledger.AddExecution(context.Background(), d.owner, d.account, in)
					must(b, err)
				}
			}
			b.Run(fmt.Sprintf("newest/%d", n), func(b *testing.B) {
				add(b, "NEW", func(i int) time.Time { return begin.AddDate(5, 0, 0).Add(time.Duration(i) * time.Second) })
			})
			// Each shifts every later trade in its symbol, and the next one shifts them
			// back.
			b.Run(fmt.Sprintf("back-dated/%d", n), func(b *testing.B) {
				add(b, "SYM7", func(i int) time.Time { return begin.AddDate(0, -1, 0).Add(time.Duration(i) * time.Second) })
			})
		}
	})
}

// BenchmarkList reads everything.
func BenchmarkList(b *testing.B) {
	engines(b, func(b *testing.B, database *db.DB) {
		d := newFixture(b, database)
		d.insert("", history(100_000)...)
		b.Run("executions", func(b *testing.B) {
			for b.Loop() {
				must(b, d.ledger.EachExecution(context.Background(), d.owner, ledger.ExecutionQuery{}, func(ledger.Execution) error { return nil }))
			}
		})
		b.Run("trades", func(b *testing.B) {
			for b.Loop() {
				must(b, d.ledger.EachTrade(context.Background(), d.owner, ledger.TradeQuery{}, func(ledger.Trade) error { return nil }))
			}
		})
		b.Run("check", func(b *testing.B) {
			for b.Loop() {
				d.sound()
			}
		})
	})
}

// BenchmarkPage reads one page from a long list, and counts the list.
func BenchmarkPage(b *testing.B) {
	d := newFixture(b, testkit.Open(b, db.SQLite))
	d.insert(journal.NewID[journal.BatchID](), history(150_000)...)
	q := ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{d.account}}, Limit: 51}
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if err := d.ledger.EachTrade(b.Context(), d.owner, q, func(ledger.Trade) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if _, err := d.ledger.CountTrades(b.Context(), d.owner, q); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// condors makes so many option trades: condors in twenty underlyings, one a minute, each leg
// opened in the same second and closed some days later.
func condors(trades int) []ledger.NewFill {
	fills := make([]ledger.NewFill, 0, 2*trades)
	for n := range trades {
		group, leg := n/4, n%4
		opened := begin.Add(time.Duration(group) * time.Minute)
		open := ledger.NewFill{
			Symbol: "U" + string(rune('A'+group%20)), InstrumentType: "option", Side: matching.Buy, Quantity: decimal.New(int64(1 + group%3)),
			Price: decimal.New(int64(2 + leg)), Multiplier: decimal.Of(decimal.New(100)), ExecutedAt: opened,
			Details: map[string]string{
				"option_right": []string{"put", "put", "call", "call"}[leg], "strike": fmt.Sprint(1000 + 10*leg + 50*(group%1440)),
				"expiry": opened.AddDate(0, 0, 7).Format(time.DateOnly),
			},
		}
		end := open
		open.Side, end.Side = matching.Sell, matching.Buy
		if leg == 0 || leg == 3 {
			open.Side, end.Side = matching.Buy, matching.Sell
		}
		end.Price, end.ExecutedAt = decimal.New(int64(1+group%2)), opened.Add(time.Duration(24+group%100)*time.Hour+time.Duration(leg)*time.Second)
		if group%3 == 0 {
			open.Details = maps.Clone(open.Details)
			open.Details["order_id"] = fmt.Sprint(group)
		}
		fills = append(fills, open, end)
	}
	return fills
}

// BenchmarkStrategies reads 100,000 option trades and detects their strategies.
func BenchmarkStrategies(b *testing.B) {
	engines(b, func(b *testing.B, database *db.DB) {
		const trades = 100_000
		d := newFixture(b, database)
		d.insert(journal.NewID[journal.BatchID](), condors(trades)...)
		var legs map[string][]strategies.Leg
		b.Run("read", func(b *testing.B) {
			for b.Loop() {
				must(b, database.View(b.Context(), func(tx *db.Tx) (err error) {
					account, err := ledger.ReadAccount(b.Context(), tx, d.owner, d.account)
					if err == nil {
						legs, err = ledger.StrategyLegs(b.Context(), tx, d.owner, account, nil, func(string) bool { return false })
					}
					return err
				}))
			}
		})
		b.Run("detect", func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = 0
				for _, list := range legs {
					found += len(strategies.Build(list, nil, strategies.Propose))
				}
			}
			if found < trades/4 {
				b.Errorf("%d strategies of %d trades", found, trades)
			}
		})
	})
}
