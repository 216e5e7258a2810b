package routine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

// newLogs returns the same daily logs for every user. Like the real implementation
// it reads the database.
func newLogs(logs ...DailyLog) DailyLogs {
	return func(ctx context.Context, tx *db.Tx, owner journal.UserID, visit func(DailyLog) error) error {
		var id journal.UserID
		if err := tx.QueryRow(ctx, `SELECT number FROM users WHERE number = $1`, owner).Scan(&id); err != nil {
			return err
		}
		for _, log := range logs {
			if err := visit(log); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestBuiltInTemplateSeeds(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := newFixture(t, d, nil)
		lines, err := f.service.Template(t.Context(), f.owner)
		if err != nil || !slices.Equal(lines, builtInTemplate) {
			t.Errorf("the template is %q, %v", lines, err)
		}
		f.expectItems("", builtInTemplate...)
		items, err := f.service.Items(t.Context(), f.owner, "")
		f.must(err)
		for i, item := range items {
			if item.Stage != Pre || !slices.Equal(item.Weekdays.List(), []int{1, 2, 3, 4, 5}) || item.StartDay != today || item.Position != i {
				t.Errorf("seeded %+v", item)
			}
		}
	})
}

func TestEveryCallSeedsFirst(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		for name, call := range map[string]func(f fixture) error{
			"Items":     func(f fixture) error { _, err := f.service.Items(t.Context(), f.owner, ""); return err },
			"Checklist": func(f fixture) error { _, err := f.service.Checklist(t.Context(), f.owner, today); return err },
			"History":   func(f fixture) error { _, err := f.service.History(t.Context(), f.owner, "", ""); return err },
			"Create": func(f fixture) error {
				item, err := f.service.Create(t.Context(), f.owner, Draft{Title: "mine", Stage: Pre, Weekdays: everyday})
				if item.Position != 2 {
					t.Errorf("Create: placed %d, want after the seeded items", item.Position)
				}
				return errors.Join(err, f.service.Delete(t.Context(), f.owner, item.ID, "", nil))
			},
		} {
			f := newFixture(t, d, nil)
			f.setTemplate("one", "two")
			if err := call(f); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			f.expectItems("", "one", "two")
		}
	})
}

// A failed call seeds nothing, so the next one does.
func TestRefusedFirstCall(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := newFixture(t, d, nil)
		_, err := f.service.Tick(t.Context(), f.owner, today, "unknown", true, nil)
		f.expectKind(err, journal.KindNotFound, "tick of an unknown item")
		f.setTemplate("one")
		f.expectItems("", "one")
	})
}

func TestSeededOnce(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := newFixture(t, d, nil)
		f.setTemplate("one")
		f.expectItems("", "one")
		items, err := f.service.Items(t.Context(), f.owner, "")
		f.must(err)
		f.must(f.service.Delete(t.Context(), f.owner, items[0].ID, "", nil))
		f.setTemplate("two")
		f.expectItems("") // also after everything was deleted
	})
}

func TestEmptyTemplateSeedsNothing(t *testing.T) {
	eachEngine(t, func(f fixture) {
		f.expectItems("")
		f.setTemplate("late")
		f.expectItems("")
	})
}

func TestParallelFirstCallsSeedOnce(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := newFixture(t, d, newLogs(DailyLog{"2026-03-03", "- [x] one"}))
		f.setTemplate("one", "two", "three")
		group, ctx := errgroup.WithContext(t.Context())
		for i := range 10 {
			group.Go(func() error {
				var items []Item
				var err error
				switch i % 3 {
				case 0:
					items, err = f.service.Items(ctx, f.owner, "")
				case 1:
					var list Checklist
					list, err = f.service.Checklist(ctx, f.owner, today)
					items = make([]Item, list.Total)
				case 2:
					_, err = f.service.History(ctx, f.owner, "", "")
					items = make([]Item, 3)
				}
				if err == nil && len(items) != 3 {
					t.Errorf("call %d sees %d items, want 3", i, len(items))
				}
				return err
			})
		}
		f.must(group.Wait())
		f.expectItems("", "one", "two", "three")
		f.expectDay("2026-03-03", "one!")
	})
}

func TestSeedImportsTickedLines(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := newFixture(t, d, newLogs(
			DailyLog{"2026-03-05", "# Thursday\n- [x] Check levels\n- [ ] Size down\n- [x] something else\n"},
			DailyLog{"2026-02-27", "* [X] check LEVELS\r\n+ [x] Size down\r\n"},
			DailyLog{"2026-02-27", "- [x] Check levels\n- [x] Check levels\n"},
			DailyLog{"2026-03-08", "- [x] Size down (a Sunday)\n- [x] Size down\n"},
			DailyLog{"2026-03-12", "- [x] Size down"},
		))
		f.setTemplate("Check levels", "Size down", "Breathe")
		f.expectItems("", "Check levels", "Size down", "Breathe")
		f.expectItems("2026-02-27", "Check levels", "Size down")
		f.expectItems("2026-02-26")
		f.expectDay("2026-02-27", "Check levels! Size down!")
		f.expectDay("2026-03-02", "Check levels Size down")
		f.expectDay("2026-03-05", "Check levels! Size down")
		f.expectDay("2026-03-08", "Size down!")
		f.expectDay("2026-03-12", "Check levels Size down! Breathe")
	})
}

func TestSeedFailsWhole(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		broken := errors.New("the logs cannot be read")
		f := newFixture(t, d, func(context.Context, *db.Tx, journal.UserID, func(DailyLog) error) error { return broken })
		if _, err := f.service.Items(t.Context(), f.owner, ""); !errors.Is(err, broken) {
			t.Errorf("Items = %v, want the cause", err)
		}
		again := newFixture(t, d, nil)
		again.owner = f.owner
		again.expectItems("", builtInTemplate...)
	})
}

// The caller's day may be a day before UTC; a first call for an earlier
// day does not start the routine then.
func TestSeedBeginsOnTheCallersDay(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		for _, c := range []struct {
			what  string
			call  func(f fixture, day journal.Day) error
			day   journal.Day
			start journal.Day
		}{
			{"items of yesterday", callItems, "2026-03-09", "2026-03-09"},
			{"items of an earlier day", callItems, "2026-01-05", "2026-01-05"},
			{"items of tomorrow", callItems, "2026-03-11", today},
			{"checklist of yesterday", callChecklist, "2026-03-09", "2026-03-09"},
			{"checklist of an earlier day", callChecklist, "2026-01-05", "2026-03-09"},
			{"checklist of tomorrow", callChecklist, "2026-03-11", today},
		} {
			f := newFixture(t, d, nil)
			f.must(c.call(f, c.day))
			items, err := f.service.Items(t.Context(), f.owner, "2026-03-31")
			f.must(err)
			if len(items) != 5 || items[0].StartDay != c.start {
				t.Errorf("%s: %d items from %s, want 5 from %s", c.what, len(items), items[0].StartDay, c.start)
			}
		}
	})
}

func callItems(f fixture, day journal.Day) error {
	_, err := f.service.Items(f.Context(), f.owner, day)
	return err
}

func callChecklist(f fixture, day journal.Day) error {
	_, err := f.service.Checklist(f.Context(), f.owner, day)
	return err
}

func TestTemplate(t *testing.T) {
	eachEngine(t, func(f fixture) {
		set, err := f.service.SetTemplate(f.Context(), f.owner, []string{" Plan ", "Größe \"prüfen\" 🎉", "plan"}, nil)
		want := []string{"Plan", "Größe \"prüfen\" 🎉", "plan"}
		if err != nil || !slices.Equal(set, want) {
			f.Errorf("SetTemplate = %q, %v", set, err)
		}
		if lines, err := f.service.Template(f.Context(), f.owner); err != nil || !slices.Equal(lines, want) {
			f.Errorf("Template = %q, %v", lines, err)
		}
		for what, lines := range map[string][]string{
			"blank line": {"a", " "}, "long line": {strings.Repeat("x", 201)}, "control character": {"a\nb"}, "too many": make([]string, maxTemplate+1),
		} {
			_, err := f.service.SetTemplate(f.Context(), f.owner, lines, nil)
			f.expectKind(err, journal.KindInvalid, what)
		}
		f.setTemplate()
		if lines, err := f.service.Template(f.Context(), f.owner); err != nil || lines == nil || len(lines) != 0 {
			f.Errorf("an empty template is read as %v, %v", lines, err)
		}
	})
}

// If one item is edited several times at once, exactly one edit makes a successor.
func TestParallelEditsMakeOneSuccessor(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "2026-03-01")
		results := make(chan error, 10)
		for i := range cap(results) {
			go func() {
				change := Change{Weekdays: journal.Some([]int{i % 7}), Stage: journal.Some(Post)}
				_, err := f.service.Edit(f.Context(), f.owner, item.ID, change, nil)
				results <- err
			}()
		}
		successes := 0
		for range cap(results) {
			if err := <-results; err == nil {
				successes++
			} else {
				f.expectKind(err, journal.KindNotFound, "a later edit")
			}
		}
		if successes != 1 {
			f.Errorf("%d edits succeeded, want 1", successes)
		}
		f.expectItems("", "a")
		f.expectNoBreaches()
	})
}

// Items that are created concurrently get different positions.
func TestParallelCreates(t *testing.T) {
	eachEngine(t, func(f fixture) {
		group, ctx := errgroup.WithContext(f.Context())
		for range 10 {
			group.Go(func() error {
				_, err := f.service.Create(ctx, f.owner, Draft{Title: "a", Stage: During, Weekdays: everyday})
				return err
			})
		}
		f.must(group.Wait())
		items, err := f.service.Items(f.Context(), f.owner, "")
		f.must(err)
		for i, item := range items {
			if item.Position != i {
				f.Errorf("item %d has position %d", i, item.Position)
			}
		}
		if len(items) != 10 {
			f.Errorf("%d items, want 10", len(items))
		}
	})
}
