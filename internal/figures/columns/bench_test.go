package columns_test

import (
	"fmt"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// BenchmarkRead reads the 33,334 trades of 100,000 fills in 200 symbols for the first time.
func BenchmarkRead(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			d := testkit.Open(b, engine)
			h := newEnv(b, d, 0)
			h.createUser()
			fills := make([]ledger.NewFill, 100_000)
			for i := range fills {
				f := ledger.NewFill{
					Symbol: fmt.Sprintf("SYM%d", i/3%200), Side: matching.Buy, Quantity: decimal.New(100),
					Price: decimal.FromScaled(int64(10_000+i%977), 2), Commission: decimal.FromScaled(125, 2), ExecutedAt: minute(i),
				}
				if i%3 == 2 {
					f.Side, f.Quantity = matching.Sell, decimal.New(200)
				}
				fills[i] = f
			}
			must(b, d.Update(b.Context(), func(tx *db.Tx) error {
				_, err := h.Ledger.InsertFills(b.Context(), tx, h.owner, h.account, journal.NewID[journal.BatchID](), fills)
				return err
			}))
			b.ReportAllocs()
			for b.Loop() {
				must(b, columns.New(d, 0, "").View(b.Context(), h.owner, nil, func(*db.Tx, *columns.Snapshot) error { return nil }))
			}
		})
	}
}

// BenchmarkRealized reads 20,000 trades with 80,000 fills, all closed in three steps, in
// a stream: for the first time without and with realized parts, and again after a fill
// was added to the last trade.
func BenchmarkRealized(b *testing.B) {
	d, err := db.Open(b.Context(), testkit.Options(b, db.SQLite))
	must(b, err)
	b.Cleanup(func() { _ = d.Close() })
	h := newEnv(b, d, 0)
	h.createUser()
	fills := make([]ledger.NewFill, 0, 80_000)
	for i := range cap(fills) {
		f := ledger.NewFill{Symbol: "AAA", Side: matching.Sell, Quantity: decimal.New(1), Price: decimal.New(int64(10 + i%7)), ExecutedAt: minute(i)}
		if i%4 == 0 {
			f.Side, f.Quantity = matching.Buy, decimal.New(3)
		}
		fills = append(fills, f)
	}
	must(b, d.Update(b.Context(), func(tx *db.Tx) error {
		_, err := h.Ledger.InsertFills(b.Context(), tx, h.owner, h.account, journal.NewID[journal.BatchID](), fills)
		return err
	}))
	noop := func(*db.Tx, *columns.Snapshot) error { return nil }
	b.Run("closed", func(b *testing.B) {
		for b.Loop() {
			must(b, columns.New(d, 0, "").View(b.Context(), h.owner, nil, noop))
		}
	})
	b.Run("realized", func(b *testing.B) {
		for b.Loop() {
			must(b, columns.New(d, 0, "").ViewRealized(b.Context(), h.owner, nil, noop))
		}
	})
	b.Run("write and realized", func(b *testing.B) {
		at := len(fills)
		must(b, h.Figures.ViewRealized(b.Context(), h.owner, nil, noop))
		for b.Loop() {
			h.fill("AAA", matching.Buy, "2", "10", at)
			h.fill("AAA", matching.Sell, "1", "11", at+1)
			h.fill("AAA", matching.Sell, "1", "11", at+2)
			must(b, h.Figures.ViewRealized(b.Context(), h.owner, nil, noop))
			at += 3
		}
	})
}
