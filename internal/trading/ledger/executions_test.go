package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

func TestAddExecution(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		in := ledger.NewFill{
			Symbol: " aapl ", InstrumentType: "OPTION", Side: matching.Sell, Quantity: decimal.Must("3"),
			Price: decimal.Must("1.050"), Fees: decimal.Must("0.10"), Commission: decimal.Must("-0.02"),
			ExecutedAt: begin.Add(123456789), ExternalID: " E-1 ", StatedPnL: decimal.Of(decimal.Must("7")),
			Details: map[string]string{"option_right": "CALL", "strike": "150.50", "expiry": "2026-06-19", "lot": "L1", "venue": "CBOE"},
		}
		added, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, in)
		must(t, err)
		got, err := d.ledger.Execution(t.Context(), d.owner, added.ID)
		must(t, err)
		id := "E-1"
		want := ledger.Execution{
			ID: added.ID, Account: d.account, Side: matching.Sell, Quantity: decimal.New(3), Price: decimal.Must("1.05"),
			Instrument: ledger.Instrument{
				Symbol: "AAPL", Type: "option", OptionRight: "call", Strike: decimal.Of(decimal.Must("150.5")), Expiry: "2026-06-19", Lot: "L1",
			},
			Fees: decimal.Must("0.1"), Commission: decimal.Must("-0.02"), Multiplier: decimal.New(100), StatedPnL: decimal.Of(decimal.New(7)),
			ExecutedAt: begin.Add(123456000), ExternalID: &id, CreatedAt: d.clock.Now(), TradeIDs: added.TradeIDs,
			Details: map[string]string{"option_right": "call", "strike": "150.5", "expiry": "2026-06-19", "lot": "L1", "venue": "CBOE"},
			Cursor:  ledger.ExecutionCursor{At: begin.Add(123456000).UnixMicro(), Arrival: 1, Account: 1},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want, added.Execution); diff != "" || added.Deduped || len(added.TradeIDs) != 1 {
			t.Errorf("answer: %s", diff)
		}
	})
}

func TestExecutionRefusals(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		for _, c := range []struct{ field, order string }{
			{"symbol", "buy 1 10 symbol=" + strings.Repeat("X", 65)},
			{"side", "hold 1 10"},
			{"quantity", "buy 0 10"},
			{"quantity", "buy -1 10"},
			{"quantity", "buy 1234567890123456 10"},
			{"price", "buy 1 -10"},
			{"price", "buy 1 -10 type=crypto"},
			{"price", "buy 1 0.1234567890123456789"},
			{"fees", "buy 1 10 fees=1234567890123456"},
			{"commission", "buy 1 10 commission=0.1234567890123456789"},
			{"multiplier", "buy 1 10 multiplier=0"},
			{"multiplier", "buy 1 10 multiplier=-5"},
			{"stated_pnl", "buy 1 10 stated=1234567890123456"},
			{"external_id", "buy 1 10 id=" + strings.Repeat("x", 201)},
			{"instrument_type", "buy 1 10 type=" + strings.Repeat("x", 201)},
			{"details.option_right", "buy 1 10 option_right=both"},
			{"details.strike", "buy 1 10 strike=high"},
			{"details.expiry", "buy 1 10 expiry=2026-02-30"},
			{"details.lot", "buy 1 10 lot=" + strings.Repeat("x", 201)},
			{"details", "buy 1 10 note=" + strings.Repeat("x", 9000)},
		} {
			in := order(t, c.order, 0)
			_, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, in)
			refused(t, err, journal.KindInvalid, c.field)
			refused(t, in.Check(), journal.KindInvalid, c.field)
		}
		for _, at := range []time.Time{{}, begin.AddDate(-100, 0, 0), begin.AddDate(200, 0, 0)} {
			in := order(t, "buy 1 10", 0)
			in.ExecutedAt = at
			refused(t, in.Check(), journal.KindInvalid, "executed_at")
		}
		_, err := d.ledger.AddExecution(t.Context(), d.owner, "nothing", order(t, "buy 1 10", 0))
		refused(t, err, journal.KindNotFound, "")
		d.add("buy 1 -37.63 symbol=CLK0 type=future; buy 1 -0.05 type=option symbol=SPX; buy 1 0")
		if n := d.count("executions"); n != 3 {
			t.Errorf("%d executions", n)
		}
	})
}

func TestMultipliers(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		list, err := d.ledger.SetOverrides(t.Context(), d.owner, d.account, []ledger.Override{
			{Root: " zz ", Multiplier: decimal.New(7), TickSize: decimal.Of(decimal.Must("0.5"))},
			{Root: "US30", Multiplier: decimal.Must("0.1")},
			{Root: "nq", Multiplier: decimal.New(21)},
		})
		must(t, err)
		stored, err := d.ledger.Overrides(t.Context(), d.owner, d.account)
		must(t, err)
		if diff := cmp.Diff(list, stored); diff != "" || stored[0].Root != "NQ" {
			t.Errorf("overrides: %+v %s", stored, diff)
		}
		for order, want := range map[string]string{
			"buy 1 1":                                            "1",
			"buy 1 1 symbol=ESZ5 type=future":                    "50",
			"buy 1 1 symbol=NQH6 type=future":                    "21",
			"buy 1 1 symbol=ZZH6 type=future":                    "7",
			"buy 1 1 symbol=US30 type=cfd":                       "0.1",
			"buy 1 1 symbol=SPY type=option":                     "100",
			"buy 1 1 symbol=BTCUSD type=crypto":                  "1",
			"buy 1 1 symbol=SPY type=option lot=x multiplier=10": "10",
		} {
			in := orderOf(t, order)
			added, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, in)
			must(t, err)
			if added.Multiplier.String() != want || len(added.Warnings) != 0 {
				t.Errorf("%s: multiplier %s, warnings %q; want %s", order, added.Multiplier, added.Warnings, want)
			}
		}
		added, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, orderOf(t, "buy 1 1 symbol=QQQQZ5 type=future"))
		must(t, err)
		if added.Multiplier.String() != "1" || len(added.Warnings) != 1 {
			t.Errorf("an unknown future: multiplier %s, warnings %q", added.Multiplier, added.Warnings)
		}
		for field, bad := range map[string]ledger.Override{
			"root": {Multiplier: decimal.New(1)}, "multiplier": {Root: "A"},
			"tick_size": {Root: "A", Multiplier: decimal.New(1), TickSize: decimal.Of(decimal.Zero)},
		} {
			_, err := d.ledger.SetOverrides(t.Context(), d.owner, d.account, []ledger.Override{bad})
			refused(t, err, journal.KindInvalid, field)
		}
		twice := ledger.Override{Root: "A", Multiplier: decimal.New(1)}
		_, err = d.ledger.SetOverrides(t.Context(), d.owner, d.account, []ledger.Override{twice, twice})
		refused(t, err, journal.KindInvalid, "root")
		_, err = d.ledger.SetOverrides(t.Context(), d.owner, d.account, make([]ledger.Override, 1001))
		refused(t, err, journal.KindInvalid, "")
	})
}

func orderOf(t testing.TB, text string) ledger.NewFill { return order(t, text, 0) }

// TestUpdateExecution tests partial changes, each by itself on the closing fill in "buy
// 100 10; sell 100 12".
func TestUpdateExecution(t *testing.T) {
	number := func(s string) journal.Opt[decimal.Decimal] { return journal.Some(decimal.Must(s)) }
	type example = struct {
		change ledger.ExecutionChange
		want   string
	}
	eachCase(t, map[string]example{
		"price":        {ledger.ExecutionChange{Price: number("13")}, "long 100 net 299"},
		"quantity":     {ledger.ExecutionChange{Quantity: number("40")}, "long 100 open 60 realized 79"},
		"more":         {ledger.ExecutionChange{Quantity: number("150")}, "long 100 net 199.333333333333; short 50 open 50 realized 0"},
		"side":         {ledger.ExecutionChange{Side: journal.Some(matching.Buy)}, "long 200 open 200 realized 0"},
		"time":         {ledger.ExecutionChange{ExecutedAt: journal.Some(begin.Add(-time.Hour))}, "short 100 net 199"},
		"fees":         {ledger.ExecutionChange{Fees: number("5")}, "long 100 net 195"},
		"commission":   {ledger.ExecutionChange{Commission: number("-1")}, "long 100 net 200"},
		"costs null":   {ledger.ExecutionChange{Fees: journal.Opt[decimal.Decimal]{Set: true, Null: true}}, "long 100 net 200"},
		"multiplier":   {ledger.ExecutionChange{Multiplier: number("2")}, "long 100 net 1399"},
		"stated":       {ledger.ExecutionChange{StatedPnL: number("5")}, "long 100 net 4"},
		"symbol":       {ledger.ExecutionChange{Symbol: journal.Some("msft")}, "long 100 open 100 realized 0; short 100 open 100 realized 0"},
		"type":         {ledger.ExecutionChange{InstrumentType: journal.Some("cfd")}, "long 100 open 100 realized 0; short 100 open 100 realized 0"},
		"lot":          {ledger.ExecutionChange{Details: journal.Some(map[string]string{"lot": "2"})}, "long 100 open 100 realized 0; short 100 open 100 realized 0"},
		"only details": {ledger.ExecutionChange{Details: journal.Some(map[string]string{"a": "b"}), ExternalID: journal.Some("x")}, "long 100 net 199"},
		"nothing":      {ledger.ExecutionChange{}, "long 100 net 199"},
		"same numbers": {ledger.ExecutionChange{Price: number("12.0")}, "long 100 net 199"},
	}, func(t *testing.T, d *fixture, c example) {
		ids := d.add("buy 100 10; sell 100 12 fees=1")
		before := d.trades()[0]
		d.changes = nil
		after, err := d.ledger.UpdateExecution(t.Context(), d.owner, ids[1], c.change, nil)
		must(t, err)
		d.expectTrades(c.want)
		if d.trades()[0].ID != before.ID && d.trades()[len(d.trades())-1].ID != before.ID {
			t.Error("the trade has another id")
		}
		if c.want == "long 100 net 199" && len(d.changes) != 0 {
			t.Errorf("unexpected changes %+v", d.changes)
		}
		stored, err := d.ledger.Execution(t.Context(), d.owner, ids[1])
		must(t, err)
		if diff := cmp.Diff(stored, after); diff != "" {
			t.Errorf("stored and answered differ: %s", diff)
		}
	})
}

func TestUpdateExecutionRefusals(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		ids := d.add("buy 1 10 id=A; sell 1 11 id=B")
		null := ledger.ExecutionChange{
			Symbol: journal.Opt[string]{Set: true, Null: true},
		}
		edit := func(c ledger.ExecutionChange) error {
			_, err := d.ledger.UpdateExecution(t.Context(), d.owner, ids[0], c, nil)
			return err
		}
		refused(t, edit(null), journal.KindInvalid, "symbol")
		refused(t, edit(ledger.ExecutionChange{Price: journal.Opt[decimal.Decimal]{Set: true, Null: true}}), journal.KindInvalid, "price")
		refused(t, edit(ledger.ExecutionChange{Quantity: journal.Some(decimal.Zero)}), journal.KindInvalid, "quantity")
		refused(t, edit(ledger.ExecutionChange{ExternalID: journal.Some("B")}), journal.KindConflict, "")
		must(t, edit(ledger.ExecutionChange{ExternalID: journal.Some("A")}))
		must(t, edit(ledger.ExecutionChange{ExternalID: journal.Opt[string]{Set: true, Null: true}}))
		stale := errors.New("stale")
		_, err := d.ledger.UpdateExecution(t.Context(), d.owner, ids[0], ledger.ExecutionChange{Price: journal.Some(decimal.New(5))},
			func(e ledger.Execution) error {
				if e.ExternalID != nil || e.Price.String() != "10" {
					t.Errorf("check saw %+v", e)
				}
				return stale
			})
		if !errors.Is(err, stale) {
			t.Errorf("a rejected check returned %v", err)
		}
		if err := d.ledger.DeleteExecution(t.Context(), d.owner, ids[0], func(ledger.Execution) error { return stale }); !errors.Is(err, stale) {
			t.Errorf("a rejected check returned %v", err)
		}
		d.expectTrades("long 1 net 1")
		refused(t, d.ledger.DeleteExecution(t.Context(), d.owner, "nothing", nil), journal.KindNotFound, "")
	})
}

// TestStatedResult tests how edits change the broker's own result.
func TestStatedResult(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		ids := d.add("buy 1 150; sell 1 151 stated=6.62 fees=1")
		edit := func(c ledger.ExecutionChange, want string) {
			t.Helper()
			e, err := d.ledger.UpdateExecution(t.Context(), d.owner, ids[1], c, nil)
			must(t, err)
			if e.StatedPnL.String() != want {
				t.Errorf("stated %s, want %s", e.StatedPnL, want)
			}
		}
		edit(ledger.ExecutionChange{Fees: journal.Some(decimal.New(2))}, "6.62")
		edit(ledger.ExecutionChange{Price: journal.Some(decimal.New(151))}, "6.62")
		edit(ledger.ExecutionChange{Price: journal.Some(decimal.New(152)), StatedPnL: journal.Some(decimal.New(13))}, "13")
		edit(ledger.ExecutionChange{Price: journal.Some(decimal.New(153))}, "null")
		edit(ledger.ExecutionChange{StatedPnL: journal.Some(decimal.New(20))}, "20")
		edit(ledger.ExecutionChange{Quantity: journal.Some(decimal.Must("0.5"))}, "null")
		edit(ledger.ExecutionChange{Quantity: journal.Some(decimal.New(1)), StatedPnL: journal.Some(decimal.New(9))}, "9")
		d.expectTrades("long 1 net 7")
		edit(ledger.ExecutionChange{StatedPnL: journal.Opt[decimal.Decimal]{Set: true, Null: true}}, "null")
		d.expectTrades("long 1 net 1")
	})
}

// TestExecutionList is order, period, scope and paging.
func TestExecutionList(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 1 10 at=5; buy 2 10 at=1; buy 3 10 at=5; buy 4 10 at=3 symbol=MSFT")
		first := d.account
		d.account = d.newAccount(d.owner, "USD")
		d.add("sell 5 10 at=5; sell 6 10 at=2")
		second := d.account

		list := func(q ledger.ExecutionQuery) string {
			t.Helper()
			var out []string
			must(t, d.ledger.EachExecution(t.Context(), d.owner, q, func(e ledger.Execution) error {
				out = append(out, e.Quantity.String())
				return nil
			}))
			n, err := d.ledger.CountExecutions(t.Context(), d.owner, q)
			must(t, err)
			if q.Limit == 0 && q.After == nil && n != len(out) {
				t.Errorf("counted %d of %d", n, len(out))
			}
			return strings.Join(out, " ")
		}
		from, to := minute(2), minute(5)
		for want, q := range map[string]ledger.ExecutionQuery{
			"2 6 4 1 3 5":  {},
			"2 4 1 3":      {Scope: journal.Scope{Accounts: []journal.AccountID{first}}},
			"6 5":          {Scope: journal.Scope{Accounts: []journal.AccountID{second}}},
			"6 4 1 3 5":    {Scope: journal.Scope{Period: journal.Period{From: &from}}},
			"6 4":          {Scope: journal.Scope{Period: journal.Period{From: &from, To: new(minute(4))}}},
			"2 6 4 1 3 5 ": {Scope: journal.Scope{Period: journal.Period{To: &to}}},
		} {
			if got := list(q); got != strings.TrimSpace(want) {
				t.Errorf("%+v: %s, want %s", q, got, want)
			}
		}
		var pages []string
		q := ledger.ExecutionQuery{Limit: 1}
		for range 7 {
			page := list(q)
			pages = append(pages, page)
			must(t, d.ledger.EachExecution(t.Context(), d.owner, q, func(e ledger.Execution) error {
				q.After = &e.Cursor
				return nil
			}))
		}
		if got := strings.Join(pages, " "); got != "2 6 4 1 3 5 " {
			t.Errorf("page by page: %s", got)
		}
		err := d.ledger.EachExecution(t.Context(), d.owner, ledger.ExecutionQuery{Scope: journal.Scope{Period: journal.Period{From: &to, To: &from}}}, nil)
		refused(t, err, journal.KindInvalid, "from")
		stop := errors.New("stop")
		err = d.ledger.EachExecution(context.Background(), d.owner, ledger.ExecutionQuery{}, func(ledger.Execution) error { return stop })
		if !errors.Is(err, stop) {
			t.Errorf("the caller's error became %v", err)
		}
	})
}

// TestManyAccounts lists beyond the accounts with a branch each.
func TestManyAccounts(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		for n := range 62 {
			if n > 0 {
				d.account = d.newAccount(d.owner, "USD")
			}
			if n%20 == 0 {
				d.add("buy 1 10; sell 1 11")
			}
		}
		if got := len(d.executions()); got != 8 {
			t.Errorf("%d executions", got)
		}
		if got := summary(d.trades()); got != "long 1 net 1; long 1 net 1; long 1 net 1; long 1 net 1" {
			t.Errorf("trades: %s", got)
		}
	})
}
