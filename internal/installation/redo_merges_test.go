package installation_test

import (
	"context"
	"slices"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// tag adds a new tag to a trade.
func (h *fixture) tag(trade journal.TradeID, name string) journal.TagID {
	h.t.Helper()
	tag, err := h.Playbook.CreateTag(h.t.Context(), h.owner, playbook.TagChange{Name: journal.Some(name)})
	must(h.t, err)
	_, err = h.Playbook.Annotate(h.t.Context(), h.owner, trade, playbook.AnnotationChange{Tags: journal.Some([]journal.TagID{tag.ID})}, nil)
	must(h.t, err)
	return tag.ID
}

// addNote adds a note to a trade.
func (h *fixture) addNote(trade journal.TradeID) {
	h.t.Helper()
	_, err := h.Playbook.CreateNote(h.t.Context(), h.owner, playbook.NoteChange{Body: journal.Some("Words."), Trade: journal.Some(trade)})
	must(h.t, err)
}

// addRule adds a setup with a followed rule to a trade.
func (h *fixture) addRule(trade journal.TradeID) {
	h.t.Helper()
	setup, err := h.Playbook.CreateSetup(h.t.Context(), h.owner, playbook.SetupChange{
		Name: journal.Some("Breakout"), Checklist: journal.Some([]string{"Volume"}),
	})
	must(h.t, err)
	_, err = h.Playbook.Annotate(h.t.Context(), h.owner, trade, playbook.AnnotationChange{
		Setups: journal.Some([]journal.SetupID{setup.ID}),
		Rules:  journal.Some([]playbook.RuleChange{{Setup: setup.ID, Rule: "Volume", State: playbook.RuleFollowed}}),
	}, nil)
	must(h.t, err)
}

// additions add something to a trade.
var additions = map[string]func(*fixture, journal.TradeID){
	"nothing":    func(*fixture, journal.TradeID) {},
	"words":      func(h *fixture, trade journal.TradeID) { h.write(trade, "Words.") },
	"tag":        func(h *fixture, trade journal.TradeID) { h.tag(trade, "Other") },
	"rule":       (*fixture).addRule,
	"note":       (*fixture).addNote,
	"attachment": (*fixture).attach,
}

// eachAddition runs a test with each addition.
func eachAddition(t *testing.T, fn func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID))) {
	t.Helper()
	for name, add := range additions {
		t.Run(name, func(t *testing.T) { eachFixture(t, func(t *testing.T, h *fixture) { fn(t, h, add) }) })
	}
}

// TestRedoOfDeletedTradeThatTakesAnother redoes the deletion of a trade that another one, with
// annotations, has become part of by the undo.
func TestRedoOfDeletedTradeThatTakesAnother(t *testing.T) {
	t.Parallel()
	eachAddition(t, func(t *testing.T, h *fixture, add func(*fixture, journal.TradeID)) {
		trade := h.fill(matching.Buy, "100", 0).TradeIDs[0]
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteTrade(ctx, h.owner, trade, nil) })
		add(h, h.fill(matching.Buy, "101", 5).TradeIDs[0])
		before := h.state()
		h.wantUndoAndRedo(before, h.undo(deletion))
	})
}

// TestUndoOfDeletedTradeKeepsWords undoes the deletion of a trade with words. Another trade with
// words becomes a part of it, so it has both.
func TestUndoOfDeletedTradeKeepsWords(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		trade := h.fill(matching.Buy, "100", 0).TradeIDs[0]
		h.write(trade, "First.")
		h.addRule(trade)
		deletion := h.change(func(ctx context.Context) error { return h.Ledger.DeleteTrade(ctx, h.owner, trade, nil) })
		other := h.fill(matching.Buy, "101", 5).TradeIDs[0]
		h.write(other, "Second.")
		tag := h.tag(other, "Other")
		before := h.state()
		undone := h.undo(deletion)
		want := func(state string) {
			t.Helper()
			stored, err := h.Playbook.LoadAnnotations(t.Context(), h.owner, []journal.TradeID{trade})
			must(t, err)
			got := stored[trade]
			if got.Notes != "First.\n\n---\n\nSecond." || !slices.Equal(got.Tags, []journal.TagID{tag}) || len(got.Setups) != 1 || len(got.Rules) != 1 || got.EmotionalState != state {
				t.Fatalf("the trade has %+v", got)
			}
		}
		want("")
		redone := h.undo(h.wantUndoAndRedo(before, undone))
		change := playbook.AnnotationChange{ValueChange: playbook.ValueChange{EmotionalState: journal.Some("Calm")}}
		_, err := h.Playbook.Annotate(t.Context(), h.owner, other, change, nil)
		must(t, err)
		h.undo(redone)
		want("Calm")
	})
}
