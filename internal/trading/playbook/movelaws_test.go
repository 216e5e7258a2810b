package playbook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/playbook"
)

// TestNothingSaidIsLost lets trades merge, lose their fills and get them back in
// any order: every word, tag and picture stays in exactly one place, and when all
// fills are back, on a trade.
func TestNothingSaidIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite), playbook.Options{})
	rapid.Check(t, func(r *rapid.T) {
		w.ann, w.annCash = w.person()
		h := history{world: w, r: r, fills: map[journal.TradeID][]string{}}
		for i := range rapid.IntRange(1, 4).Draw(r, "trades") {
			h.open(i)
		}
		for range rapid.IntRange(0, 7).Draw(r, "steps") {
			switch rapid.IntRange(0, 2).Draw(r, "step") {
			case 0:
				h.merge()
			case 1:
				h.orphan()
			case 2:
				h.arrive(1)
			}
			h.check()
		}
		h.arrive(len(h.lost))
		h.check()
		if left := w.orphans(); len(left) != 0 {
			r.Fatalf("all fills are back and %d orphans wait", len(left))
		}
	})
}

// history is what happened so far, and what must still be there.
type history struct {
	*world
	r     *rapid.T
	fills map[journal.TradeID][]string // the live trades'
	order []journal.TradeID            // the same trades, oldest first
	lost  []string                     // the fills that are away
	words []string
	tags  []journal.TagID
	files []journal.AttachmentID
}

func (h *history) open(i int) {
	trade := h.trade(h.ann, h.annCash)
	h.order = append(h.order, trade)
	h.fills[trade] = []string{fmt.Sprintf("%da", i), fmt.Sprintf("%db", i)}
	if rapid.Bool().Draw(h.r, "annotated") {
		word, tag := fmt.Sprintf("word-%d.", i), h.tag(fmt.Sprintf("tag %d", i))
		h.annotate(trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some(word)}, Tags: journal.Some([]journal.TagID{tag})})
		h.words, h.tags = append(h.words, word), append(h.tags, tag)
	}
	if i == 0 && rapid.Bool().Draw(h.r, "pictured") { // a file costs a sync
		h.files = append(h.files, h.attach(playbook.Target{Trade: trade}).ID)
	}
}

func (h *history) merge() {
	if len(h.order) < 2 {
		return
	}
	from := rapid.SampledFrom(h.order).Draw(h.r, "from")
	h.drop(from)
	into := rapid.SampledFrom(h.order).Draw(h.r, "into")
	h.fills[into] = append(h.fills[into], h.fills[from]...)
	delete(h.fills, from)
	h.move(playbook.Regrouping{Merged: []playbook.Merge{{From: from, Into: into}}})
}

func (h *history) drop(trade journal.TradeID) {
	h.order = slices.DeleteFunc(slices.Clone(h.order), func(t journal.TradeID) bool { return t == trade })
}

func (h *history) orphan() {
	if len(h.order) == 0 {
		return
	}
	trade := rapid.SampledFrom(h.order).Draw(h.r, "orphan")
	h.drop(trade)
	keys := h.fills[trade]
	delete(h.fills, trade)
	h.lost = append(h.lost, keys...)
	h.move(playbook.Regrouping{Orphaned: []playbook.Orphaned{{Trade: trade, Account: h.annCash, FillKeys: keys}}})
}

// arrive brings some lost fills back, into an old trade or a new one.
func (h *history) arrive(n int) {
	n = min(n, len(h.lost))
	if n == 0 {
		return
	}
	var arrived []playbook.Arrival
	for _, key := range rapid.Permutation(h.lost).Draw(h.r, "back")[:n] {
		if len(h.order) == 0 || rapid.Bool().Draw(h.r, "new trade") {
			h.order = append(h.order, h.trade(h.ann, h.annCash))
		}
		trade := rapid.SampledFrom(h.order).Draw(h.r, "home")
		h.fills[trade] = append(h.fills[trade], key)
		h.lost = slices.DeleteFunc(slices.Clone(h.lost), func(k string) bool { return k == key })
		arrived = append(arrived, playbook.Arrival{Trade: trade, FillKeys: []string{key}})
	}
	h.move(playbook.Regrouping{Account: h.annCash, Arrived: arrivals(arrived...)})
}

// check finds every word, tag and picture exactly once, on trades that live or
// on orphans.
func (h *history) check() {
	all, err := h.LoadAnnotations(h.ctx, h.ann, h.order)
	must(h.t, err)
	found := make([]playbook.Annotations, 0, len(all))
	var files []journal.AttachmentID
	for trade, annotations := range all {
		found = append(found, annotations)
		files = append(files, h.attachmentsOf(playbook.Target{Trade: trade})...)
	}
	for _, orphan := range h.orphans() {
		found = append(found, orphan.Annotations)
		for _, file := range orphan.Attachments {
			files = append(files, file.ID)
		}
	}
	var text strings.Builder
	var tags []journal.TagID
	for _, annotations := range found {
		text.WriteString(annotations.Notes + "\n")
		tags = append(tags, annotations.Tags...)
	}
	for _, word := range h.words {
		if n := strings.Count(text.String(), word); n != 1 {
			h.r.Fatalf("%s is said %d times", word, n)
		}
	}
	if !sameSet(tags, h.tags) || !sameSet(files, h.files) {
		h.r.Fatalf("tags %v, want %v; files %v, want %v", tags, h.tags, files, h.files)
	}
}

func sameSet[T ~string](a, b []T) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
