package imports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// performanceAndFills returns two Tradovate exports with the same 400 fills: one without
// costs and with times on an unnamed clock, and one with 1241.62 in commissions.
func performanceAndFills() (performance, fills string) {
	var paired, single strings.Builder
	paired.WriteString("symbol,_priceFormat,_priceFormatType,_tickSize,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp,duration\n")
	single.WriteString("_id,_timestamp,_action,_qty,_price,_active,Fill ID,Timestamp,Account,B/S,Quantity,Price,Contract,commission\n")
	chicago := time.FixedZone("", -6*60*60)
	for i := range 200 {
		at := time.Date(2026, 1, 5, 15, i, 7, 118_000_000, time.UTC)
		left := at.Add(20*time.Second + 500*time.Millisecond)
		commission := "3.1"
		if i == 199 {
			commission = "4.72"
		}
		const clock = "01/02/2006 15:04:05"
		fmt.Fprintf(&paired, "MESH6,-2,0,0.25,%d,%d,2,6900.00,69%02d.25,$%d.50,%s,%s,20sec\n",
			1000+i, 2000+i, i%90, 10*(i%90)+2, at.In(chicago).Format(clock), left.In(chicago).Format(clock))
		const exact = "2006-01-02 15:04:05.000Z"
		fmt.Fprintf(&single, "%d,%s,0,2,6900,true,%d,%s,D1, Buy,2,6900.00,MESH6,3.1\n", 1000+i, at.Format(exact), 1000+i, at.Format(clock))
		fmt.Fprintf(&single, "%d,%s,1,2,69%02d.25,true,%d,%s,D1, Sell,2,69%02d.25,MESH6,%s\n",
			2000+i, left.Format(exact), i%90, 2000+i, left.Format(clock), i%90, commission)
	}
	return paired.String(), single.String()
}

// fillsOf returns what an account holds, without our own ids.
func (b fixture) fillsOf(account journal.AccountID) (list []string, commission decimal.Decimal) {
	b.Helper()
	query := ledger.ExecutionQuery{Scope: journal.Scope{Accounts: []journal.AccountID{account}}}
	err := b.Ledger.EachExecution(b.Context(), b.by.UserID, query, func(e ledger.Execution) error {
		id := "-"
		if e.ExternalID != nil {
			id = *e.ExternalID
		}
		list = append(list, fmt.Sprint(journal.FormatInstant(e.ExecutedAt), " ", e.Side, " ", e.Quantity, " ", e.Price, " ", e.Fees, " ", e.Commission, " ", e.Multiplier, " ", id))
		commission = commission.Add(e.Commission)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(list)
	return list, commission
}

// committed imports a file.
func (b fixture) committed(account journal.AccountID, zone, file string) imports.Result {
	b.Helper()
	result, err := b.Imports.Commit(b.Context(), b.by, imports.Upload{FileName: "x.csv", Data: []byte(file), Account: account, Zone: zone})
	if err != nil {
		b.Fatal(err)
	}
	return result
}

func (b fixture) reversed(batch journal.BatchID) {
	b.Helper()
	if err := b.Imports.Reverse(b.Context(), b.by, batch, nil); err != nil {
		b.Fatal(err)
	}
}

// TestPerformanceThenFills: whichever export comes first, the ledger has the commissions
// and the exact times, and reversing either leaves the other.
func TestPerformanceThenFills(t *testing.T) {
	t.Parallel()
	performance, fills := performanceAndFills()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		alone := map[string][]string{}
		for _, file := range []string{performance, fills} {
			account := b.account("USD")
			b.committed(account, "", file)
			alone[file], _ = b.fillsOf(account)
		}
		for _, order := range [][2]string{{performance, fills}, {fills, performance}} {
			account := b.account("USD")
			first := b.committed(account, "", order[0])
			trade := b.noteFirstTrade(account)
			up := imports.Upload{FileName: "x.csv", Data: []byte(order[1]), Account: account}
			b.holdAgainst(up)
			list, commission := b.fillsOf(account)
			if diff := cmp.Diff(alone[fills], list); diff != "" || commission.String() != "1241.62" {
				t.Errorf("commissions %s, fills (-want +got):\n%s", commission, diff)
			}
			b.expectNote(trade)
			batches, _, err := b.Imports.Batches(t.Context(), b.by.Principal, "", 1)
			if err != nil {
				t.Fatal(err)
			}
			second := batches[0]
			want := 0
			if order[0] == performance {
				want = 400
			}
			if second.Result.Completed != want || second.Result.Completed+second.Result.Skipped != 400 {
				t.Errorf("completed %d, skipped %d", second.Result.Completed, second.Result.Skipped)
			}
			b.reversed(second.ID)
			if list, _ := b.fillsOf(account); !slices.Equal(list, alone[order[0]]) {
				t.Errorf("without the second import (-want +got):\n%s", cmp.Diff(alone[order[0]], list))
			}
			b.committed(account, "", order[1])
			b.reversed(first.BatchID)
			if list, _ := b.fillsOf(account); !slices.Equal(list, alone[order[1]]) {
				t.Errorf("without the first import (-want +got):\n%s", cmp.Diff(alone[order[1]], list))
			}
			b.expectNote(trade)
			b.expectSound()
		}
	})
}

// noteFirstTrade writes a note on an account's first trade.
func (b fixture) noteFirstTrade(account journal.AccountID) journal.TradeID {
	b.Helper()
	var first journal.TradeID
	query := ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{account}}}
	err := b.Ledger.EachTrade(b.Context(), b.by.UserID, query, func(t ledger.Trade) error { first = t.ID; return nil })
	if err != nil {
		b.Fatal(err)
	}
	if _, err := b.Playbook.Annotate(b.Context(), b.by.UserID, first, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("kept")}}, nil); err != nil {
		b.Fatal(err)
	}
	return first
}

// expectNote makes sure a trade still has its note.
func (b fixture) expectNote(trade journal.TradeID) {
	b.Helper()
	annotations, err := b.Playbook.LoadAnnotations(b.Context(), b.by.UserID, []journal.TradeID{trade})
	if err != nil || annotations[trade].Notes != "kept" {
		b.Errorf("the note is %q: %v", annotations[trade].Notes, err)
	}
}

// expectSound runs the ledger check.
func (b fixture) expectSound() {
	b.Helper()
	if err := b.Ledger.Check(b.Context(), func(p ledger.Problem) { b.Errorf("check: %+v", p) }); err != nil {
		b.Fatal(err)
	}
}

// TestTradovateExportsInAnyOrder imports three exports with the same fills in every
// order: orders have no ids, two exports no costs.
func TestTradovateExportsInAnyOrder(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("../brokers/testdata/agree/tradovate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	file := func(n int) string { return string(archive.Files[n].Data) }
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			account := b.account("USD")
			var batches []journal.BatchID
			for _, n := range order {
				batches = append(batches, b.committed(account, "America/Los_Angeles", file(n)).BatchID)
			}
			list, commission := b.fillsOf(account)
			if len(list) != 4 || commission.String() != "2.8" || !strings.Contains(list[0], "14:31:07.001Z") {
				t.Errorf("in order %v: commissions %s, %q", order, commission, list)
			}
			for i, batch := range batches {
				b.reversed(batch)
				if left, _ := b.fillsOf(account); len(left) != 4 && i < 2 || len(left) != 0 && i == 2 {
					t.Errorf("in order %v, after %d reversals: %q", order, i+1, left)
				}
			}
			b.expectSound()
		}
	})
}
