package columns_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// parts writes the owner's realized results, in order, as "symbol net".
func (h *env) parts(s *columns.Service) string {
	h.t.Helper()
	var list []string
	must(h.t, s.ViewRealized(h.t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
		for _, columns := range b.Columns {
			for row := range columns.Len() {
				t := columns.Trade(row)
				list = append(list, fmt.Sprint(t.Symbol, " ", t.Net))
			}
		}
		return nil
	}))
	return strings.Join(list, ", ")
}

// TestRealizedPartsFollowEveryWrite changes trades closed in steps. After each write the
// parts must equal those from a new service.
func TestRealizedPartsFollowEveryWrite(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		ctx := t.Context()
		expect := func(what, want string) {
			t.Helper()
			h.checkFresh(what)
			if got := h.parts(h.Figures); got != want {
				t.Errorf("after %s: %s, want %s", what, got, want)
			}
		}
		expect("nothing", "")
		h.fill("AAA", matching.Buy, "100", "10", 0)
		expect("an opening", "")
		h.fill("AAA", matching.Sell, "40", "12", 1)
		expect("a part of it closed", "AAA 80")
		last := h.fill("AAA", matching.Sell, "60", "14", 2)
		expect("the rest closed", "AAA 80, AAA 240")
		h.annotate(last.TradeIDs[0], playbook.AnnotationChange{ValueChange: playbook.ValueChange{InitialRisk: journal.Some(decimal.Must("50"))}})
		expect("annotations", "AAA 80, AAA 240")
		h.roundTrip("BBB", 5)
		expect("a trade closed at once", "AAA 80, AAA 240, BBB 200")
		_, err := h.Ledger.UpdateExecution(ctx, h.owner, last.ID, ledger.ExecutionChange{ExecutedAt: journal.Some(minute(1))}, nil)
		must(t, err)
		expect("both closings at one instant", "AAA 320, BBB 200")
		_, err = h.Ledger.UpdateExecution(ctx, h.owner, last.ID, ledger.ExecutionChange{ExecutedAt: journal.Some(minute(9))}, nil)
		must(t, err)
		expect("the closings apart again", "AAA 80, BBB 200, AAA 240")
		must(t, h.Ledger.DeleteExecution(ctx, h.owner, last.ID, nil))
		expect("the last closing gone", "AAA 80, BBB 200")
		h.fill("AAA", matching.Sell, "100", "11", 10)
		expect("a fill that crosses zero", "AAA 80, BBB 200, AAA 60")
		h.fill("AAA", matching.Buy, "10", "10", 11)
		expect("a part of what it opened closed", "AAA 80, BBB 200, AAA 60, AAA 10")
		must(t, h.Ledger.DeleteTrade(ctx, h.owner, last.TradeIDs[0], nil))
		h.checkFresh("a deleted trade")
	})
}

// TestRealizedPartsOfAnOldSnapshot: a query on an old snapshot, while newer
// columns are cached without parts, reads its own and does not change the cache.
func TestRealizedPartsOfAnOldSnapshot(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		ctx := t.Context()
		h.fill("AAA", matching.Buy, "100", "10", 0)
		h.fill("AAA", matching.Sell, "40", "12", 1)
		must(t, h.DB.View(ctx, func(old *db.Tx) error {
			if _, err := ledger.Accounts(ctx, old, h.owner); err != nil { // the snapshot begins with a read
				return err
			}
			h.fill("AAA", matching.Sell, "60", "14", 2)
			must(t, h.Figures.View(ctx, h.owner, nil, func(*db.Tx, *columns.Snapshot) error { return nil }))
			b, err := h.Figures.ReadRealized(ctx, old, h.owner, nil)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			h.writeRealized(&out, b)
			if n := b.Columns[0].Len(); n != 1 {
				t.Errorf("the old snapshot has %d parts, want 1:\n%s", n, out.String())
			}
			return nil
		}))
		if got := h.parts(h.Figures); got != "AAA 80, AAA 240" {
			t.Errorf("the present parts are %s", got)
		}
	})
}

// TestRealizedPartsCostNoMemoryWhereThereAreNone checks that pages without parts are
// shared.
func TestRealizedPartsCostNoMemoryWhereThereAreNone(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		for i := range 5 {
			h.roundTrip("AAA", 10*i)
		}
		h.parts(h.Figures)
		plain := columns.New(h.DB, 0, "")
		must(t, plain.View(t.Context(), h.owner, nil, func(*db.Tx, *columns.Snapshot) error { return nil }))
		if got, want := h.Figures.CachedBytes(), plain.CachedBytes(); got != want {
			t.Errorf("columns take %d bytes with realized parts, %d without", got, want)
		}
		h.fill("AAA", matching.Buy, "2", "10", 100)
		h.fill("AAA", matching.Sell, "1", "11", 101)
		h.parts(h.Figures)
		if got := h.Figures.CachedBytes(); got <= plain.CachedBytes() {
			t.Errorf("columns take %d bytes with a part, and %d without", got, plain.CachedBytes())
		}
	})
}

// TestSumsAreTheSameOnBothBases: once everything is flat, sums over all trades do
// not depend on when results count.
func TestSumsAreTheSameOnBothBases(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		for i, f := range []struct {
			side            matching.Side
			quantity, price string
		}{
			{matching.Buy, "3", "10.01"},
			{matching.Sell, "1", "11.5"},
			{matching.Sell, "1", "9"},
			{matching.Buy, "2", "8"},
			{matching.Sell, "7", "10"},
			{matching.Buy, "1", "9.99"},
			{matching.Buy, "3", "12"},
		} {
			_, err := h.Ledger.AddExecution(t.Context(), h.owner, h.account, ledger.NewFill{
				Symbol: "AAA", Side: f.side, Quantity: decimal.Must(f.quantity), Price: decimal.Must(f.price), ExecutedAt: minute(1000 * i),
				Fees: decimal.Must("0.1"), Commission: decimal.Must("1"),
			})
			must(t, err)
		}
		sums := func(s analytics.Summary) string {
			return fmt.Sprint(s.TotalTrades, s.NetPnL, s.GrossPnL, s.TotalFees, s.Volume)
		}
		var closed, realized string
		must(t, h.Figures.View(t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
			closed = sums(analytics.Summarize(b.Select(analytics.Filter{}), b.Capital))
			return nil
		}))
		must(t, h.Figures.ViewRealized(t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
			s := b.Select(analytics.Filter{Realized: true})
			realized = sums(analytics.Summarize(s, b.Capital))
			if s.Len() != 5 {
				t.Errorf("%d parts, want 5", s.Len())
			}
			return nil
		}))
		if closed != realized || !strings.HasPrefix(closed, "2 ") {
			t.Errorf("closed %s, realized %s", closed, realized)
		}
	})
}
