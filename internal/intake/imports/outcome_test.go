package imports_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// net adds up an account's closed results, and counts all trades.
func (b fixture) net(account journal.AccountID) (net decimal.Decimal, trades int) {
	b.Helper()
	query := ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{account}}}
	err := b.Ledger.EachTrade(b.Context(), b.by.UserID, query, func(t ledger.Trade) error {
		net = net.Add(t.NetPnL.Decimal)
		trades++
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return net, trades
}

// told is a preview's or a commit's result, in the same form.
type told struct {
	Inserted, Skipped, Completed, CashInserted, CashSkipped, Touched, Trades int
	Net                                                                      string
}

// holdAgainst compares a preview with the commit, and returns the result, which
// is empty if there was nothing to import.
func (b fixture) holdAgainst(up imports.Upload) imports.Result {
	b.Helper()
	preview, err := b.Imports.Inspect(b.Context(), b.by.UserID, up)
	if err != nil || preview.Outcome == nil {
		return imports.Result{}
	}
	netBefore, before := b.net(up.Account)
	result, err := b.Imports.Commit(b.Context(), b.by, up)
	if refusal, ok := errors.AsType[*journal.Error](err); ok && refusal.Code == "bad_request" { // nothing in it could be imported
		result, err = imports.Result{Rows: preview.Rows, SkippedRows: preview.SkippedRows, SkippedReasons: preview.SkippedReasons}, nil
	}
	if err != nil {
		b.Fatal(err)
	}
	b.checkRows(preview, result)
	netAfter, after := b.net(up.Account)
	got := told{
		preview.NewRows, preview.Duplicates - preview.Completed, preview.Completed, preview.CashRows - preview.CashDuplicates, preview.CashDuplicates,
		preview.Outcome.NewTrades + preview.Outcome.ChangedTrades, preview.Outcome.NewTrades - preview.Outcome.MergedTrades,
		preview.Outcome.NetPnL[0].Amount.String(),
	}
	want := told{
		result.Inserted, result.Skipped, result.Completed, result.CashInserted, result.CashSkipped,
		result.Trades, after - before, netAfter.Sub(netBefore).String(),
	}
	if slices.ContainsFunc(result.CorporateActions, func(a imports.FileAction) bool { return a.ActionID != nil }) {
		want.Trades, want.Net = got.Trades, got.Net // the outcome is without what the file's actions change
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("preview and commit differ (-commit +preview):\n%s", diff)
	}
	return result
}

// TestPreviewOfOverlappingFiles: halves of one history in either order, so the second
// changes, closes or joins what the first has left.
func TestPreviewOfOverlappingFiles(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		const head = "Symbol,Side,Quantity,Price,Executed At,Commission\n"
		row := func(minute int, side string, quantity int, price string) string {
			return fmt.Sprintf("AAPL,%s,%d,%s,2026-01-05T15:%02d:00Z,1\n", side, quantity, price, minute)
		}
		early := head + row(0, "buy", 100, "10") + row(1, "sell", 40, "11")
		late := head + row(5, "sell", 90, "12") + row(6, "buy", 30, "11.5") + row(7, "buy", 10, "13")
		between := head + row(3, "sell", 60, "9") + row(4, "buy", 60, "9.5")
		for _, order := range [][]string{{early, late, between}, {late, early, between}, {between, late, early}, {late, between, early}} {
			account := b.account("EUR")
			for _, file := range order {
				up := imports.Upload{FileName: "f.csv", Data: []byte(file), Account: account}
				if b.holdAgainst(up).Inserted == 0 {
					t.Error("nothing was imported")
				}
			}
			preview, err := b.Imports.Inspect(t.Context(), b.by.UserID, imports.Upload{FileName: "f.csv", Data: []byte(early), Account: account})
			if err != nil || preview.Outcome.NetPnL[0].Currency != "EUR" {
				t.Errorf("%+v %v", preview.Outcome, err)
			}
		}
	})
}

// TestBatchesReportTheClockOfTheFile: the user's word, else the platform's; a file whose
// times name their zone has none.
func TestBatchesReportTheClockOfTheFile(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		sample := func(name string) []byte {
			file, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			return file.Files[0].Data
		}
		zoned := []byte("Symbol,Side,Quantity,Price,Executed At\nAAPL,buy,1,10,2026-01-05T15:00:00Z\n")
		for name, c := range map[string]struct {
			data       []byte
			said, want string
		}{
			"MetaTrader 5":            {sample("../metatrader/testdata/mt5-hedging.txtar"), "", "Europe/Athens"},
			"MetaTrader 4":            {sample("../metatrader/testdata/mt4-statement.txtar"), "", "Europe/Athens"},
			"MetaTrader, chosen":      {sample("../metatrader/testdata/mt5-hedging.txtar"), "Europe/London", "Europe/London"},
			"times that name a zone":  {zoned, "", ""},
			"a zone that is not used": {zoned, "Asia/Tokyo", "Asia/Tokyo"},
		} {
			up := imports.Upload{FileName: "f", Data: c.data, Zone: c.said, Account: b.account("USD")}
			result, err := b.Imports.Commit(t.Context(), b.by, up)
			if err != nil {
				t.Fatal(name, err)
			}
			batch, err := b.Imports.Batch(t.Context(), b.by.Principal, result.BatchID)
			if err != nil || batch.Zone != c.want {
				t.Errorf("%s: the zone is %q (%v), want %q", name, batch.Zone, err, c.want)
			}
		}
	})
}

// TestCommitReportsItsStages in their order, and not after its end.
func TestCommitReportsItsStages(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		var seen []string
		up := imports.Upload{
			FileName: "f.csv", Data: []byte("Symbol,Side,Quantity,Price,Executed At\nAAPL,buy,1,10,2026-01-05T15:00:00Z\n"),
			Account: b.account("USD"), Watch: func(p imports.Progress) { seen = append(seen, fmt.Sprint(p.Stage, " ", p.Rows)) },
		}
		result, err := b.Imports.Commit(t.Context(), b.by, up)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"checking 0", "writing 1", "annotating 0"}, seen); diff != "" {
			t.Error(diff)
		}
		if batch, err := b.Imports.Batch(t.Context(), b.by.Principal, result.BatchID); err != nil || batch.Progress != nil {
			t.Errorf("progress of an import that is done: %+v %v", batch.Progress, err)
		}
	})
}
