package routine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

// today is the test clock's day, a Tuesday.
const today = journal.Day("2026-03-10")

var everyday = []int{0, 1, 2, 3, 4, 5, 6}

// fixture is one user's routine on one engine.
type fixture struct {
	*testing.T
	service *Service
	owner   journal.UserID
	db      *db.DB
}

// eachEngine runs fn on both engines for a user with an empty template.
func eachEngine(t *testing.T, fn func(f fixture)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := newFixture(t, d, nil)
		f.setTemplate()
		fn(f)
	})
}

func newFixture(t *testing.T, d *db.DB, logs DailyLogs) fixture {
	t.Helper()
	clock := func() time.Time { return today.Time().Add(15 * time.Hour) }
	return fixture{T: t, service: New(d, clock, logs), owner: newUser(t, d), db: d}
}

func newUser(t testing.TB, d *db.DB) journal.UserID {
	t.Helper()
	id, _ := testkit.NewUser(t, d)
	return id
}

func (f fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f fixture) setTemplate(lines ...string) {
	f.Helper()
	_, err := f.service.SetTemplate(f.Context(), f.owner, lines, nil)
	f.must(err)
}

func (f fixture) create(title string, stage Stage, weekdays []int, day journal.Day) Item {
	f.Helper()
	item, err := f.service.Create(f.Context(), f.owner, Draft{Title: title, Stage: stage, Weekdays: weekdays, Day: day})
	f.must(err)
	return item
}

func (f fixture) tick(day journal.Day, id journal.RoutineID, done bool) Checklist {
	f.Helper()
	list, err := f.service.Tick(f.Context(), f.owner, day, id, done, nil)
	f.must(err)
	return list
}

func (f fixture) edit(id journal.RoutineID, change Change) Item {
	f.Helper()
	item, err := f.service.Edit(f.Context(), f.owner, id, change, nil)
	f.must(err)
	return item
}

func (f fixture) history(from, to journal.Day) History {
	f.Helper()
	h, err := f.service.History(f.Context(), f.owner, from, to)
	f.must(err)
	return h
}

// expectItems compares a day's active item titles, in order.
func (f fixture) expectItems(day journal.Day, want ...string) {
	f.Helper()
	items, err := f.service.Items(f.Context(), f.owner, day)
	f.must(err)
	var titles []string
	for _, item := range items {
		titles = append(titles, item.Title)
	}
	if !slices.Equal(titles, want) {
		f.Errorf("%s: items %q, want %q", day, titles, want)
	}
}

// expectDay compares a day's lines, in order; a done one is marked with a !.
func (f fixture) expectDay(day journal.Day, want string) {
	f.Helper()
	list, err := f.service.Checklist(f.Context(), f.owner, day)
	f.must(err)
	var lines []string
	done := 0
	for _, line := range list.Lines {
		text := line.Title
		if line.Done {
			text += "!"
			done++
		}
		lines = append(lines, text)
	}
	if got := strings.Join(lines, " "); got != want {
		f.Errorf("%s: %q, want %q", day, got, want)
	}
	if list.Done != done || list.Total != len(lines) || list.Day != day {
		f.Errorf("%s: %s, %d of %d, want %d of %d", day, list.Day, list.Done, list.Total, done, len(lines))
	}
}

func (f fixture) expectKind(err error, kind journal.Kind, what string) {
	f.Helper()
	if !journal.IsKind(err, kind) {
		f.Errorf("%s: %v, want kind %d", what, err, kind)
	}
}

// expectNoBreaches runs the operator's check.
func (f fixture) expectNoBreaches() {
	f.Helper()
	f.must(f.service.Check(f.Context(), func(breach string) { f.Errorf("the routine has a breach: %s", breach) }))
}
