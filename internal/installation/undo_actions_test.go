package installation_test

import (
	"context"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// eachActionKind runs a test with each kind of corporate action that moves positions.
func eachActionKind(t *testing.T, fn func(t *testing.T, h *fixture, act func(context.Context) journal.ActionID)) {
	t.Helper()
	split := func(h *fixture, ctx context.Context) journal.ActionID {
		a, err := h.Ledger.CreateAction(ctx, h.owner, ledger.ActionChange{
			Kind: journal.Some(ledger.ActionSplit), Symbol: journal.Some("AAPL"), EffectiveOn: journal.Some(journal.Day("2026-03-03")),
			RatioNew: journal.Some(int64(2)), RatioOld: journal.Some(int64(1)),
		})
		must(h.t, err)
		return a.ID
	}
	for name, act := range map[string]func(*fixture, context.Context) journal.ActionID{
		"split":    split,
		"rename":   func(h *fixture, ctx context.Context) journal.ActionID { return h.move(ctx, ledger.ActionRename) },
		"spin-off": func(h *fixture, ctx context.Context) journal.ActionID { return h.move(ctx, ledger.ActionSpinOff) },
	} {
		t.Run(name, func(t *testing.T) {
			eachFixture(t, func(t *testing.T, h *fixture) {
				fn(t, h, func(ctx context.Context) journal.ActionID { return act(h, ctx) })
			})
		})
	}
}

// TestUndoOfRestoredActions undoes the restore of a backup with an account and a corporate
// action that acts on its trades: both go, and come back with the redo.
func TestUndoOfRestoredActions(t *testing.T) {
	t.Parallel()
	eachActionKind(t, func(t *testing.T, h *fixture, act func(context.Context) journal.ActionID) {
		w := newWriter(h, 1, 1, false)
		h.addAccount()
		h.write(h.addFillOf("AAPL", matching.Buy, 4, 0).TradeIDs[0], "Words.")
		for _, symbol := range []string{"AAPL", "NEW"} { // after the action
			sold := h.addFillOf(symbol, matching.Sell, 8, 2*24*60)
			h.write(sold.TradeIDs[len(sold.TradeIDs)-1], "Other words.")
		}
		action := act(t.Context())
		must(t, w.restoreBackup(t.Context())) // makes the backup
		must(t, h.Ledger.DeleteAccount(t.Context(), h.owner, h.account, nil))
		must(t, h.Ledger.DeleteAction(t.Context(), h.owner, action, nil))
		before := h.state()
		restored := h.change(w.restoreBackup)
		h.wantUndoAndRedo(before, restored)
	})
}
