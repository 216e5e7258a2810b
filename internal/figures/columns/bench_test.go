package columns_test

import (
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

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
