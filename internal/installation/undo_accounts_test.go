package installation_test

import (
	"context"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestUndoInAccountWithOtherNumber undoes changes in an account that was deleted since and came
// back when another account had its number: what they deleted returns to that account.
func TestUndoInAccountWithOtherNumber(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(context.Context, *writer) error{
		"deleted cash":     func(ctx context.Context, w *writer) error { return w.deleteCash(ctx) },
		"added cash":       func(ctx context.Context, w *writer) error { return w.importWords(ctx) }, // it was deleted before
		"deleted fill":     func(ctx context.Context, w *writer) error { return w.deleteFill(ctx) },
		"deleted trade":    func(ctx context.Context, w *writer) error { return w.deleteTrade(ctx) },
		"reversed import":  func(ctx context.Context, w *writer) error { return w.reverseImport(ctx) },
		"changed fill":     func(ctx context.Context, w *writer) error { return w.changeFill(ctx) },
		"added split fill": func(ctx context.Context, w *writer) error { return w.addSplit(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			eachFixture(t, func(t *testing.T, h *fixture) {
				w := newWriter(h, 1, 1, false)
				w.number = 1
				must(t, w.importWords(t.Context()))
				for minute := 10; minute < 13; minute++ {
					h.fill(matching.Buy, "100", minute)
				}
				if name == "added cash" {
					must(t, w.deleteCash(t.Context()))
				}
				before := h.state()
				id := h.change(func(ctx context.Context) error { return write(ctx, w) })
				deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteAccount(ctx, h.owner, h.account, nil) })
				other, err := h.Ledger.CreateAccount(t.Context(), h.owner, ledger.NewAccount{Name: "Another"})
				must(t, err)
				h.undo(deletion)
				h.undo(id)
				must(t, h.Ledger.DeleteAccount(t.Context(), h.owner, other.ID, nil))
				if is := h.state(); is != before {
					t.Fatalf("after the undo:\n%s", firstDifference(before, is))
				}
				h.wantNoProblems()
			})
		})
	}
}

// addSplit adds a fill that splits a trade.
func (w *writer) addSplit(ctx context.Context) error {
	_, err := w.Ledger.AddExecution(ctx, w.owner, journal.AccountID(w.pick("accounts")), w.fillOf(matching.Sell, 10, 11))
	return err
}
