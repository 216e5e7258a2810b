package columns_test

import (
	"strconv"
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// TestTwoServicesOnOneDatabase alternates writes and reads from two servers on one
// database. No answer may be older than the last write.
func TestTwoServicesOnOneDatabase(t *testing.T) {
	t.Parallel()
	rounds := map[db.Engine]int{db.SQLite: 100, db.PostgreSQL: testkit.Rounds(200, 1000)}
	for engine, n := range rounds {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			options := testkit.Options(t, engine)
			var servers [2]*env
			for i := range servers {
				d, err := db.Open(t.Context(), options)
				must(t, err)
				t.Cleanup(func() { _ = d.Close() })
				servers[i] = newEnv(t, d, 0)
			}
			servers[0].createUser()
			servers[1].owner, servers[1].account = servers[0].owner, servers[0].account
			alternateWrites(t, servers, n)
		})
	}
}

// alternateWrites counts the expected totals itself.
func alternateWrites(t *testing.T, servers [2]*env, rounds int) {
	t.Helper()
	trades, net, cash := 0, int64(0), int64(0)
	var last journal.TradeID // and what it made
	var made int64
	for i := range rounds {
		writer, reader := servers[i%2], servers[(i+1)%2]
		switch {
		case i%5 == 3:
			_, err := writer.Ledger.AddCash(t.Context(), writer.owner, writer.account, ledger.NewCash{
				Type: ledger.Deposit, Amount: decimal.New(int64(i)), OccurredAt: minute(-i),
			})
			must(t, err)
			cash += int64(i)
		case i%7 == 6 && last != "":
			must(t, writer.Ledger.DeleteTrade(t.Context(), writer.owner, last, nil))
			trades, net, last = trades-1, net-made, ""
		default:
			writer.fill("S"+strconv.Itoa(i), matching.Buy, "1", "10", i)
			done := writer.fill("S"+strconv.Itoa(i), matching.Sell, "1", strconv.Itoa(10+i%4), i)
			made, last = int64(i%4), done.TradeIDs[0]
			trades, net = trades+1, net+made
		}
		must(t, reader.Figures.View(t.Context(), reader.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
			got := analytics.Summarize(b.Select(analytics.Filter{}), b.Capital)
			curve := analytics.BuildEquityCurve(b.Columns, analytics.CurveQuery{Capital: b.Capital})
			if got.TotalTrades != trades || !got.NetPnL.Equal(decimal.New(net)) || !curve.EndingEquity.Equal(decimal.New(1000+net+cash)) {
				t.Fatalf("round %d: %d trades, net %s, equity %s; want %d, %d and %d",
					i, got.TotalTrades, got.NetPnL, curve.EndingEquity, trades, net, 1000+net+cash)
			}
			return nil
		}))
	}
	if a, b := servers[0].checkFresh("all"), servers[1].checkFresh("all"); a != b {
		t.Errorf("the two differ:\n%s\n%s", a, b)
	}
}

// TestMemoryIsBounded checks the limit for cached columns, and that answers do not depend
// on it.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		var accounts []journal.AccountID
		for i := range 5 {
			h.account = h.createAccount("Account "+strconv.Itoa(i), "0")
			accounts = append(accounts, h.account)
			for k := range 4 {
				h.roundTrip("AAA", 10*k)
			}
		}
		whole := columns.New(h.DB, 0, "")
		want := h.dump(whole)
		one := columns.New(h.DB, 0, "")
		must(t, one.View(t.Context(), h.owner, accounts[:1], func(*db.Tx, *columns.Snapshot) error { return nil }))
		if one.CachedBytes() <= 0 || whole.CachedBytes() < 5*one.CachedBytes() {
			t.Fatalf("one account takes %d bytes, five take %d", one.CachedBytes(), whole.CachedBytes())
		}
		limit := 2 * one.CachedBytes()
		bounded := columns.New(h.DB, limit, "")
		for _, account := range append(accounts, accounts...) {
			must(t, bounded.View(t.Context(), h.owner, []journal.AccountID{account}, func(_ *db.Tx, b *columns.Snapshot) error {
				if n := b.Columns[0].Len(); n != 4 {
					t.Errorf("the account has %d trades, want 4", n)
				}
				return nil
			}))
			if got := bounded.CachedBytes(); got > limit || got == 0 {
				t.Fatalf("%d bytes are cached, the limit is %d", got, limit)
			}
		}
		if got := h.dump(bounded); got != want {
			t.Errorf("with little memory the figures are\n%s\nwant\n%s", got, want)
		}
		if got := bounded.CachedBytes(); got > limit {
			t.Errorf("after a query for all accounts %d bytes are cached, the limit is %d", got, limit)
		}
	})
}

// TestReadersAndAWriter reads concurrently with writes. Each trade has a result of 1, so
// an answer's sum must equal its count, and no reader may see fewer trades than before.
func TestReadersAndAWriter(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		const trades, readers = 30, 4
		done := make(chan struct{})
		var all sync.WaitGroup
		for range readers {
			all.Go(func() { h.readUntil(t, done) })
		}
		for i := range trades {
			h.fill("AAA", matching.Buy, "1", "10", 2*i)
			last := h.fill("AAA", matching.Sell, "1", "11", 2*i+1)
			h.annotate(last.TradeIDs[0], playbook.AnnotationChange{ValueChange: playbook.ValueChange{InitialRisk: journal.Some(decimal.Must("1"))}})
		}
		close(done)
		all.Wait()
		h.checkFresh("all writes")
	})
}

func (h *env) readUntil(t *testing.T, done <-chan struct{}) {
	seen := 0
	for {
		select {
		case <-done:
			return
		default:
		}
		err := h.Figures.View(t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
			got := analytics.Summarize(b.Select(analytics.Filter{}), b.Capital)
			if !got.NetPnL.Equal(decimal.New(int64(got.TotalTrades))) || got.TotalTrades < seen || got.TradesWithR < got.TotalTrades-1 {
				t.Errorf("%d trades made %s, %d of them annotated; %d were seen before", got.TotalTrades, got.NetPnL, got.TradesWithR, seen)
			}
			seen = got.TotalTrades
			return nil
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// TestScope checks that several currencies and unknown accounts are rejected.
func TestScope(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		view := func(ids ...journal.AccountID) error {
			return h.Figures.View(t.Context(), h.owner, ids, func(*db.Tx, *columns.Snapshot) error { return nil })
		}
		must(t, view())
		if err := view("no such account"); !journal.IsKind(err, journal.KindNotFound) {
			t.Errorf("an unknown account: %v", err)
		}
		euro, err := h.Ledger.CreateAccount(t.Context(), h.owner, ledger.NewAccount{Name: "Euro", BaseCurrency: "EUR"})
		must(t, err)
		must(t, view(euro.ID))
		must(t, view(h.account))
		for name, ids := range map[string][]journal.AccountID{"all": nil, "both": {euro.ID, h.account}} {
			if err := view(ids...); !journal.IsKind(err, journal.KindInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
