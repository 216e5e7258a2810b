package routine

import (
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/journal"
)

func TestCreateAndList(t *testing.T) {
	eachEngine(t, func(f fixture) {
		first := f.create("  plan ", Pre, []int{5, 1, 1}, "")
		if first.Title != "plan" || first.StartDay != today || first.EndDay != "" || first.Position != 0 || !slices.Equal(first.Weekdays.List(), []int{1, 5}) {
			f.Errorf("created %+v", first)
		}
		f.create("log", Post, everyday, "")
		f.create("read", Pre, everyday, "2026-03-01")
		f.create("focus", During, everyday, "2026-03-20")
		f.expectItems("", "plan", "read", "log")
		f.expectItems("2026-03-01", "read")
		f.expectItems("2026-02-28")
		f.expectItems("2026-03-20", "plan", "read", "focus", "log")
		items, err := f.service.Items(f.Context(), f.owner, "2026-02-01")
		if items == nil || err != nil {
			f.Errorf("no items: %v, %v, want an empty list", items, err)
		}
	})
}

func TestCreateRefuses(t *testing.T) {
	eachEngine(t, func(f fixture) {
		for what, draft := range map[string]Draft{
			"no title":        {Title: " \u200b", Stage: Pre, Weekdays: everyday},
			"long title":      {Title: strings.Repeat("x", 201), Stage: Pre, Weekdays: everyday},
			"no stage":        {Title: "x", Weekdays: everyday},
			"unknown stage":   {Title: "x", Stage: "PRE", Weekdays: everyday},
			"no weekdays":     {Title: "x", Stage: Pre},
			"unknown weekday": {Title: "x", Stage: Pre, Weekdays: []int{7}},
		} {
			_, err := f.service.Create(f.Context(), f.owner, draft)
			f.expectKind(err, journal.KindInvalid, what)
		}
		f.expectItems("")
	})
}

func TestUnknownUser(t *testing.T) {
	eachEngine(t, func(f fixture) {
		_, err := f.service.Items(f.Context(), 1<<30, "")
		f.expectKind(err, journal.KindNotFound, "items of an unknown user")
		_, err = f.service.SetTemplate(f.Context(), 1<<30, []string{"x"}, nil)
		f.expectKind(err, journal.KindNotFound, "template of an unknown user")
	})
}

func TestReorder(t *testing.T) {
	eachEngine(t, func(f fixture) {
		a, b, c := f.create("a", Pre, everyday, ""), f.create("b", Pre, everyday, ""), f.create("c", Pre, everyday, "")
		d, e := f.create("d", Post, everyday, ""), f.create("e", Post, everyday, "2026-04-01")
		reorder := func(ids ...journal.RoutineID) error {
			return f.service.Reorder(f.Context(), f.owner, ids)
		}
		f.must(reorder(c.ID))
		f.expectItems("", "c", "a", "b", "d")
		f.must(reorder(e.ID, b.ID, d.ID, a.ID))
		f.expectItems("2026-04-01", "b", "a", "c", "e", "d")
		f.create("f", Pre, everyday, "")
		f.expectItems("", "b", "a", "c", "f", "d")

		f.expectKind(reorder(), journal.KindInvalid, "no ids")
		f.expectKind(reorder(a.ID, b.ID, a.ID), journal.KindInvalid, "an id twice")
		f.expectKind(reorder(a.ID, "unknown"), journal.KindNotFound, "an unknown id")
		f.must(f.service.Delete(f.Context(), f.owner, c.ID, "", nil))
		f.expectKind(reorder(c.ID), journal.KindNotFound, "an ended item")
		f.expectItems("", "b", "a", "f", "d")
	})
}
