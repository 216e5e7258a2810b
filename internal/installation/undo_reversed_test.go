package installation_test

import (
	"context"
	"slices"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// reverse reverses an import and returns the change.
func (h *fixture) reverse(batch journal.BatchID) journal.ChangeID {
	h.t.Helper()
	by := imports.Actor{Principal: identity.Principal{UserID: h.owner}}
	return h.change(func(ctx context.Context) error { return h.Imports.Reverse(ctx, by, batch, nil) })
}

// wantReversedConflict requires that a change cannot be undone because an import was reversed
// since, and can when the reversal is undone.
func (h *fixture) wantReversedConflict(id journal.ChangeID, batch journal.BatchID, reversal journal.ChangeID) {
	h.t.Helper()
	h.wantConflict(id, "import", string(batch), "status")
	h.undo(reversal)
	h.undo(id)
	h.wantNoProblems()
}

// TestUndoOfDeletedCashOfReversedImport undoes the deletion of a cash transaction whose import
// was reversed, or undone, since.
func TestUndoOfDeletedCashOfReversedImport(t *testing.T) {
	t.Parallel()
	for name, reverse := range map[string]func(*fixture, journal.ChangeID, journal.BatchID) journal.ChangeID{
		"reversed": func(h *fixture, _ journal.ChangeID, batch journal.BatchID) journal.ChangeID { return h.reverse(batch) },
		"undone":   func(h *fixture, id journal.ChangeID, _ journal.BatchID) journal.ChangeID { return h.undo(id) },
	} {
		t.Run(name, func(t *testing.T) {
			eachFixture(t, func(t *testing.T, h *fixture) {
				w := newWriter(h, 1, 1, false)
				w.number = 1 // the amount of the cash transaction
				id := h.change(w.importWords)
				batch := journal.BatchID(w.pick("import_batches"))
				cash := journal.CashID(w.pick("cash_transactions"))
				deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteCash(ctx, h.owner, cash, nil) })
				h.wantReversedConflict(deletion, batch, reverse(h, id, batch))
			})
		})
	}
}

// completing returns a file with a fill, which several of them complete.
func completing(column, value string) []byte {
	return []byte("Symbol,Side,Quantity,Price,Executed At," + column + "\nAAPL,buy,10,100,2026-03-02T15:00:00Z," + value + "\n")
}

// TestUndoOfDeletedFillOfReversedImport undoes the deletion of a fill that an import reversed
// since had completed.
func TestUndoOfDeletedFillOfReversedImport(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.importFills(completing("Notes", ""))
		batch := h.importFills(completing("Commission", "1"))
		deletion := h.change(newWriter(h, 1, 1, false).deleteFill)
		h.wantReversedConflict(deletion, batch, h.reverse(batch))
	})
}

// TestUndoOfReversalNextToReversal undoes the reversal of an import that has completed the same
// fill as another one, reversed since.
func TestUndoOfReversalNextToReversal(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.importFills(completing("Notes", ""))
		first := h.importFills(completing("Commission", "1"))
		second := h.importFills(completing("Fees", "2"))
		reversal := h.reverse(first)
		h.wantReversedConflict(reversal, second, h.reverse(second))
	})
}

// TestUndoOfReversalWithOtherFills undoes the reversal of an import after a fill of it, deleted
// before, came back, and a fill that another import has, too, was deleted: it is refused,
// because other fills stayed.
func TestUndoOfReversalWithOtherFills(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		const header, first = "Symbol,Side,Quantity,Price,Executed At\n", "AAPL,buy,10,100,2026-03-02T15:00:00Z\n"
		batch := h.importFills([]byte(header + first + "AAPL,buy,10,101,2026-03-02T15:05:00Z\n"))
		h.importFills([]byte(header + first + "AAPL,buy,10,103,2026-03-02T15:15:00Z\n"))
		fills := h.fillIDs()
		early := h.change(func(ctx context.Context) error { return h.Ledger.DeleteExecution(ctx, h.owner, fills[1], nil) })
		reversal := h.reverse(batch)
		h.undo(early)
		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, fills[0], nil))
		before := h.state()
		h.wantConflict(reversal, "execution", string(fills[1]), "")
		if is := h.state(); is != before {
			t.Errorf("the refused undo changed the journal:\n%s", firstDifference(before, is))
		}
	})
}

// TestRedoOfReversalThatReturnedOrphan redoes the reversal of an import after a fill was added,
// with which the undo made one trade of the import's two: the orphan does not wait for the fills
// of the second one.
func TestRedoOfReversalThatReturnedOrphan(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		batch := h.importFills([]byte("Symbol,Side,Quantity,Price,Executed At\nAAPL,buy,10,100,2026-03-02T15:00:00Z\n" +
			"AAPL,sell,10,101,2026-03-02T15:05:00Z\nAAPL,buy,10,102,2026-03-02T15:10:00Z\n"))
		fills := h.fillIDs()
		first, err := h.Ledger.Execution(t.Context(), h.owner, fills[0])
		must(t, err)
		h.write(first.TradeIDs[0], "Words.")
		reversal := h.reverse(batch)
		h.fill(matching.Buy, "103", 1)
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(reversal))
	})
}

// fillIDs returns the ids of all fills, in order.
func (h *fixture) fillIDs() (ids []journal.ExecutionID) {
	h.t.Helper()
	must(h.t, h.DB.View(h.t.Context(), func(tx *db.Tx) error {
		return ledger.EachExecution(h.t.Context(), tx, h.owner, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
			ids = append(ids, e.ID)
			return nil
		})
	}))
	slices.Sort(ids) // they begin with the instant
	return ids
}
