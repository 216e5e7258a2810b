package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// tied are fills in an account whose trades open and close at few instants, so most are
// ordered by what they are.
func tied(account string) []ledger.NewFill {
	var fills []ledger.NewFill
	for n := range 40 {
		details := map[string]string{"lot": fmt.Sprint(n % 20)}
		if n%3 == 0 {
			details["option_right"], details["strike"], details["expiry"] = "call", fmt.Sprint(9+n%4), "2026-06-19"
		}
		fill := ledger.NewFill{
			Symbol: []string{"AAA", "BBB"}[n%2], InstrumentType: "option", Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(1),
			Multiplier: decimal.Of(decimal.New(1)), ExecutedAt: minute(n / 20 * 10), Details: details, ExternalID: fmt.Sprintf("%s-%d", account, n),
		}
		fills = append(fills, fill)
		fill.Side, fill.ExternalID = matching.Sell, fill.ExternalID+"x"
		fill.ExecutedAt = fill.ExecutedAt.Add(minute(5).Sub(minute(0)))
		fills = append(fills, fill)
	}
	return fills
}

// tradeNames lists a query's trades by what they are, and once more page by page.
func (d *fixture) tradeNames(q ledger.TradeQuery) []string {
	d.Helper()
	names := map[journal.AccountID]string{}
	accounts, err := d.ledger.Accounts(d.Context(), d.owner)
	must(d, err)
	for _, a := range accounts {
		names[a.ID] = a.Name
	}
	read := func(q ledger.TradeQuery) (list []string, last *ledger.TradeCursor) {
		must(d, d.ledger.EachTrade(d.Context(), d.owner, q, func(t ledger.Trade) error {
			list = append(list, fmt.Sprintf("%s %s %s %s %+v", t.OpenedAt, t.Cursor.Account, names[t.Account], t.Cursor.External, t.Instrument))
			last = &t.Cursor
			return nil
		}))
		return list, last
	}
	whole, _ := read(q)
	var paged []string
	for q.Limit = 7; ; {
		page, last := read(q)
		paged = append(paged, page...)
		if len(page) < q.Limit {
			break
		}
		q.After = last
	}
	if !slices.Equal(whole, paged) {
		d.Errorf("page by page the list is\n%s\nand else\n%s", strings.Join(paged, "\n"), strings.Join(whole, "\n"))
	}
	return whole
}

// TestListsDoNotDependOnArrival imports the same fills in other orders, account by
// account: every trade list comes out the same, page by page and sorted.
func TestListsDoNotDependOnArrival(t *testing.T) {
	t.Parallel()
	names := []string{"b", "a", "Ä", "Z"}
	queries := map[string]ledger.TradeQuery{"closing": {}, "opening": {Basis: ledger.ByOpening}}
	var mu sync.Mutex
	var want map[string][]string
	eachOrder := func(t *testing.T, d *fixture, seed uint64) {
		must(t, d.ledger.DeleteAccount(t.Context(), d.owner, d.account, nil))
		shuffle := rand.New(rand.NewPCG(seed, 1)) // a repeatable shuffle
		for _, i := range shuffle.Perm(len(names)) {
			a, err := d.ledger.CreateAccount(t.Context(), d.owner, ledger.NewAccount{Name: names[i]})
			must(t, err)
			fills := tied(names[i])
			shuffle.Shuffle(len(fills), func(i, j int) { fills[i], fills[j] = fills[j], fills[i] })
			must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
				_, err := d.ledger.InsertFills(t.Context(), tx, d.owner, a.ID, "", fills)
				return err
			}))
		}
		got := map[string][]string{}
		for name, q := range queries {
			got[name] = d.tradeNames(q)
		}
		mu.Lock()
		defer mu.Unlock()
		if want == nil {
			want = got
		}
		for name := range want {
			if !slices.Equal(want[name], got[name]) {
				t.Errorf("seed %d, %s:\n%s\nwant\n%s", seed, name, strings.Join(got[name], "\n"), strings.Join(want[name], "\n"))
			}
		}
	}
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			testkit.EachEngine(t, func(t *testing.T, database *db.DB) { eachOrder(t, newFixture(t, database), seed) })
		})
	}
}

// TestArrivalOverAllAccounts lists one instant's fills in the order in which they were
// stored, whichever account they are in.
func TestArrivalOverAllAccounts(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		accounts := []journal.AccountID{d.account, d.newAccount(d.owner, "USD"), d.newAccount(d.owner, "USD")}
		var want []string
		for n := range 9 {
			d.account = accounts[[]int{2, 0, 1, 1, 0, 2, 0, 0, 1}[n]]
			d.add(fmt.Sprintf("buy %d 10 at=5", n+1))
			want = append(want, fmt.Sprint(n+1))
		}
		var got []string
		q := ledger.ExecutionQuery{Limit: 2}
		for len(got) < len(want) {
			read := len(got)
			must(t, d.ledger.EachExecution(t.Context(), d.owner, q, func(e ledger.Execution) error {
				got, q.After = append(got, e.Quantity.String()), &e.Cursor
				return nil
			}))
			if len(got) == read {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("listed %v, want %v", got, want)
		}
	})
}

// TestAdoptedIDsOrderTrades: an id a stored fill is given later orders its trade from
// then on, and check agrees.
func TestAdoptedIDsOrderTrades(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 1 10 at=1; sell 1 11 at=2")
		id := d.execution("buy 1")
		_, err := d.ledger.UpdateExecution(t.Context(), d.owner, id, ledger.ExecutionChange{ExternalID: journal.Some("later")}, nil)
		must(t, err)
		list := d.tradeNames(ledger.TradeQuery{})
		if len(list) != 1 || !strings.Contains(list[0], " later ") {
			t.Errorf("the trade is ordered as %v", list)
		}
		d.sound()
	})
}

// execution finds the fill with a side and quantity.
func (d *fixture) execution(text string) (id journal.ExecutionID) {
	d.Helper()
	must(d, d.ledger.EachExecution(d.Context(), d.owner, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
		if fmt.Sprintf("%s %s", e.Side, e.Quantity) == text {
			id = e.ID
		}
		return nil
	}))
	return id
}

// TestUpgrade takes an account back to what an older version stored, and computes
// it again.
func TestUpgrade(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 1 1 at=1; buy 8191 0.5 at=2; sell 8192 1 at=3")
		d.add("buy 1 10 at=4 symbol=FX; sell 1 11 stated=100 at=5 symbol=FX")
		d.add("buy 1 3 at=6 symbol=MSFT; sell 1 4 at=7 symbol=MSFT")
		d.add("buy 1 1 at=8 symbol=OPEN; buy 8191 0.5 at=9 symbol=OPEN")
		want := d.tradeFigures()
		must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
			for _, statement := range []string{
				`UPDATE accounts SET rules = 0`, `UPDATE streams SET order_key = ''`,
				`UPDATE trades SET avg_entry = '0.500061035156' WHERE qty_opened = '8192'`,
				`UPDATE trades SET return_pct = '1000', rate_stated = NULL, rate_priced = NULL WHERE net_pnl = '100'`,
			} {
				if _, err := tx.Exec(t.Context(), statement); err != nil {
					return err
				}
			}
			return nil
		}))
		if slices.Equal(want, d.tradeFigures()) {
			t.Fatal("nothing was reverted")
		}
		must(t, d.ledger.Upgrade(t.Context(), nil))
		if got := d.tradeFigures(); !slices.Equal(want, got) {
			t.Errorf("computed again: %v, want %v", got, want)
		}
		d.sound()
		accounts := 0
		must(t, d.ledger.Upgrade(t.Context(), func(int, int) { accounts++ }))
		if accounts != 0 {
			t.Errorf("%d accounts were computed once more", accounts)
		}
	})
}

func (d *fixture) tradeFigures() (list []string) {
	d.Helper()
	must(d, d.ledger.EachTrade(d.Context(), d.owner, ledger.TradeQuery{}, func(t ledger.Trade) error {
		list = append(list, fmt.Sprint(t.ID, t.AvgEntry, t.AvgExit, t.ReturnPct, t.Volume, t.Rate, t.Cursor))
		return nil
	}))
	return list
}
