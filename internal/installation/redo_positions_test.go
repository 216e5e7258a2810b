package installation_test

import (
	"context"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// move records a corporate action that moves AAPL positions to the symbol NEW.
func (h *fixture) move(ctx context.Context, kind ledger.ActionKind) journal.ActionID {
	h.t.Helper()
	a, err := h.Ledger.CreateAction(ctx, h.owner, ledger.ActionChange{
		Kind: journal.Some(kind), Symbol: journal.Some("AAPL"), NewSymbol: journal.Some("NEW"), EffectiveOn: journal.Some(journal.Day("2026-03-03")),
	})
	must(h.t, err)
	return a.ID
}

// addFillOf adds a fill of a symbol.
func (h *fixture) addFillOf(symbol string, side matching.Side, quantity int64, minute int) ledger.AddedExecution {
	h.t.Helper()
	in := h.fillOf(side, quantity, minute)
	in.Symbol = symbol
	added, err := h.Ledger.AddExecution(h.t.Context(), h.owner, h.account, in)
	must(h.t, err)
	return added
}

// addAccount makes a new account the one to which fills are added.
func (h *fixture) addAccount() {
	h.t.Helper()
	other, err := h.Ledger.CreateAccount(h.t.Context(), h.owner, ledger.NewAccount{Name: "Other", BaseCurrency: "USD"})
	must(h.t, err)
	h.account = other.ID
}

// TestRedoOfTradeThatMoves redoes a fill that leaves a later one to a new trade, which a
// rename moves to a symbol with other trades.
func TestRedoOfTradeThatMoves(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.addFillOf("NEW", matching.Buy, 1, 0)
		h.addFillOf("NEW", matching.Sell, 1, 1)
		h.addFillOf("AAPL", matching.Sell, 5, 0)
		h.addFillOf("AAPL", matching.Buy, 5, 10)
		h.move(t.Context(), ledger.ActionRename)
		before := h.state()
		h.wantUndoAndRedo(before, h.change(func(ctx context.Context) error {
			_, err := h.Ledger.AddExecution(ctx, h.owner, h.account, h.fillOf(matching.Buy, 5, 5))
			return err
		}))
	})
}

// TestRedoOfSpinOffInTwoAccounts redoes a spin-off that opens trades without a fill in two
// accounts: each gets its own id again, also after one account has another number.
func TestRedoOfSpinOffInTwoAccounts(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.addFillOf("AAPL", matching.Buy, 5, 0)
		h.addAccount()
		h.addFillOf("AAPL", matching.Buy, 7, 0)
		before := h.state()
		id := h.wantUndoAndRedo(before, h.change(func(ctx context.Context) error {
			h.move(ctx, ledger.ActionSpinOff)
			return nil
		}))
		after, undone := h.tradesText(), h.undo(id)
		deleted := h.account
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteAccount(ctx, h.owner, deleted, nil) })
		h.addAccount() // it takes the deleted one's number
		h.addFillOf("AAPL", matching.Buy, 9, 0)
		h.undo(deletion)
		h.undo(undone)
		h.account = deleted
		if is := h.tradesText(); is != after {
			t.Errorf("the account has\n%s, had\n%s", is, after)
		}
		h.wantNoProblems()
	})
}
