package installation_test

import (
	"context"
	"strings"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
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

// TestAccountReturnsAfterLaterActions undoes the deletion of an account after an action was
// recorded, and after it was deleted: the action acts on the account, and nothing that was
// added to its trades is lost.
func TestAccountReturnsAfterLaterActions(t *testing.T) {
	t.Parallel()
	for _, kind := range []ledger.ActionKind{ledger.ActionRename, ledger.ActionSpinOff} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			eachFixture(t, func(t *testing.T, h *fixture) {
				h.annotateFully(h.addFillOf("AAPL", matching.Buy, 5, 0).TradeIDs[0])
				later := h.fillOf(matching.Buy, 5, 0)
				later.Symbol, later.ExecutedAt = "NEW", later.ExecutedAt.AddDate(0, 0, 3)
				added, err := h.Ledger.AddExecution(t.Context(), h.owner, h.account, later)
				must(t, err)
				h.annotateFully(added.TradeIDs[0])
				before := h.state()
				var action journal.ActionID
				h.wantReturn(func() { action = h.move(t.Context(), kind) })
				if trades := h.tradesText(); !strings.Contains(trades, "10 10") && !strings.Contains(trades, "5 10") {
					t.Errorf("the action did not act on\n%s", trades)
				}
				h.wantReturn(func() { must(t, h.Ledger.DeleteAction(t.Context(), h.owner, action, nil)) })
				if is := h.state(); is != before {
					t.Errorf("without the action:\n%s", firstDifference(before, is))
				}
			})
		})
	}
}

// annotateFully adds words, a note and a file to a trade.
func (h *fixture) annotateFully(trade journal.TradeID) {
	h.t.Helper()
	h.write(trade, "Words.")
	h.attach(trade)
	_, err := h.Playbook.CreateNote(h.t.Context(), h.owner, playbook.NoteChange{Body: journal.Some("Words."), Trade: journal.Some(trade)})
	must(h.t, err)
}

// wantReturn deletes the account, makes a write, and undoes, redoes and undoes the deletion.
func (h *fixture) wantReturn(write func()) {
	h.t.Helper()
	deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteAccount(ctx, h.owner, h.account, nil) })
	write()
	before := h.state()
	undone := h.undo(deletion)
	h.wantNoProblems()
	redone := h.undo(undone)
	if is := h.state(); is != before {
		h.t.Fatalf("after the redo:\n%s", firstDifference(before, is))
	}
	h.undo(redone)
	h.wantNoProblems()
}
