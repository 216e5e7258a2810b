package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

func TestTradeDetail(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("batch", orders(t, "buy 100 10 fees=1; sell 300 11 fees=9 commission=3; buy 200 10")...)
		trades := d.trades()
		detail, err := d.ledger.Trade(t.Context(), d.owner, trades[1].ID)
		must(t, err)
		if detail.Direction != matching.Short || detail.Executions != 2 || detail.Currency != "USD" || detail.Account != d.account ||
			detail.AvgEntry.String() != "11" || detail.AvgExit.String() != "10" || detail.Costs().String() != "8" ||
			detail.NetPnL.String() != "192" || detail.ReturnPct.String() != "8.727272727273" || detail.EntryNotional.String() != "2200" ||
			detail.Volume.String() != "4200" || detail.Open() || !detail.OpenedAt.Equal(minute(1)) || !detail.ClosedAt.Equal(minute(2)) {
			t.Errorf("short trade: %+v", detail.Trade)
		}
		var got []string
		for _, f := range detail.Fills {
			got = append(got, fmt.Sprintf("%s %s of %s fees %s commission %s in %d batch %s",
				f.Role, f.PartQuantity, f.Quantity, f.PartFees, f.PartCommission, len(f.TradeIDs), *f.Batch))
		}
		want := "opening 200 of 300 fees 6 commission 2 in 2 batch batch; closing 200 of 200 fees 0 commission 0 in 1 batch batch"
		if strings.Join(got, "; ") != want {
			t.Errorf("fills: %s\nwant %s", strings.Join(got, "; "), want)
		}
		_, err = d.ledger.Trade(t.Context(), d.owner, "nothing")
		refused(t, err, journal.KindNotFound, "")
	})
}

// TestTradeList is order, filters and paging over two accounts.
func TestTradeList(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 1 10 at=0; sell 1 11 at=10; buy 2 10 at=12; buy 3 10 symbol=MSFT at=1; sell 3 9 symbol=MSFT at=2")
		first := d.account
		d.account = d.newAccount(d.owner, "USD")
		d.add("sell 4 10 symbol=ESZ5 type=future at=3; buy 4 9 symbol=ESZ5 type=future at=11; sell 5 10 at=2")

		marked := d.trades()[1].ID
		period := func(from, to int) journal.Scope {
			return journal.Scope{Period: journal.Period{From: new(minute(from)), To: new(minute(to))}}
		}
		for _, c := range []struct {
			want string
			q    ledger.TradeQuery
		}{
			{"2 4 1 5 3", ledger.TradeQuery{}},
			{"2 4 5 3 1", ledger.TradeQuery{Basis: ledger.ByOpening}},
			{"2 1 3", ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{first}}}},
			{"4 1", ledger.TradeQuery{Scope: period(10, 11)}},
			{"4 5", ledger.TradeQuery{Scope: period(2, 11), Basis: ledger.ByOpening}},
			{"2 5", ledger.TradeQuery{Status: ledger.StatusOpen}},
			{"4 1 3", ledger.TradeQuery{Status: ledger.StatusClosed}},
			{"4 3", ledger.TradeQuery{Symbols: []string{" msft", "ESZ5"}}},
			{"2 1 3", ledger.TradeQuery{Direction: matching.Long}},
			{"4", ledger.TradeQuery{InstrumentTypes: []string{"future"}}},
			{"3", ledger.TradeQuery{Direction: matching.Long, Status: ledger.StatusClosed, Symbols: []string{"MSFT"}}},
			{"5", ledger.TradeQuery{Where: []ledger.Condition{func(args *[]any) string {
				return "trades.id IN " + db.In(args, []journal.TradeID{marked})
			}}}},
		} {
			if got := d.quantities(c.q); got != c.want {
				t.Errorf("%+v: %s, want %s", c.q, got, c.want)
			}
		}
	})
}

// quantities lists the opened quantities of a query's trades, and compares their number
// with the count.
func (d *fixture) quantities(q ledger.TradeQuery) string {
	d.Helper()
	var out []string
	must(d, d.ledger.EachTrade(d.Context(), d.owner, q, func(tr ledger.Trade) error {
		out = append(out, tr.QtyOpened.String())
		return nil
	}))
	n, err := d.ledger.CountTrades(d.Context(), d.owner, q)
	must(d, err)
	if q.Limit == 0 && q.After == nil && n != len(out) {
		d.Errorf("counted %d of %d", n, len(out))
	}
	return strings.Join(out, " ")
}

func TestTradePages(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 1 10 at=0; sell 1 11 at=10; buy 2 10 at=12; buy 3 10 symbol=MSFT at=1; sell 3 9 symbol=MSFT at=2")
		d.account = d.newAccount(d.owner, "USD")
		d.add("sell 4 10 symbol=ESZ5 type=future at=3; buy 4 9 symbol=ESZ5 type=future at=11; sell 5 10 at=2")
		for _, basis := range []ledger.DateBasis{ledger.ByClosing, ledger.ByOpening} {
			q := ledger.TradeQuery{Basis: basis}
			whole := d.quantities(q)
			var pages []string
			for q.Limit = 1; len(pages) < 5; {
				pages = append(pages, d.quantities(q))
				must(t, d.ledger.EachTrade(t.Context(), d.owner, q, func(tr ledger.Trade) error {
					q.After = &tr.Cursor
					return nil
				}))
			}
			if got := strings.Join(pages, " "); got != whole || d.quantities(q) != "" {
				t.Errorf("page by page: %s, want %s", got, whole)
			}
		}
	})
}

func TestTradeQueryIsRefused(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		bad := ledger.TradeQuery{Status: "half"}
		refused(t, d.ledger.EachTrade(t.Context(), d.owner, bad, nil), journal.KindInvalid, "status")
		bad = ledger.TradeQuery{Direction: "up"}
		_, err := d.ledger.CountTrades(t.Context(), d.owner, bad)
		refused(t, err, journal.KindInvalid, "side")
	})
}

// TestDeleteTrade is what is left of the neighbours.
func TestDeleteTrade(t *testing.T) {
	type example = struct {
		fills  string
		delete int
		want   string
		left   string // the fills
	}
	eachCase(t, map[string]example{
		"alone":           {"buy 1 10; sell 1 12", 0, "", ""},
		"between":         {"buy 1 10; sell 1 12; buy 2 10; sell 2 13; buy 3 10", 1, "long 1 net 2; long 3 open 3 realized 0", "buy 1, sell 1, buy 3"},
		"open":            {"buy 1 10; sell 1 12; buy 2 10", 1, "long 1 net 2", "buy 1, sell 1"},
		"before a flip":   {"buy 100 10; sell 150 12 fees=9; buy 50 11", 0, "short 50 net 47", "sell 50, buy 50"},
		"after a flip":    {"buy 100 10; sell 150 12 fees=9; buy 50 11", 1, "long 100 net 194", "buy 100, sell 100"},
		"between flips":   {"buy 1 10; sell 3 12; buy 3 11; sell 1 15", 1, "long 1 net 2; long 1 net 4", "buy 1, sell 1, buy 1, sell 1"},
		"stated, closing": {"buy 1 10; sell 3 12 stated=7; buy 2 11", 1, "long 1 net 7", "buy 1, sell 1"},
		"stated, opening": {"buy 1 10; sell 3 12 stated=7; buy 2 11", 0, "short 2 net 2", "sell 2, buy 2"},
		"same instant":    {"buy 1 10 at=0; sell 3 12 at=0; buy 2 11 at=0", 1, "long 1 net 2", "buy 1, sell 1"},
	}, func(t *testing.T, d *fixture, c example) {
		d.add(c.fills)
		trades := d.trades()
		slices.SortFunc(trades, func(a, b ledger.Trade) int {
			return a.OpenedAt.Compare(b.OpenedAt)*2 + strings.Compare(string(a.ID), string(b.ID))
		})
		gone := trades[c.delete].ID
		d.changes = nil
		must(t, d.ledger.DeleteTrade(t.Context(), d.owner, gone, func(_ context.Context, _ *db.Tx, seen ledger.TradeDetail) error {
			if seen.ID != gone || len(seen.Fills) == 0 {
				t.Errorf("check saw %+v", seen)
			}
			return nil
		}))
		d.expectTrades(c.want)
		var left []string
		for _, e := range d.executions() {
			left = append(left, fmt.Sprintf("%s %s", e.Side, e.Quantity))
		}
		if strings.Join(left, ", ") != c.left {
			t.Errorf("fills left: %v, want %s", left, c.left)
		}
		change := d.changes[0]
		if len(d.changes) != 1 || !slices.Equal(change.Deleted, []journal.TradeID{gone}) ||
			!slices.Equal(change.Removed, change.Deleted) || len(change.Merged)+len(change.Orphaned)+len(change.Created) != 0 {
			t.Errorf("changes %+v", d.changes)
		}
		for i, tr := range d.trades() {
			if tr.ID == gone || !slices.ContainsFunc(trades, func(old ledger.Trade) bool { return old.ID == tr.ID }) {
				t.Errorf("trade %d has the id %s", i, tr.ID)
			}
		}
	})
}

func TestDeleteTradeRefusals(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("batch", orders(t, "buy 1 10; sell 3 12; buy 2 11")...)
		stale := errors.New("stale")
		err := d.ledger.DeleteTrade(t.Context(), d.owner, d.trades()[0].ID, func(context.Context, *db.Tx, ledger.TradeDetail) error { return stale })
		if !errors.Is(err, stale) {
			t.Errorf("a rejected check returned %v", err)
		}
		refused(t, d.ledger.DeleteTrade(t.Context(), d.owner, "nothing", nil), journal.KindNotFound, "")
		d.expectTrades("long 1 net 2; short 2 net 2")
		// The import counts the deleted fill, and finds the reduced one.
		must(t, d.ledger.DeleteTrade(t.Context(), d.owner, d.trades()[0].ID, nil))
		d.expectBatchRows("batch", ledger.BatchRows{Fills: 2, FillsRemoved: 1})
		d.expectPreview("+==", orders(t, "buy 1 10; sell 3 12; buy 2 11"))
		d.sound()
	})
}

// TestDamagedTradeIsReported checks that a damaged trade causes an error.
func TestDamagedTradeIsReported(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 1 10; sell 1 11")
		id := d.trades()[0].ID
		d.damage(`UPDATE trades SET execution_count = 7`)
		if _, err := d.ledger.Trade(t.Context(), d.owner, id); err == nil || !strings.Contains(err.Error(), "fillbook check") {
			t.Errorf("got %v", err)
		}
		if n, err := d.ledger.RegroupAll(t.Context(), d.owner, d.account); err != nil || n != 1 {
			t.Errorf("repaired %d, %v", n, err)
		}
		d.expectTrades("long 1 net 1")
		if d.trades()[0].ID != id {
			t.Error("the repair changed the id")
		}
	})
}

func (d *fixture) damage(statement string, args ...any) {
	d.Helper()
	if before, after, found := strings.Cut(statement, "'"+noTrade+"'"); found {
		statement, args = before+"$1"+after, []any{journal.TradeID(noTrade)}
	}
	must(d, d.db.Update(context.Background(), func(tx *db.Tx) error {
		n, err := tx.Exec(context.Background(), statement, args...)
		if err == nil && n == 0 {
			d.Errorf("%s changed nothing", statement)
		}
		return err
	}))
}

// noTrade is the id of a trade that does not exist.
const noTrade = "00000000-0000-7000-8000-000000000000"

// TestTouchedSince is how a copy of an account's trades is kept up to date.
func TestTouchedSince(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		touched := func(since int64) (ids []journal.TradeID, known bool) {
			must(t, d.db.View(t.Context(), func(tx *db.Tx) (err error) {
				ids, known, err = ledger.TouchedSince(t.Context(), tx, d.owner, d.account, since)
				return err
			}))
			return ids, known
		}
		d.add("buy 1 10; sell 1 11")
		start := d.revision()
		if ids, known := touched(start); len(ids) != 0 || !known {
			t.Errorf("at rest: %v %t", ids, known)
		}
		if _, known := touched(start + 1); known {
			t.Error("a revision that was not yet is known")
		}
		old := d.trades()[0].ID
		ids := d.add("buy 1 10 at=5 symbol=MSFT")
		if got, known := touched(start); !known || len(got) != 1 || got[0] == old {
			t.Errorf("after a new trade: %v %t", got, known)
		}
		must(t, d.ledger.DeleteExecution(t.Context(), d.owner, ids[0], nil))
		if got, known := touched(start); !known || len(got) != 1 {
			t.Errorf("after its end: %v %t", got, known)
		}
		before := d.revision()
		must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
			account, err := ledger.LockTrade(t.Context(), tx, d.owner, old)
			must(t, err)
			return ledger.TouchTrades(t.Context(), tx, d.owner, account, old)
		}))
		if got, known := touched(before); !known || !slices.Equal(got, []journal.TradeID{old}) {
			t.Errorf("after a touch: %v %t", got, known)
		}
		if _, known := touched(before - 1); known {
			t.Error("a revision that this history does not have is known")
		}
		d.sound()
		// A write that changes more trades than the log contains.
		var many []ledger.NewFill
		for n := range 1100 {
			many = append(many, order(t, fmt.Sprintf("buy 1 10 lot=%d", n), n))
		}
		d.insert("", many...)
		if _, known := touched(start); known {
			t.Error("a large write is logged trade by trade")
		}
		large := d.revision()
		if got, known := touched(large); !known || len(got) != 0 || d.count("trade_log") != 1 {
			t.Errorf("after it: %v %t", got, known)
		}
		d.add("buy 1 10 at=9 symbol=NVDA")
		if got, known := touched(large); !known || len(got) != 1 {
			t.Errorf("after a small write that follows: %v %t", got, known)
		}
	})
}

// TestTheLogIsPruned after so many writes.
func TestTheLogIsPruned(t *testing.T) {
	t.Parallel()
	d := newFixture(t, openSQLite(t))
	d.add("buy 1 10; sell 1 11")
	id := d.trades()[0].ID
	var revisions []int64
	for range 1200 {
		revisions = append(revisions, d.revision())
		must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
			return ledger.TouchTrades(t.Context(), tx, d.owner, d.account, id)
		}))
	}
	if n := d.count("trade_log"); n < 900 || n > 1200 {
		t.Errorf("%d rows in the log", n)
	}
	must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
		_, known, err := ledger.TouchedSince(t.Context(), tx, d.owner, d.account, revisions[50])
		_, newer, _ := ledger.TouchedSince(t.Context(), tx, d.owner, d.account, revisions[400])
		if known || !newer {
			t.Errorf("after 1200 writes the 50th is known: %t, the 400th: %t", known, newer)
		}
		return err
	}))
	d.sound()
}

func TestSameInstantIsOrderedByArrival(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		in := orders(t, "buy 1 10 at=0; sell 2 12 at=0; buy 1 11 at=0")
		d.insert("", in...)
		d.expectTrades("long 1 net 2; short 1 net 1")
		d.account = d.newAccount(d.owner, "USD")
		slices.Reverse(in)
		d.insert("", in...)
		if got := summary(d.tradesOf(d.account)); got != "long 1 net 1; short 1 net 2" {
			t.Errorf("the other way round: %s", got)
		}
	})
}
