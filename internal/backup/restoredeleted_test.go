package backup

import (
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestDeletedFillsAreRestored checks that the backup has the fills a user deleted by
// hand, and that a restore does not add those now stored.
func TestDeletedFillsAreRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		account := h.account(t, from, "Main")
		h.fill(t, from, account, matching.Buy, "1", "10", 0)
		deleted := h.fill(t, from, account, matching.Sell, "1", "11", 1)
		must(t, h.ledger.DeleteExecution(h.ctx(), from, deleted.ID, nil))
		text := h.export(t, from, "")
		wantComplete(t, h.restore(t, to, text))
		wantSame(t, h.export(t, to, ""), text)
		wantUnchanged(t, h.restore(t, to, text))
		wantSame(t, h.export(t, to, ""), text)

		third := h.user(t)
		other := h.account(t, third, "Main")
		h.fill(t, third, other, matching.Sell, "1", "11", 1)
		wantComplete(t, h.restore(t, third, text))
		if list := h.deletedFills(t, third, other); len(list) != 0 {
			t.Errorf("a stored fill is deleted too: %+v", list)
		}
		// What was entered twice and deleted once is stored and deleted.
		twice, copied := h.user(t), h.user(t)
		both := h.account(t, twice, "Main")
		h.fill(t, twice, both, matching.Buy, "1", "10", 0)
		must(t, h.ledger.DeleteExecution(h.ctx(), twice, h.fill(t, twice, both, matching.Buy, "1", "10", 0).ID, nil))
		text = h.export(t, twice, "")
		wantComplete(t, h.restore(t, copied, text))
		wantSame(t, h.export(t, copied, ""), text)
		wantUnchanged(t, h.restore(t, copied, text))
		bad := `{"format":"fillbook","version":6,"accounts":[{"account":{"name":"Main"},"deleted_fills":[{"symbol":"A","side":"up"}]}]}`
		if result := h.restore(t, h.user(t), bad); len(result.Errors) != 1 {
			t.Errorf("%+v, want one problem", result.Errors)
		}
	})
}

// TestDeletedCashIsRestored is the same for cash.
func TestDeletedCashIsRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		account := h.account(t, from, "Main")
		fee := ledger.NewCash{Type: ledger.Fee, Amount: decimal.New(3), OccurredAt: time.Date(2026, 3, 2, 15, 0, 0, 250_000_000, time.UTC)}
		cash, err := h.ledger.AddCash(h.ctx(), from, account, fee)
		must(t, err)
		must(t, h.ledger.DeleteCash(h.ctx(), from, cash.ID, nil))
		text := h.export(t, from, "")
		wantComplete(t, h.restore(t, to, text))
		wantSame(t, h.export(t, to, ""), text)
		wantUnchanged(t, h.restore(t, to, text))
		wantSame(t, h.export(t, to, ""), text)

		third := h.user(t)
		other := h.account(t, third, "Main")
		_, err = h.ledger.AddCash(h.ctx(), third, other, fee)
		must(t, err)
		wantComplete(t, h.restore(t, third, text))
		must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
			list, err := ledger.ListDeletedCash(h.ctx(), tx, third, other)
			if len(list) != 0 {
				t.Errorf("a stored row is deleted too: %+v", list)
			}
			return err
		}))
		twice, copied := h.user(t), h.user(t)
		both := h.account(t, twice, "Main")
		_, err = h.ledger.AddCash(h.ctx(), twice, both, fee)
		must(t, err)
		again, err := h.ledger.AddCash(h.ctx(), twice, both, fee)
		must(t, err)
		must(t, h.ledger.DeleteCash(h.ctx(), twice, again.ID, nil))
		text = h.export(t, twice, "")
		wantComplete(t, h.restore(t, copied, text))
		wantSame(t, h.export(t, copied, ""), text)
		wantUnchanged(t, h.restore(t, copied, text))
		bad := `{"format":"fillbook","version":6,"accounts":[{"account":{"name":"Main"},"deleted_cash":[{"type":"gift","amount":1}]}]}`
		if result := h.restore(t, h.user(t), bad); len(result.Errors) != 1 {
			t.Errorf("%+v, want one problem", result.Errors)
		}
	})
}

func (h *fixture) deletedFills(t failer, owner journal.UserID, account journal.AccountID) (list []ledger.DeletedFill) {
	t.Helper()
	must(t, h.db.View(h.ctx(), func(tx *db.Tx) (err error) {
		list, err = ledger.DeletedFills(h.ctx(), tx, owner, account)
		return err
	}))
	return list
}
