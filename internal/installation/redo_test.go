package installation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// change makes a write and returns the id of its change.
func (h *fixture) change(write func(context.Context) error) journal.ChangeID {
	h.t.Helper()
	ctx, outcome := history.WithOutcome(h.t.Context())
	must(h.t, write(ctx))
	if outcome.Count != 1 {
		h.t.Fatalf("the write left %d changes", outcome.Count)
	}
	return outcome.Change
}

// undo undoes a change and returns the id of the undo.
func (h *fixture) undo(id journal.ChangeID) journal.ChangeID {
	h.t.Helper()
	change, err := h.Undo(h.t.Context(), h.owner, id, allowAll)
	if err != nil {
		h.t.Fatal(describe(err))
	}
	return change.ID
}

// wantConflict undoes a change, which must be refused because of a record's field.
func (h *fixture) wantConflict(id journal.ChangeID, kind, record, field string) {
	h.t.Helper()
	_, err := h.Undo(h.t.Context(), h.owner, id, allowAll)
	refused, ok := errors.AsType[*journal.Error](err)
	if !ok || refused.Code != "changed_since" {
		h.t.Fatalf("the undo returned %v", err)
	}
	conflicts, _ := refused.Details["conflicts"].([]history.Conflict)
	for _, c := range conflicts {
		if c.Type == kind && c.ID == record && (c.Field == nil && field == "" || c.Field != nil && *c.Field == field) {
			return
		}
	}
	h.t.Fatalf("the conflicts are %+v", conflicts)
}

// wantUndoAndRedo undoes and redoes a write twice, and returns the last redo. before is the
// state before it.
func (h *fixture) wantUndoAndRedo(before string, id journal.ChangeID) journal.ChangeID {
	h.t.Helper()
	after := h.state()
	for range 2 {
		undone := h.undo(id)
		if is := h.state(); is != before {
			h.t.Fatalf("after the undo:\n%s", firstDifference(before, is))
		}
		id = h.undo(undone)
		if is := h.state(); is != after {
			h.t.Fatalf("after the redo:\n%s", firstDifference(after, is))
		}
	}
	h.wantNoProblems()
	return id
}

func (h *fixture) fillOf(side matching.Side, quantity int64, minute int) ledger.NewFill {
	return ledger.NewFill{
		Symbol: "AAPL", Side: side, Quantity: decimal.New(quantity), Price: decimal.New(100),
		ExecutedAt: time.Date(2026, 3, 2, 15, minute, 0, 0, time.UTC),
	}
}

// TestRedoMovesNoteOfOrphan redoes an arrival that moves a note from an orphan, to which it
// shows no link, to another trade.
func TestRedoMovesNoteOfOrphan(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		first := h.fill(matching.Buy, "100", 0)
		_, err := h.Playbook.CreateNote(t.Context(), h.owner, playbook.NoteChange{
			Body: journal.Some("Words."), Trade: journal.Some(first.TradeIDs[0]),
		})
		must(t, err)
		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, first.ID, nil))
		before := h.state()
		id := h.change(func(ctx context.Context) error {
			_, err := h.Ledger.AddExecution(ctx, h.owner, h.account, h.fillOf(matching.Buy, 10, 0))
			return err
		})
		h.wantUndoAndRedo(before, id)
	})
}

// TestUndoOfNoteChangesKeepsOrphanLink undoes an update and a deletion of a note that is
// linked to an orphan.
func TestUndoOfNoteChangesKeepsOrphanLink(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		first := h.fill(matching.Buy, "100", 0)
		trade := first.TradeIDs[0]
		note, err := h.Playbook.CreateNote(t.Context(), h.owner, playbook.NoteChange{Body: journal.Some("Words."), Trade: journal.Some(trade)})
		must(t, err)
		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, first.ID, nil))
		unlink := func(ctx context.Context) error {
			_, err := h.Playbook.ChangeNote(ctx, h.owner, note.ID, playbook.NoteChange{Trade: journal.Opt[journal.TradeID]{Set: true, Null: true}}, nil)
			return err
		}
		h.undo(h.change(unlink))
		deletion := h.change(func(ctx context.Context) error { return h.Playbook.DeleteNote(ctx, h.owner, note.ID, nil) })
		h.undo(deletion)
		h.fill(matching.Buy, "100", 0)
		stored, err := h.Playbook.Note(t.Context(), h.owner, note.ID)
		must(t, err)
		if stored.Trade == nil {
			t.Fatal("the note has lost its link")
		}
		h.wantNoProblems()
	})
}

// TestUndoOfNoteNamesDeletedOrphan undoes the deletion of a note whose orphan was deleted
// since.
func TestUndoOfNoteNamesDeletedOrphan(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		first := h.fill(matching.Buy, "100", 0)
		trade := first.TradeIDs[0]
		h.write(trade, "Words.")
		note, err := h.Playbook.CreateNote(t.Context(), h.owner, playbook.NoteChange{Body: journal.Some("Words."), Trade: journal.Some(trade)})
		must(t, err)
		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, first.ID, nil))
		deletion := h.change(func(ctx context.Context) error { return h.Playbook.DeleteNote(ctx, h.owner, note.ID, nil) })
		orphan := h.change(func(ctx context.Context) error { return h.Playbook.DeleteOrphan(ctx, h.owner, trade) })
		h.wantConflict(deletion, "trade", string(trade), "")
		h.undo(orphan)
		h.undo(deletion)
		h.wantNoProblems()
	})
}

// TestRedoOfNoteWithAttachment redoes the deletion of a note with an attachment, and is refused
// if there is another one since.
func TestRedoOfNoteWithAttachment(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		note, err := h.Playbook.CreateNote(t.Context(), h.owner, playbook.NoteChange{Body: journal.Some("Words.")})
		must(t, err)
		w := newWriter(h, 1, 1, true)
		attach := func(ctx context.Context) error {
			w.number++
			return w.attachTo(ctx, playbook.Target{Note: note.ID})
		}
		must(t, attach(t.Context()))
		before := h.state()
		id := h.change(func(ctx context.Context) error { return h.Playbook.DeleteNote(ctx, h.owner, note.ID, nil) })
		undone := h.undo(h.wantUndoAndRedo(before, id))
		known := w.pick("attachments")
		later := h.change(attach)
		added := w.pick("attachments")
		for added == known {
			added = w.pick("attachments")
		}
		h.wantConflict(undone, "attachment", added, "")
		h.undo(later)
		h.undo(undone)
	})
}

// TestRedoDeletesTheSameTrade redoes the deletion of a trade that shares its only remaining
// fill with the next one.
func TestRedoDeletesTheSameTrade(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.fill(matching.Buy, "100", 0)
		crossing, err := h.Ledger.AddExecution(t.Context(), h.owner, h.account, h.fillOf(matching.Sell, 20, 5))
		must(t, err)
		if len(crossing.TradeIDs) != 2 {
			t.Fatalf("the fill is in %v", crossing.TradeIDs)
		}
		before := h.state()
		id := h.change(func(ctx context.Context) error { return h.Ledger.DeleteTrade(ctx, h.owner, crossing.TradeIDs[0], nil) })
		h.wantUndoAndRedo(before, id)
	})
}

// TestRedoKeepsLaterAnnotations redoes the deletion of a trade that was annotated after the
// undo.
func TestRedoKeepsLaterAnnotations(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		trade := h.fill(matching.Buy, "100", 0).TradeIDs[0]
		undone := h.undo(h.change(func(ctx context.Context) error { return h.Ledger.DeleteTrade(ctx, h.owner, trade, nil) }))
		words := h.change(func(ctx context.Context) error {
			_, err := h.Playbook.Annotate(ctx, h.owner, trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("Words.")}}, nil)
			return err
		})
		h.wantConflict(undone, "trade", string(trade), "notes")
		h.undo(words)
		h.undo(undone)
		h.wantNoProblems()
	})
}

// TestRedoOfMovedPosition redoes a fill whose position a split moves to another stream.
func TestRedoOfMovedPosition(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		_, err := h.Ledger.CreateAction(t.Context(), h.owner, ledger.ActionChange{
			Kind: journal.Some(ledger.ActionSplit), Symbol: journal.Some("AAPL"), RatioNew: journal.Some(int64(2)), RatioOld: journal.Some(int64(1)),
			EffectiveOn: journal.Some(journal.Day("2026-03-03")),
		})
		must(t, err)
		before := h.state()
		h.wantUndoAndRedo(before, h.change(func(ctx context.Context) error {
			in := h.fillOf(matching.Buy, 1, 0)
			in.InstrumentType = "option"
			in.Details = map[string]string{"option_right": "call", "strike": "110", "expiry": "2026-03-20"}
			_, err := h.Ledger.AddExecution(ctx, h.owner, h.account, in)
			return err
		}))
	})
}

// TestRedoOfSpunOffPosition redoes a change to a fill that gives a spin-off a position to act
// on: the trade that it opens in the new symbol has no fill, and gets its id again.
func TestRedoOfSpunOffPosition(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		_, err := h.Ledger.CreateAction(t.Context(), h.owner, ledger.ActionChange{
			Kind: journal.Some(ledger.ActionSpinOff), Symbol: journal.Some("AAPL"), NewSymbol: journal.Some("NEW"),
			RatioNew: journal.Some(int64(1)), RatioOld: journal.Some(int64(1)), CostShare: journal.Some(decimal.Must("0.1")),
			EffectiveOn: journal.Some(journal.Day("2026-03-01")),
		})
		must(t, err)
		fill := h.fill(matching.Buy, "100", 0)
		before := h.state()
		h.wantUndoAndRedo(before, h.change(func(ctx context.Context) error {
			earlier := fill.ExecutedAt.AddDate(0, 0, -7)
			_, err := h.Ledger.UpdateExecution(ctx, h.owner, fill.ID, ledger.ExecutionChange{ExecutedAt: journal.Some(earlier)}, nil)
			return err
		}))
	})
}

// TestUndoReturnsAttachments undoes writes that move attachments with their trade's
// annotations: the deletion of a fill between two trades, the arrival of an orphan's fill in
// another trade, and an adoption.
func TestUndoReturnsAttachments(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.fill(matching.Buy, "100", 0)
		closing := h.fill(matching.Sell, "101", 5)
		second := h.fill(matching.Buy, "102", 10)
		h.attach(second.TradeIDs[0])
		h.wantAttachmentMoved(func(ctx context.Context) error { return h.Ledger.DeleteExecution(ctx, h.owner, closing.ID, nil) })
		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, second.ID, nil))
		first := h.fill(matching.Buy, "99", 20)
		h.attach(first.TradeIDs[0])
		must(t, h.Ledger.DeleteTrade(t.Context(), h.owner, first.TradeIDs[0], nil))
		lost := h.fill(matching.Buy, "103", 30)
		h.attach(lost.TradeIDs[0])
		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, lost.ID, nil))
		into := h.fill(matching.Buy, "104", 40)
		h.wantAttachmentMoved(func(ctx context.Context) error {
			_, err := h.Playbook.AdoptOrphan(ctx, h.owner, lost.TradeIDs[0], into.TradeIDs[0])
			return err
		})
	})
}

// wantAttachmentMoved makes a write that records the new trade of an attachment, and undoes
// and redoes it.
func (h *fixture) wantAttachmentMoved(write func(context.Context) error) {
	h.t.Helper()
	before := h.state()
	id := h.change(write)
	change, err := h.History.Get(h.t.Context(), h.owner, id)
	must(h.t, err)
	if !slices.ContainsFunc(change.Objects, func(o history.Object) bool { return o.Type == "attachment" && o.Action == history.Updated }) {
		h.t.Errorf("the change has the objects %+v", change.Objects)
	}
	h.wantUndoAndRedo(before, id)
}

// TestMovedNoteIsHidden merges trades, of which one has a note: an access token limited to
// another account sees nothing of it.
func TestMovedNoteIsHidden(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.fill(matching.Buy, "100", 0)
		closing := h.fill(matching.Sell, "101", 5)
		second := h.fill(matching.Buy, "102", 10)
		_, err := h.Playbook.CreateNote(t.Context(), h.owner, playbook.NoteChange{Title: journal.Some("Secret"), Body: journal.Some("Words."), Trade: journal.Some(second.TradeIDs[0])})
		must(t, err)
		id := h.change(func(ctx context.Context) error { return h.Ledger.DeleteExecution(ctx, h.owner, closing.ID, nil) })
		other, err := h.Ledger.CreateAccount(t.Context(), h.owner, ledger.NewAccount{Name: "Other"})
		must(t, err)
		page, err := h.History.List(journal.LimitAccounts(t.Context(), []journal.AccountID{other.ID}), h.owner, history.Query{Limit: 100})
		must(t, err)
		for _, c := range page.Changes {
			if c.ID == id {
				t.Errorf("the token sees %+v", c.Objects)
			}
		}
	})
}

// TestRedoOfAdoption undoes and redoes adoptions of orphans with words, a note and an
// attachment twice: the orphan has its symbol and its fills again each time.
func TestRedoOfAdoption(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		for i, link := range []func(journal.TradeID){
			func(trade journal.TradeID) { h.write(trade, "Words.") },
			func(trade journal.TradeID) { h.write(trade, "Words."); h.attach(trade) },
			func(trade journal.TradeID) {
				_, err := h.Playbook.CreateNote(t.Context(), h.owner, playbook.NoteChange{Body: journal.Some("Words."), Trade: journal.Some(trade)})
				must(t, err)
			},
		} {
			lost := h.fill(matching.Buy, "103", 10*i)
			link(lost.TradeIDs[0])
			must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, lost.ID, nil))
			into := h.fill(matching.Buy, "104", 10*i+1)
			before := h.state()
			id := h.change(func(ctx context.Context) error {
				_, err := h.Playbook.AdoptOrphan(ctx, h.owner, lost.TradeIDs[0], into.TradeIDs[0])
				return err
			})
			h.wantUndoAndRedo(before, id)
			must(t, h.Ledger.DeleteTrade(t.Context(), h.owner, into.TradeIDs[0], nil))
		}
	})
}

// TestAccountReturnsBesideTakenNumbers undoes the deletion of an account with positions that
// an action moved, after another account has taken the numbers of its instruments.
func TestAccountReturnsBesideTakenNumbers(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		h.fill(matching.Buy, "100", 0)
		after := h.fillOf(matching.Sell, 4, 0)
		after.Symbol, after.ExecutedAt = "NEW", after.ExecutedAt.AddDate(0, 0, 2)
		_, err := h.Ledger.AddExecution(ctx, h.owner, h.account, after)
		must(t, err)
		_, err = h.Ledger.CreateAction(ctx, h.owner, ledger.ActionChange{
			Kind: journal.Some(ledger.ActionRename), Symbol: journal.Some("AAPL"), NewSymbol: journal.Some("NEW"),
			EffectiveOn: journal.Some(journal.Day("2026-03-03")), Zone: journal.Some("America/New_York"),
		})
		must(t, err)
		before, deleted := h.tradesText(), h.account
		id := h.change(func(ctx context.Context) error { return h.Ledger.DeleteAccount(ctx, h.owner, deleted, nil) })
		other, err := h.Ledger.CreateAccount(ctx, h.owner, ledger.NewAccount{Name: "Other", BaseCurrency: "USD"})
		must(t, err)
		h.account = other.ID
		for minute, symbol := range []string{"AAPL", "NEW", "MSFT"} {
			f := h.fillOf(matching.Buy, 1, minute)
			f.Symbol = symbol
			_, err := h.Ledger.AddExecution(ctx, h.owner, other.ID, f)
			must(t, err)
		}
		h.undo(id)
		h.account = deleted
		if is := h.tradesText(); is != before {
			t.Errorf("the account has\n%s, had\n%s", is, before)
		}
		h.wantNoProblems()
	})
}

// tradesText returns what the account's trades say.
func (h *fixture) tradesText() (text string) {
	h.t.Helper()
	query := ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{h.account}}}
	must(h.t, h.Ledger.EachTrade(h.t.Context(), h.owner, query, func(t ledger.Trade) error {
		text += fmt.Sprintln(t.ID, t.Instrument.Symbol, t.Symbols, t.QtyOpened, t.QtyRemaining, t.NetPnL)
		return nil
	}))
	return text
}
