package playbook_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

func TestTags(t *testing.T) {
	each(t, func(w *world) {
		tag, err := w.CreateTag(w.ctx, w.ann, playbook.TagChange{
			Name: journal.Some("  FOMO "), Color: journal.Some("#FF0000"), Description: journal.Some("too late"),
			Kind: journal.Some(playbook.MistakeTag),
		})
		must(w.t, err)
		want := playbook.Tag{ID: tag.ID, Name: "FOMO", Color: "#ff0000", Description: "too late", Kind: playbook.MistakeTag, CreatedAt: w.clock.Now()}
		if tag != want || tag.ID == "" {
			w.t.Fatalf("created %+v, want %+v", tag, want)
		}
		w.tag("alpha")
		w.tag("Beta")
		list, err := w.Tags(w.ctx, w.ann)
		must(w.t, err)
		names := []string{}
		for _, tag := range list {
			names = append(names, tag.Name)
		}
		if !slices.Equal(names, []string{"alpha", "Beta", "FOMO"}) {
			w.t.Errorf("tags by name are %v", names)
		}
		if list[2].Tag != want {
			w.t.Errorf("stored %+v, want %+v", list[2], want)
		}

		changed, err := w.ChangeTag(w.ctx, w.ann, tag.ID, playbook.TagChange{
			Color: null[string](), Kind: null[playbook.TagKind](), Name: journal.Some("fomo"),
		}, nil)
		must(w.t, err)
		if changed.Name != "fomo" || changed.Color != "" || changed.Kind != playbook.CustomTag || changed.Description != "too late" {
			w.t.Errorf("changed %+v", changed)
		}
		must(w.t, w.DeleteTag(w.ctx, w.ann, tag.ID, nil))
		refused(w.t, w.DeleteTag(w.ctx, w.ann, tag.ID, nil), journal.KindNotFound, "")
	})
}

func TestTagNamesAreUnique(t *testing.T) {
	each(t, func(w *world) {
		for name, other := range map[string]string{"Breakout": "bREAKOUT", "Straße": "STRAßE", "Σίσυφος": "ΣΊΣΥΦΟΣ", "Kelvin": "\u212aelvin"} {
			first := w.tag(name)
			_, err := w.CreateTag(w.ctx, w.ann, playbook.TagChange{Name: journal.Some(other)})
			if strings.EqualFold(name, other) {
				refused(w.t, err, journal.KindConflict, "")
			}
			second := w.tag(name + " 2")
			_, err = w.ChangeTag(w.ctx, w.ann, second, playbook.TagChange{Name: journal.Some(name)}, nil)
			refused(w.t, err, journal.KindConflict, "")
			_, err = w.ChangeTag(w.ctx, w.ann, first, playbook.TagChange{Name: journal.Some(strings.ToUpper(name))}, nil)
			must(w.t, err) // its own name in another case
		}
		_, err := w.CreateTag(w.ctx, w.bob, playbook.TagChange{Name: journal.Some("Breakout")})
		must(w.t, err) // another user's names are his own
	})
}

// TestParallelTags lets many callers create the same tag at once: one wins.
func TestParallelTags(t *testing.T) {
	each(t, func(w *world) {
		var wait sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			wait.Go(func() {
				_, results[i] = w.CreateTag(w.ctx, w.ann, playbook.TagChange{Name: journal.Some([]string{"news", "NEWS"}[i%2])})
			})
		}
		wait.Wait()
		won := 0
		for _, err := range results {
			if err == nil {
				won++
			} else {
				refused(w.t, err, journal.KindConflict, "")
			}
		}
		if won != 1 {
			w.t.Errorf("%d callers created the tag", won)
		}
	})
}

func TestTagRefusals(t *testing.T) {
	each(t, func(w *world) {
		id := w.tag("kept")
		for field, change := range map[string]playbook.TagChange{
			"name":        {Name: journal.Some(" \u200b ")},
			"color":       {Color: journal.Some("red")},
			"description": {Description: journal.Some("a\x00b")},
			"kind":        {Kind: journal.Some(playbook.TagKind("other"))},
		} {
			_, err := w.ChangeTag(w.ctx, w.ann, id, change, nil)
			refused(w.t, err, journal.KindInvalid, field)
		}
		for _, color := range []string{"#12345", "123456", "#ggg", "#", "#1234567"} {
			_, err := w.ChangeTag(w.ctx, w.ann, id, playbook.TagChange{Color: journal.Some(color)}, nil)
			refused(w.t, err, journal.KindInvalid, "color")
		}
		_, err := w.CreateTag(w.ctx, w.ann, playbook.TagChange{})
		refused(w.t, err, journal.KindInvalid, "name")
		_, err = w.ChangeTag(w.ctx, w.ann, id, playbook.TagChange{Name: null[string]()}, nil)
		refused(w.t, err, journal.KindInvalid, "name")
		_, err = w.CreateTag(w.ctx, w.ann, playbook.TagChange{Name: journal.Some(strings.Repeat("x", 201))})
		refused(w.t, err, journal.KindInvalid, "name")

		stale := func(playbook.CountedTag) error { return journal.Stale() }
		_, err = w.ChangeTag(w.ctx, w.ann, id, playbook.TagChange{Name: journal.Some("new")}, stale)
		refused(w.t, err, journal.KindStale, "")
		refused(w.t, w.DeleteTag(w.ctx, w.ann, id, stale), journal.KindStale, "")

		_, err = w.ChangeTag(w.ctx, w.bob, id, playbook.TagChange{Name: journal.Some("mine")}, nil)
		refused(w.t, err, journal.KindNotFound, "")
		refused(w.t, w.DeleteTag(w.ctx, w.bob, id, nil), journal.KindNotFound, "")
		list, err := w.Tags(w.ctx, w.ann)
		must(w.t, err)
		if len(list) != 1 || list[0].Name != "kept" {
			w.t.Errorf("after refusals the tags are %+v", list)
		}
	})
}

func TestEnsureTags(t *testing.T) {
	each(t, func(w *world) {
		id := w.tag("Momentum")
		w.update(func(tx *db.Tx) error {
			var list []playbook.NewTag
			for _, name := range []string{"MOMENTUM", "Reversal", "", "reversal"} {
				list = append(list, playbook.NewTag{TagChange: playbook.TagChange{Name: journal.Some(name)}, CreatedAt: w.clock.Now()})
			}
			tags, err := playbook.EnsureTags(w.ctx, tx, w.ann, list)
			if err != nil {
				return err
			}
			if tags[0].ID != id || tags[0].Changed || tags[1].ID == id || !tags[1].Changed || tags[3].ID != tags[1].ID || tags[3].Changed {
				w.t.Errorf("tags %+v", tags)
			}
			refused(w.t, tags[2].Err, journal.KindInvalid, "name")
			return nil
		})
	})
}

func TestDeletedTagLeavesTrades(t *testing.T) {
	each(t, func(w *world) {
		a, b := w.tag("a"), w.tag("b")
		w.annotate(w.annTrade, playbook.AnnotationChange{Tags: journal.Some([]journal.TagID{b, a})})
		must(w.t, w.DeleteTag(w.ctx, w.ann, a, nil))
		if tags := w.annotations(w.annTrade).Tags; !slices.Equal(tags, []journal.TagID{b}) {
			w.t.Errorf("the trade has %v", tags)
		}
	})
}
