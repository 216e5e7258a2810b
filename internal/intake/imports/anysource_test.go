package imports_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/statement"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// sentFill is a fill as one source has it.
type sentFill struct {
	symbol, side, price, id string
	at                      time.Time
}

// realFill returns the n-th fill. Several are in the same second, and only their prices
// differ.
func realFill(n int) sentFill {
	return sentFill{
		symbol: []string{"AAPL", "MSFT"}[n%2], side: []string{"buy", "sell"}[n/2%2], price: fmt.Sprint(100 + n), id: fmt.Sprint("F", n),
		at: time.Date(2026, 1, 5, 15, n/3, 7, 123456000, time.UTC),
	}
}

// fillSources are the ways in which fills arrive. A further source is one more
// entry.
var fillSources = map[string]func(b fixture, account journal.AccountID, fills []sentFill) error{
	"upload": func(b fixture, account journal.AccountID, fills []sentFill) error {
		return b.commitCSV(account, imports.FromUpload, fills)
	},
	"watch": func(b fixture, account journal.AccountID, fills []sentFill) error {
		return b.commitCSV(account, imports.FromWatch, fills)
	},
	"connection": func(b fixture, account journal.AccountID, fills []sentFill) error {
		return b.deliverFills(account, imports.FromConnection, fills)
	},
	"hook": func(b fixture, account journal.AccountID, fills []sentFill) error {
		return b.deliverFills(account, imports.FromHook, fills)
	},
	"hand": func(b fixture, account journal.AccountID, fills []sentFill) error {
		for _, f := range fills {
			_, err := b.Ledger.AddExecution(b.Context(), b.by.UserID, account, ledger.NewFill{
				Symbol: f.symbol, Side: matching.Side(f.side), Quantity: decimal.New(1), Price: decimal.Must(f.price), ExecutedAt: f.at,
				ExternalID: f.id, Facts: ledger.FactsRecorded,
			})
			if err != nil {
				return err
			}
		}
		return nil
	},
}

// commitCSV imports fills as a file.
func (b fixture) commitCSV(account journal.AccountID, origin imports.Origin, fills []sentFill) error {
	file := &strings.Builder{}
	file.WriteString("Symbol,Side,Quantity,Price,Executed At,External ID\n")
	for _, f := range fills {
		fmt.Fprintf(file, "%s,%s,1,%s,%s,%s\n", f.symbol, f.side, f.price, f.at.Format(time.RFC3339Nano), f.id)
	}
	_, err := b.Imports.Commit(b.Context(), b.by, imports.Upload{FileName: "fills.csv", Data: []byte(file.String()), Account: account, Origin: origin})
	return err
}

// deliverFills sends fills as a connection or a hook does.
func (b fixture) deliverFills(account journal.AccountID, origin imports.Origin, fills []sentFill) error {
	st := &statement.Statement{Format: statement.Executions, Source: statement.FromStatement, Rows: len(fills)}
	for i, f := range fills {
		st.Fills = append(st.Fills, &statement.Fill{
			Row: i + 1, Symbol: f.symbol, Side: matching.Side(f.side), Quantity: decimal.New(1), Price: decimal.Must(f.price), At: f.at, ID: f.id,
		})
	}
	return b.DB.Update(b.Context(), func(tx *db.Tx) error {
		_, err := b.Imports.Deliver(b.Context(), tx, b.by.UserID, imports.Delivery{Account: account, Origin: origin, OriginID: "1", Statement: st})
		return err
	})
}

// storedFills returns an account's fills as texts.
func (b fixture) storedFills(account journal.AccountID) (list []string) {
	b.Helper()
	query := ledger.ExecutionQuery{Scope: journal.Scope{Accounts: []journal.AccountID{account}}}
	err := b.Ledger.EachExecution(b.Context(), b.by.UserID, query, func(e ledger.Execution) error {
		id := ""
		if e.ExternalID != nil {
			id = *e.ExternalID
		}
		list = append(list, fmt.Sprintln(e.Instrument.Symbol, e.Side, e.Quantity, e.Price, e.ExecutedAt.UTC(), id))
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// TestFillsFromAnySourceLandOnce sends the same fills from all sources, with and without
// ids, with times in seconds and in microseconds, in any order and repeatedly: the ledger
// always has each fill once, with the most complete values.
func TestFillsFromAnySourceLandOnce(t *testing.T) {
	t.Parallel()
	const fills = 6
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b, names := newFixture(t, d), slices.Sorted(maps.Keys(fillSources))
		checks := map[bool]int{true: 5, false: 25}[d.Engine() == db.PostgreSQL]
		rapid.Check(t, testkit.LimitChecks(checks, func(rt *rapid.T) {
			account := b.account("USD")
			known := map[int]sentFill{}
			for range rapid.IntRange(1, 6).Draw(rt, "deliveries") {
				name := rapid.SampledFrom(names).Draw(rt, "source")
				withIDs, exact := rapid.Bool().Draw(rt, "ids"), rapid.Bool().Draw(rt, "exact")
				var sent []sentFill
				for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, fills-1), 1, fills, rapid.ID).Draw(rt, "fills") {
					f := realFill(n)
					before, seen := known[n]
					if !withIDs {
						f.id = ""
					}
					if !exact {
						f.at = f.at.Truncate(time.Second)
					}
					sent = append(sent, f)
					if seen && before.id != "" {
						f.id = before.id
					}
					if seen && before.at.After(f.at) {
						f.at = before.at
					}
					known[n] = f
				}
				if err := fillSources[name](b, account, sent); err != nil {
					rt.Fatalf("%s: %v", name, err)
				}
				var want []string
				for _, f := range known {
					want = append(want, fmt.Sprintln(f.symbol, f.side, 1, f.price, f.at, f.id))
				}
				slices.Sort(want)
				if diff := cmp.Diff(want, b.storedFills(account)); diff != "" {
					rt.Fatalf("after %s (-want +got):\n%s", name, diff)
				}
			}
		}))
	})
}
