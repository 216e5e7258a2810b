package installation_test

import (
	"context"
	"slices"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// TestRedoOfEmptiedOrphan redoes the deletion of a fill whose orphan lost its only tag since:
// the orphan is there again, with its fill. The undo moves to it what another trade had, and
// the redo moves it back.
func TestRedoOfEmptiedOrphan(t *testing.T) {
	t.Parallel()
	eachAddition(t, func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID)) {
		first := h.fill(matching.Buy, "100", 0)
		trade := first.TradeIDs[0]
		tag := h.tag(trade, "Tag")
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteExecution(ctx, h.owner, first.ID, nil) })
		untagging := h.change(func(ctx context.Context) error { return h.Playbook.DeleteTag(ctx, h.owner, tag, nil) })
		add(h, h.fill(matching.Buy, "101", 5).TradeIDs[0])
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(deletion))

		h.undo(untagging)
		back := h.fill(matching.Buy, "100", 0).TradeIDs[0]
		stored, err := h.Playbook.LoadAnnotations(t.Context(), h.owner, []journal.TradeID{back})
		must(t, err)
		if !slices.Contains(stored[back].Tags, tag) {
			t.Errorf("the trade of the fill that came back has %+v", stored[back])
		}
	})
}

// TestRedoOfReversalWithEmptiedOrphan is [TestRedoOfEmptiedOrphan] for the reversal of an import.
func TestRedoOfReversalWithEmptiedOrphan(t *testing.T) {
	t.Parallel()
	eachAddition(t, func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID)) {
		w := newWriter(h, 1, 1, false)
		h.importFills([]byte("Symbol,Side,Quantity,Price,Executed At\nAAPL,buy,10,100,2026-03-02T15:00:00Z\n"))
		tag := h.tag(journal.TradeID(w.pick("trades")), "Tag")
		reversal := h.change(w.reverseImport)
		must(t, h.Playbook.DeleteTag(t.Context(), h.owner, tag, nil))
		add(h, h.fill(matching.Buy, "101", 5).TradeIDs[0])
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(reversal))
	})
}
