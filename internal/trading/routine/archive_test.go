package routine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

func (f fixture) export() Archive {
	f.Helper()
	var a Archive
	f.must(f.db.View(f.Context(), func(tx *db.Tx) (err error) {
		a, err = Export(f.Context(), tx, f.owner)
		return err
	}))
	return a
}

func (f fixture) restore(a Archive) (added int, err error) {
	f.Helper()
	err = f.db.Update(f.Context(), func(tx *db.Tx) error {
		done, err := Restore(f.Context(), tx, f.owner, a, time.Unix(0, 0))
		added = done.Items
		return err
	})
	return added, err
}

func (f fixture) createSample() Archive {
	f.Helper()
	item := f.create("a", Pre, everyday, "2026-03-01")
	f.create("b", During, everyday, "2026-03-05")
	f.tick("2026-03-02", item.ID, true)
	f.tick("2026-03-06", item.ID, true)
	f.edit(item.ID, Change{Stage: journal.Some(Post), Day: "2026-03-04"})
	return f.export()
}

func TestArchiveRoundTrip(t *testing.T) {
	eachEngine(t, func(f fixture) {
		want := f.createSample()
		if len(want.Items) != 3 || len(want.Ticks) != 2 {
			f.Fatalf("exported %+v", want)
		}
		other := f
		other.owner = newUser(f.T, f.db)
		for _, count := range []int{3, 0} { // the second time nothing is new
			if added, err := other.restore(want); err != nil || added != count {
				f.Errorf("restored %d items, %v, want %d", added, err, count)
			}
		}
		got := other.export()
		got.Template = want.Template // not restored
		if diff := cmp.Diff(want, got); diff != "" {
			f.Errorf("(-want +got):\n%s", diff)
		}
		other.expectItems("", "b", "a") // and not seeded
		other.expectDay("2026-03-06", "b a!")
	})
}

func TestRestoreRefuses(t *testing.T) {
	eachEngine(t, func(f fixture) {
		sound := f.createSample()
		other := f
		other.owner = newUser(f.T, f.db)
		for what, spoil := range map[string]func(a *Archive){
			"no id":             func(a *Archive) { a.Items[0].ID = "" },
			"no chain":          func(a *Archive) { a.Items[0].Chain = "" },
			"no title":          func(a *Archive) { a.Items[0].Title = " " },
			"bad stage":         func(a *Archive) { a.Items[0].Stage = "noon" },
			"no weekdays":       func(a *Archive) { a.Items[0].Weekdays = 0 },
			"negative position": func(a *Archive) { a.Items[0].Position = -1 },
			"no start":          func(a *Archive) { a.Items[0].StartDay = "" },
			"bad start":         func(a *Archive) { a.Items[0].StartDay = "2026-02-30" },
			"bad end":           func(a *Archive) { a.Items[0].EndDay = "soon" },
			"foreign tick":      func(a *Archive) { a.Ticks[0].Item = "unknown" },
			"bad tick":          func(a *Archive) { a.Ticks[0].Day = "yesterday" },
		} {
			a := Archive{Items: append([]Item{}, sound.Items...), Ticks: append([]Tick{}, sound.Ticks...)}
			spoil(&a)
			_, err := other.restore(a)
			other.expectKind(err, journal.KindInvalid, what)
		}
		if left := other.export(); len(left.Items) != 0 || len(left.Ticks) != 0 {
			f.Errorf("a refused archive left %+v", left)
		}
	})
}

// Archived chains are restored only if they are consistent.
func TestRestoreSeparatesChains(t *testing.T) {
	eachEngine(t, func(f fixture) {
		sound := f.createSample()
		other := f
		other.owner = newUser(f.T, f.db)
		torn := Archive{Items: append([]Item{}, sound.Items...)}
		for i := range torn.Items {
			torn.Items[i].Chain = "one" // three that overlap
		}
		if _, err := other.restore(torn); err != nil {
			f.Fatal(err)
		}
		other.expectNoBreaches()

		third := f
		third.owner = newUser(f.T, f.db)
		for _, item := range sound.Items { // a chain that arrives in two parts
			if _, err := third.restore(Archive{Items: []Item{item}}); err != nil {
				f.Fatal(err)
			}
		}
		third.expectNoBreaches()
		if items := third.export().Items; len(items) != 3 {
			f.Errorf("%d items, want 3", len(items))
		}
	})
}

// Each rule in the operator's check finds its breach.
func TestCheckFindsBreaches(t *testing.T) {
	eachEngine(t, func(f fixture) {
		f.createSample()
		f.expectNoBreaches()
		for _, c := range []struct{ what, statement string }{
			{"empty", `UPDATE routine_items SET end_day = start_day WHERE user_id = $1 AND title = 'b'`},
			{"gap", `UPDATE routine_items SET end_day = '2026-03-03' WHERE user_id = $1 AND stage = 'pre'`},
			{"late tick", `UPDATE routine_items SET end_day = '2026-03-06' WHERE user_id = $1 AND stage = 'post'`},
		} {
			before := len(f.breaches())
			f.must(f.db.Update(f.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(f.Context(), c.statement, f.owner)
				return err
			}))
			if found := f.breaches(); len(found) != before+1 {
				f.Errorf("%s: %q, want one more than %d", c.what, found, before)
			}
		}
	})
}

func (f fixture) breaches() (found []string) {
	f.Helper()
	f.must(f.service.Check(f.Context(), func(breach string) { found = append(found, breach) }))
	return found
}

func TestFindBreaks(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		items []Item
		want  int
	}{
		"one":          {[]Item{{ID: "a", ItemValues: ItemValues{StartDay: "2026-03-01"}}}, 0},
		"two in a row": {[]Item{{ID: "b", ItemValues: ItemValues{StartDay: "2026-03-05"}}, {ID: "a", ItemValues: ItemValues{StartDay: "2026-03-01"}, EndDay: "2026-03-05"}}, 0},
		"gap":          {[]Item{{ID: "a", ItemValues: ItemValues{StartDay: "2026-03-01"}, EndDay: "2026-03-04"}, {ID: "b", ItemValues: ItemValues{StartDay: "2026-03-05"}}}, 1},
		"overlap":      {[]Item{{ID: "a", ItemValues: ItemValues{StartDay: "2026-03-01"}, EndDay: "2026-03-06"}, {ID: "b", ItemValues: ItemValues{StartDay: "2026-03-05"}}}, 1},
		"without end":  {[]Item{{ID: "a", ItemValues: ItemValues{StartDay: "2026-03-01"}}, {ID: "b", ItemValues: ItemValues{StartDay: "2026-03-05"}}}, 1},
		"twice":        {[]Item{{ID: "a", ItemValues: ItemValues{StartDay: "2026-03-01"}}, {ID: "b", ItemValues: ItemValues{StartDay: "2026-03-01"}}}, 1},
		"vain between": {[]Item{
			{ID: "a", ItemValues: ItemValues{StartDay: "2026-03-01"}, EndDay: "2026-03-05"},
			{ID: "v", ItemValues: ItemValues{StartDay: "2026-03-05"}, EndDay: "2026-03-05"},
			{ID: "b", ItemValues: ItemValues{StartDay: "2026-03-05"}},
		}, 0},
	} {
		if found := findBreaks(groupByChain(c.items)[""]); len(found) != c.want {
			t.Errorf("%s: %q, want %d", what, found, c.want)
		}
	}
}
