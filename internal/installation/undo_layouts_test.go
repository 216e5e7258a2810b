package installation_test

import (
	"context"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/layouts"
)

// storeLayout stores a layout of files that were imported into accounts.
func (h *fixture) storeLayout(signature string, accounts ...journal.AccountID) {
	h.t.Helper()
	layout := layouts.Layout{Signature: signature, Name: signature, UsedAt: h.Clock()}
	for _, id := range accounts {
		layout.Accounts = append(layout.Accounts, layouts.Account{ID: id})
	}
	must(h.t, h.DB.Update(h.t.Context(), func(tx *db.Tx) error {
		_, err := layouts.Store(h.t.Context(), tx, h.owner, layout, nil)
		return err
	}))
}

// TestAccountsReturnToLayouts undoes the deletions of two of a layout's three accounts, in both
// orders: each is in its place again.
func TestAccountsReturnToLayouts(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		accounts := []journal.AccountID{h.account}
		for range 2 {
			h.addAccount()
			accounts = append(accounts, h.account)
		}
		h.storeLayout("layout", accounts...)
		for _, order := range [][]int{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 0}} {
			before := h.state()
			var deletions []journal.ChangeID
			for _, at := range order {
				deletions = append(deletions, h.change(func(ctx context.Context) error { return h.Ledger.DeleteAccount(ctx, h.owner, accounts[at], nil) }))
			}
			h.undo(deletions[1])
			undone := h.undo(deletions[0])
			if is := h.state(); is != before {
				t.Fatalf("after the undo of deletions in the order %v:\n%s", order, firstDifference(before, is))
			}
			h.wantUndoAndRedo(before, h.undo(undone))
			h.undo(h.lastChange())
		}
	})
}

// TestRedoOfDeletedAccountInLayout redoes the deletion of an account whose layout was stored
// again in between.
func TestRedoOfDeletedAccountInLayout(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		first := h.account
		h.addAccount()
		h.storeLayout("layout", first, h.account)
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteAccount(ctx, h.owner, first, nil) })
		h.storeLayout("layout", h.account)
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(deletion))
	})
}

// TestUndoOfRestoredLayout undoes the restore of a backup with an account and a layout, after
// another layout got that account: with the redo both layouts have their accounts.
func TestUndoOfRestoredLayout(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		w := newWriter(h, 1, 1, false)
		first := h.account
		h.addAccount()
		h.storeLayout("layout", first, h.account)
		must(t, w.restoreBackup(t.Context())) // makes the backup
		must(t, h.DB.Update(t.Context(), func(tx *db.Tx) error { return layouts.Delete(t.Context(), tx, h.owner, "layout", nil) }))
		must(t, h.Ledger.DeleteAccount(t.Context(), h.owner, h.account, nil))
		restored := h.change(w.restoreBackup)
		list, err := h.Ledger.Accounts(t.Context(), h.owner)
		must(t, err)
		h.storeLayout("other", list[1].ID, first)
		before := h.state()
		h.undo(h.undo(restored))
		if is := h.state(); is != before {
			t.Fatalf("after the redo:\n%s", firstDifference(before, is))
		}
		h.wantNoProblems()
	})
}
