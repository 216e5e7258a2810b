package imports_test

import (
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestCommitOverALostConnection cuts an import's connection while it writes: the whole
// file is taken again, without traces from the first try.
func TestCommitOverALostConnection(t *testing.T) {
	t.Parallel()
	testkit.RequirePostgres(t)
	b := newFixture(t, testkit.Open(t, db.PostgreSQL))
	tries := 0
	up := imports.Upload{
		FileName: "f.csv", Account: b.account("USD"), Data: []byte("Symbol,Side,Quantity,Price,Executed At\n" +
			"AAPL,buy,10,100,2026-01-05T15:00:00Z\nAAPL,sell,15,101,2026-01-05T16:00:00Z\nMSFT,buy,1,300,2026-01-06T15:00:00Z\n"),
		Watch: func(p imports.Progress) {
			if p.Stage != "annotating" { // by then all fills are on their way
				return
			}
			if tries++; tries == 1 {
				b.cutWriters()
			}
		},
	}
	result, err := b.Imports.Commit(t.Context(), b.by, up)
	if err != nil || result.Inserted != 3 || result.Trades != 3 {
		t.Fatalf("%+v %v", result, err)
	}
	if tries != 2 {
		t.Errorf("the file was written %d times, want 2", tries)
	}
	if net, trades := b.net(up.Account); trades != 3 || net.String() != "10" {
		t.Errorf("%d trades with a result of %s", trades, net)
	}
	err = b.Ledger.Check(t.Context(), func(p ledger.Problem) { t.Errorf("the journal does not hold together: %v", p) })
	if err != nil {
		t.Error(err)
	}
}

// cutWriters ends the connections inside a transaction.
func (b fixture) cutWriters() {
	b.Helper()
	var cut int
	err := b.DB.Peek(b.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(b.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'idle in transaction' AND pid <> pg_backend_pid()`).Scan(&cut)
	})
	if err != nil || cut != 1 {
		b.Errorf("%d connections were cut: %v", cut, err)
	}
}
