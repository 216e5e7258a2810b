package backup

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// deposit is a cash row as a broker's file has it.
func deposit(amount string) ledger.NewCash {
	return ledger.NewCash{Type: ledger.Deposit, Amount: decimal.Must(amount), OccurredAt: morning}
}

func (h *fixture) importCash(t *testing.T, owner journal.UserID, account journal.AccountID, list ...ledger.NewCash) (result ledger.CashResult) {
	t.Helper()
	must(t, h.db.Update(h.ctx(), func(tx *db.Tx) (err error) {
		result, err = h.ledger.InsertCash(h.ctx(), tx, owner, account, list, ledger.CashOptions{Batch: "a batch"})
		return err
	}))
	return result
}

func (h *fixture) editCash(t *testing.T, owner journal.UserID, account journal.AccountID, from, to string) {
	t.Helper()
	var id journal.CashID
	scope := journal.Scope{Accounts: []journal.AccountID{account}}
	must(t, h.ledger.EachCash(h.ctx(), owner, scope, func(c ledger.Cash) error {
		if c.Amount.String() == from {
			id = c.ID
		}
		return nil
	}))
	_, err := h.ledger.UpdateCash(h.ctx(), owner, id, ledger.CashChange{Amount: journal.Some(decimal.Must(to))}, nil)
	must(t, err)
}

// toVersion1 removes the members version 1 did not have.
func toVersion1(text string) string {
	text, _, _ = strings.Cut(text, `,`+"\n"+`"checksums"`)
	text = strings.Replace(text, fmt.Sprintf(`"version":%d`, formatVersion), `"version":1`, 1) + "}"
	text = strings.ReplaceAll(text, `,"origin":"deposit|100|1772461800000000"`, "")
	return strings.ReplaceAll(text, `,"created_at":"2026-03-10T15:04:05Z"`, "")
}

// An edited cash row is recognized by its values on arrival: in the backup's own journal,
// and in the broker's file after a restore into another one. Two rows that changed places
// keep theirs.
func TestEditedCashIsRecognized(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		account := h.account(t, owner, "Main")
		if done := h.importCash(t, owner, account, deposit("100"), deposit("7")); done.Inserted != 2 {
			t.Fatalf("%+v", done)
		}
		h.editCash(t, owner, account, "100", "200")
		h.importCash(t, owner, account, deposit("200")) // another row, which says what the edited one says now
		text := h.export(t, owner, "")
		h.clock.Advance(time.Hour)
		for name, file := range map[string]string{"version 2": text, "version 1": toVersion1(text)} {
			plan := h.preview(t, owner, file)
			result := h.restore(t, owner, file)
			wantUnchanged(t, result)
			plan.wantResult(t, result)
			if result.CashSkipped != 3 {
				t.Errorf("%s: %+v", name, result)
			}
			wantSame(t, h.export(t, owner, ""), text)
		}

		other := h.user(t)
		into := h.restore(t, other, text)
		wantComplete(t, into)
		wantSame(t, h.export(t, other, ""), text)
		if done := h.importCash(t, other, into.Accounts[0].ID, deposit("100"), deposit("7"), deposit("200")); done.Inserted != 0 || done.Skipped != 3 {
			t.Errorf("the broker's file after a restore: %+v", done)
		}
	})
}

// A journal restored from version 1 lacks the key an edited row arrived with; a later
// backup does not add the row again.
func TestVersion1CashIsRecognized(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner, other := h.user(t), h.user(t)
		account := h.account(t, owner, "Main")
		h.importCash(t, owner, account, deposit("100"))
		h.editCash(t, owner, account, "100", "200")
		text := h.export(t, owner, "")
		wantComplete(t, h.restore(t, other, toVersion1(text)))
		if result := h.restore(t, other, text); result.CashInserted != 0 || result.CashSkipped != 1 {
			t.Errorf("%+v", result)
		}
		h.importCash(t, owner, account, deposit("200"))
		two := h.export(t, owner, "")
		if result := h.restore(t, other, two); result.CashInserted != 1 {
			t.Errorf("a second row: %+v", result)
		}
		wantUnchanged(t, h.restore(t, other, two))
	})
}
