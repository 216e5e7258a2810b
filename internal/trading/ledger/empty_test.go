package ledger

import (
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestEmptyAccount removes an account's rows: they all go, and no other user's.
func TestEmptyAccount(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		full, other := newStream(t, database, 100, false), newStream(t, database, 10, true)
		crowd := longStream(30, false)
		for i := range crowd {
			crowd[i].Symbol, crowd[i].ExecutedAt = "MSFT", hour(50)
		}
		err := database.Update(t.Context(), func(tx *db.Tx) error {
			if _, err := full.InsertFills(t.Context(), tx, full.owner, full.account, "", crowd); err != nil {
				return err
			}
			book, err := readBook(t.Context(), tx, full.owner, full.account)
			if err != nil {
				return err
			}
			return emptyAccount(t.Context(), tx, full.owner, book.account)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []struct {
			*trial
			fills, trades int
		}{{full, 0, 0}, {other, 10, 10}} {
			fills, err := s.CountExecutions(t.Context(), s.owner, ExecutionQuery{})
			if err != nil {
				t.Fatal(err)
			}
			trades, err := s.CountTrades(t.Context(), s.owner, TradeQuery{})
			if err != nil {
				t.Fatal(err)
			}
			if fills != s.fills || trades != s.trades {
				t.Errorf("%d fills and %d trades are left, want %d and %d", fills, trades, s.fills, s.trades)
			}
		}
	})
}
