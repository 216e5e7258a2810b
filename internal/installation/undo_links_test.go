package installation_test

import (
	"context"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// wantOrphan requires that a trade's annotations are an orphan if something was added to the
// trade.
func (h *fixture) wantOrphan(trade journal.TradeID, isOrphan bool) {
	h.t.Helper()
	orphans, err := h.Playbook.Orphans(h.t.Context(), h.owner)
	must(h.t, err)
	if found := len(orphans) == 1 && orphans[0].Trade == trade; found != isOrphan || len(orphans) > 1 {
		h.t.Errorf("the orphans are %+v", orphans)
	}
}

// TestUndoOfMergeWithoutFills undoes a fill that had joined two trades, after the fills of the
// one that became part of the other were deleted: what was added to it is an orphan.
func TestUndoOfMergeWithoutFills(t *testing.T) {
	t.Parallel()
	eachAddition(t, func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID)) {
		first, closing := h.fill(matching.Buy, "100", 10), h.fill(matching.Sell, "101", 11)
		trade := first.TradeIDs[0]
		before := h.state()
		add(h, trade)
		hasAdded := h.state() != before
		for minute := 20; minute < 23; minute++ {
			h.fill(matching.Buy, "102", minute)
		}
		joining := h.change(func(ctx context.Context) error {
			_, err := h.Ledger.AddExecution(ctx, h.owner, h.account, h.fillOf(matching.Buy, 1, 5))
			return err
		})
		for _, fill := range []journal.ExecutionID{first.ID, closing.ID} {
			must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, fill, nil))
		}
		before = h.state()
		undone := h.undo(joining)
		h.wantOrphan(trade, hasAdded)
		h.wantUndoAndRedo(before, undone)
	})
}

// TestUndoOfDeletedTradeInAnother undoes the deletion of a trade with a note or an attachment
// only, whose fill becomes part of another trade: what was added to it is an orphan.
func TestUndoOfDeletedTradeInAnother(t *testing.T) {
	t.Parallel()
	eachAddition(t, func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID)) {
		trade := h.fill(matching.Buy, "100", 10).TradeIDs[0]
		before := h.state()
		add(h, trade)
		hasAdded := h.state() != before
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteTrade(ctx, h.owner, trade, nil) })
		for minute := 20; minute < 23; minute++ {
			h.fill(matching.Buy, "102", minute)
		}
		before = h.state()
		undone := h.undo(deletion)
		h.wantOrphan(trade, hasAdded)
		h.wantUndoAndRedo(before, undone)
	})
}

// TestUndoOfSplitOfOrphan undoes a fill that had split a trade, after the fills of the part that
// kept the trade's id were deleted: the other part is the trade again and has its annotations,
// which the redo makes an orphan again.
func TestUndoOfSplitOfOrphan(t *testing.T) {
	t.Parallel()
	eachAddition(t, func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID)) {
		trade := h.fill(matching.Buy, "100", 10).TradeIDs[0]
		var later []journal.ExecutionID
		for minute := 20; minute < 23; minute++ {
			later = append(later, h.fill(matching.Buy, "102", minute).ID)
		}
		split := h.change(func(ctx context.Context) error {
			_, err := h.Ledger.AddExecution(ctx, h.owner, h.account, h.fillOf(matching.Sell, 10, 15))
			return err
		})
		before := h.state()
		add(h, trade)
		hasAdded := h.state() != before
		for _, fill := range later {
			must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, fill, nil))
		}
		h.wantOrphan(trade, hasAdded)
		before = h.state()
		undone := h.undo(split)
		h.wantOrphan(trade, false)
		h.wantNoProblems()
		h.wantUndoAndRedo(before, undone)
	})
}

// TestRedoOfEmptiedOrphanInAnother redoes the deletion of a fill whose orphan is empty since
// and which the undo made a part of another trade.
func TestRedoOfEmptiedOrphanInAnother(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		first := h.fill(matching.Buy, "100", 10)
		tag := h.tag(first.TradeIDs[0], "Tag")
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteExecution(ctx, h.owner, first.ID, nil) })
		must(t, h.Playbook.DeleteTag(t.Context(), h.owner, tag, nil))
		for minute := 20; minute < 23; minute++ {
			h.fill(matching.Buy, "102", minute)
		}
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(deletion))
	})
}

// TestUndoOfSplitOfDeletedTrade undoes a fill that had split a trade, after the user deleted
// the part that kept the trade's id: the other part does not get the deleted trade's id, with
// which that comes back.
func TestUndoOfSplitOfDeletedTrade(t *testing.T) {
	t.Parallel()
	eachAddition(t, func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID)) {
		trade := h.fill(matching.Buy, "100", 10).TradeIDs[0]
		for minute := 20; minute < 23; minute++ {
			h.fill(matching.Buy, "102", minute)
		}
		split := h.change(func(ctx context.Context) error {
			_, err := h.Ledger.AddExecution(ctx, h.owner, h.account, h.fillOf(matching.Sell, 10, 15))
			return err
		})
		add(h, trade)
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteTrade(ctx, h.owner, trade, nil) })
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(split))
		before = h.state()
		h.wantUndoAndRedo(before, h.undo(deletion))
	})
}

// TestRedoOfFillBeforeFlip redoes the deletion of a fill whose trade a later fill closes: that
// fill opened a trade already, which keeps its id.
func TestRedoOfFillBeforeFlip(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		first := h.fill(matching.Buy, "100", 10)
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteExecution(ctx, h.owner, first.ID, nil) })
		_, err := h.Ledger.AddExecution(t.Context(), h.owner, h.account, h.fillOf(matching.Sell, 20, 20))
		must(t, err)
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(deletion))
	})
}

// TestUndoOfDeletedTradeWithOrphan undoes the deletion of a trade, after the undo of an earlier
// deletion of its tag made an orphan with that tag: it is refused until that undo is undone.
func TestUndoOfDeletedTradeWithOrphan(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		trade := h.fill(matching.Buy, "100", 10).TradeIDs[0]
		tag := h.tag(trade, "Tag")
		untagging := h.change(func(ctx context.Context) error { return h.Playbook.DeleteTag(ctx, h.owner, tag, nil) })
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteTrade(ctx, h.owner, trade, nil) })
		before := h.state()
		undone := h.undo(untagging)
		h.wantOrphan(trade, true)
		h.wantConflict(deletion, "trade", string(trade), "")
		h.undo(undone)
		if is := h.state(); is != before {
			t.Fatalf("after the redo:\n%s", firstDifference(before, is))
		}
		h.wantUndoAndRedo(before, h.undo(deletion))
	})
}

// TestRedoOfSplitOfTradeOfBefore redoes the change of a fill that had split a trade, which was gone
// when the undo joined two others to it: what was added to one of these is not added to both.
func TestRedoOfSplitOfTradeOfBefore(t *testing.T) {
	t.Parallel()
	eachAddition(t, func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID)) {
		addFill := func(side matching.Side, quantity int64, minute int) journal.ExecutionID {
			added, err := h.Ledger.AddExecution(t.Context(), h.owner, h.account, h.fillOf(side, quantity, minute))
			must(t, err)
			return added.ID
		}
		for minute := range 3 {
			addFill(matching.Sell, 1, minute)
		}
		closing := addFill(matching.Buy, 3, 3)
		addFill(matching.Buy, 10, 10)
		moved, last := addFill(matching.Sell, 5, 12), addFill(matching.Buy, 10, 20)
		split := h.change(func(ctx context.Context) error {
			_, err := h.Ledger.UpdateExecution(ctx, h.owner, moved, ledger.ExecutionChange{
				Quantity: journal.Some(decimal.New(10)), ExecutedAt: journal.Some(time.Date(2026, 3, 2, 15, 5, 0, 0, time.UTC)),
			}, nil)
			return err
		})
		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, closing, nil)) // the split trade is gone
		addFill(matching.Buy, 3, 3)
		e, err := h.Ledger.Execution(t.Context(), h.owner, last)
		must(t, err)
		add(h, e.TradeIDs[0])
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(split))
	})
}
