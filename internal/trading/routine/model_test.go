package routine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

// calendar is a simple routine model without intervals and successors: it has each day's
// lines for a few weeks. A change modifies that day's lines and later ones.
type calendar struct {
	first, last journal.Day
	today       journal.Day
	sheets      map[journal.Day]map[journal.RoutineID]*entry
	known       map[journal.RoutineID]*ruler
	order       []journal.RoutineID // as shown, stages mixed
}

// entry is a day's line: it is due, or it was done, or both.
type entry struct{ due, done bool }

// ruler is an item's properties in the model.
type ruler struct {
	stage      Stage
	weekdays   []int
	start, end journal.Day
	next       journal.RoutineID // its successor
}

func newCalendar(first, today, last journal.Day) *calendar {
	c := &calendar{
		first: first, today: today, last: last,
		sheets: map[journal.Day]map[journal.RoutineID]*entry{}, known: map[journal.RoutineID]*ruler{},
	}
	for _, day := range c.days(first) {
		c.sheets[day] = map[journal.RoutineID]*entry{}
	}
	return c
}

// days returns the calendar's days from a day on.
func (c *calendar) days(from journal.Day) (days []journal.Day) {
	for day := max(from, c.first); day <= c.last; day = day.AddDays(1) {
		days = append(days, day)
	}
	return days
}

// write adds an item's lines.
func (c *calendar) write(id journal.RoutineID, r *ruler) {
	c.known[id] = r
	for _, day := range c.days(r.start) {
		if slices.Contains(r.weekdays, day.Weekday()) && (r.end == "" || day < r.end) {
			c.line(day, id).due = true
		}
	}
}

func (c *calendar) line(day journal.Day, id journal.RoutineID) *entry {
	if c.sheets[day][id] == nil {
		c.sheets[day][id] = &entry{}
	}
	return c.sheets[day][id]
}

// erase removes an item's lines from a day on and returns the days on which it was done.
func (c *calendar) erase(id journal.RoutineID, from journal.Day) (done []journal.Day) {
	for _, day := range c.days(from) {
		if line := c.sheets[day][id]; line != nil && line.done {
			done = append(done, day)
		}
		delete(c.sheets[day], id)
	}
	c.known[id].end = from
	return done
}

// hasEnded reports whether an item can no longer be changed.
func (c *calendar) hasEnded(id journal.RoutineID, day journal.Day) bool {
	r := c.known[id]
	return r == nil || r.end != "" && (r.end <= day || r.end <= c.today || r.end <= r.start)
}

// isRemoved reports whether an item has no lines left.
func (c *calendar) isRemoved(id journal.RoutineID) bool {
	r := c.known[id]
	if r.end == "" || r.end > r.start {
		return false
	}
	for _, sheet := range c.sheets {
		if line := sheet[id]; line != nil && line.done {
			return false
		}
	}
	return true
}

func (c *calendar) replace(old, successor journal.RoutineID, r *ruler, from journal.Day) {
	sameStage := r.stage == c.known[old].stage
	end := c.known[old].end
	done := c.erase(old, from)
	r.start, r.end, r.next = from, end, c.known[old].next
	c.known[old].next = successor
	c.write(successor, r)
	for _, day := range done {
		c.line(day, successor).done = true
	}
	if at := slices.Index(c.order, old); sameStage {
		c.order = slices.Insert(c.order, at+1, successor)
	} else {
		c.order = append(c.order, successor)
	}
}

// sheet formats a day for comparison.
func (c *calendar) sheet(day journal.Day) (text string, done, total int) {
	var lines []string
	for id, line := range c.sheets[day] {
		if !line.due && !line.done {
			continue
		}
		total++
		if line.done {
			done++
		}
		lines = append(lines, fmt.Sprint(id, line.done))
	}
	slices.Sort(lines)
	return strings.Join(lines, " "), done, total
}

// streak counts finished days backwards, day by day.
func (c *calendar) streak(to journal.Day) (length int) {
	for day := to; day >= c.first; day = day.AddDays(-1) {
		_, done, total := c.sheet(day)
		if total > 0 && done == total {
			length++
		}
		if done < total && day != to {
			break
		}
	}
	return length
}

// machine runs random calls against the service and the model.
type machine struct {
	*rapid.T
	ctx     context.Context
	service *Service
	owner   journal.UserID
	db      *db.DB
	model   *calendar
	ids     []journal.RoutineID
}

func TestServiceAgreesWithACalendar(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		rapid.Check(t, func(rt *rapid.T) {
			first := journal.Day(rapid.SampledFrom([]string{"2024-02-20", "2025-12-18", "2026-03-02", "2099-12-25"}).Draw(rt, "first"))
			model := newCalendar(first, first.AddDays(14), first.AddDays(27))
			clock := func() time.Time { return model.today.Time().Add(time.Hour) }
			m := &machine{T: rt, ctx: t.Context(), service: New(d, clock, nil), owner: newUser(t, d), db: d, model: model}
			_, err := m.service.SetTemplate(m.ctx, m.owner, nil, nil)
			m.must(err)
			m.create(rt)
			calls := []func(*rapid.T){m.create, m.edit, m.edit, m.delete, m.tick, m.tick, m.tick, m.reorder}
			for range rapid.IntRange(1, 16).Draw(rt, "calls") {
				calls[rapid.IntRange(0, len(calls)-1).Draw(rt, "call")](rt)
			}
			m.compareSheets()
			m.compareOrder(m.model.today)
			m.compareOrder(m.model.last)
			m.compareHistory(m.model.today)
			m.compareHistory(m.model.last)
			m.expectNoBreaches()
		})
	})
}

func (m *machine) must(err error) {
	if err != nil {
		m.Fatal(err)
	}
}

func (m *machine) day(t *rapid.T) journal.Day {
	return rapid.SampledFrom(m.model.days(m.model.first)).Draw(t, "day")
}

func (m *machine) id(t *rapid.T) journal.RoutineID {
	return rapid.SampledFrom(append([]journal.RoutineID{"unknown"}, m.ids...)).Draw(t, "id")
}

func (m *machine) ruler(t *rapid.T) *ruler {
	return &ruler{
		stage:    rapid.SampledFrom(stages).Draw(t, "stage"),
		weekdays: rapid.SliceOfNDistinct(rapid.IntRange(0, 6), 1, 7, rapid.ID).Draw(t, "weekdays"),
	}
}

func (m *machine) create(t *rapid.T) {
	r := m.ruler(t)
	r.start = m.day(t)
	item, err := m.service.Create(m.ctx, m.owner, Draft{Title: "a", Stage: r.stage, Weekdays: r.weekdays, Day: r.start})
	m.must(err)
	m.model.write(item.ID, r)
	m.model.order = append(m.model.order, item.ID)
	m.ids = append(m.ids, item.ID)
}

func (m *machine) edit(t *rapid.T) {
	id, day, r := m.id(t), m.day(t), m.ruler(t)
	item, err := m.service.Edit(m.ctx, m.owner, id, Change{Stage: journal.Some(r.stage), Weekdays: journal.Some(r.weekdays), Day: day}, nil)
	if m.refused(err, m.model.hasEnded(id, day)) {
		return
	}
	old := m.model.known[id]
	slices.Sort(r.weekdays)
	if same := slices.Sorted(slices.Values(old.weekdays)); old.stage == r.stage && slices.Equal(same, r.weekdays) {
		if item.ID != id {
			m.Fatal("a change of nothing made a successor")
		}
		return
	}
	m.model.replace(id, item.ID, r, max(day, old.start))
	m.ids = append(m.ids, item.ID)
}

func (m *machine) delete(t *rapid.T) {
	id, day := m.id(t), m.day(t)
	err := m.service.Delete(m.ctx, m.owner, id, day, nil)
	if m.refused(err, m.model.hasEnded(id, day)) {
		return
	}
	for next := id; next != ""; next = m.model.known[next].next {
		if !m.model.hasEnded(next, day) {
			m.model.erase(next, day)
		}
	}
}

func (m *machine) tick(t *rapid.T) {
	id, day, done := m.id(t), m.day(t), rapid.Bool().Draw(t, "done")
	_, err := m.service.Tick(m.ctx, m.owner, day, id, done, nil)
	r := m.model.known[id]
	if !m.refused(err, r == nil || r.end != "" && r.end <= day || m.model.isRemoved(id)) {
		m.model.line(day, id).done = done
	}
}

func (m *machine) reorder(t *rapid.T) {
	if len(m.ids) == 0 {
		return
	}
	ids := rapid.SliceOfNDistinct(rapid.SampledFrom(m.ids), 1, 4, rapid.ID).Draw(t, "ids")
	err := m.service.Reorder(m.ctx, m.owner, ids)
	unknown := slices.ContainsFunc(ids, func(id journal.RoutineID) bool { return m.model.hasEnded(id, m.model.today) })
	if m.refused(err, unknown) {
		return
	}
	rest := slices.DeleteFunc(m.model.order, func(id journal.RoutineID) bool { return slices.Contains(ids, id) })
	m.model.order = slices.Concat(ids, rest)
}

// refused compares an error with the model's and reports whether there was one.
func (m *machine) refused(err error, want bool) bool {
	if journal.IsKind(err, journal.KindNotFound) != want {
		m.Fatalf("the service returned %v, the model refuses: %v", err, want)
	}
	if !want {
		m.must(err)
	}
	return want
}

// compareSheets compares every day.
func (m *machine) compareSheets() {
	for _, day := range m.model.days(m.model.first) {
		list, err := m.service.Checklist(m.ctx, m.owner, day)
		m.must(err)
		var lines []string
		for _, line := range list.Lines {
			lines = append(lines, fmt.Sprint(line.ID, line.Done))
		}
		slices.Sort(lines)
		text, done, total := m.model.sheet(day)
		if got := strings.Join(lines, " "); got != text || list.Done != done || list.Total != total {
			m.Fatalf("%s: %s (%d of %d), the model has %s (%d of %d)", day, got, list.Done, list.Total, text, done, total)
		}
	}
}

// compareOrder compares item order on a day, today or later: ended items are not
// reordered.
func (m *machine) compareOrder(day journal.Day) {
	items, err := m.service.Items(m.ctx, m.owner, day)
	m.must(err)
	var want []journal.RoutineID
	for _, stage := range stages {
		for _, id := range m.model.order {
			if r := m.model.known[id]; r.stage == stage && r.start <= day && (r.end == "" || day < r.end) {
				want = append(want, id)
			}
		}
	}
	var got []journal.RoutineID
	for _, item := range items {
		got = append(got, item.ID)
	}
	if !slices.Equal(got, want) {
		m.Fatalf("%s: the order is %v, the model has %v", day, got, want)
	}
}

func (m *machine) compareHistory(to journal.Day) {
	h, err := m.service.History(m.ctx, m.owner, to.AddDays(-9), to)
	m.must(err)
	var sum, stages Count
	for _, day := range h.Days {
		_, done, total := m.model.sheet(day.Day)
		if day.Count != (Count{done, total}) {
			m.Fatalf("%s: history has %v, the model %d of %d", day.Day, day.Count, done, total)
		}
		sum = Count{sum.Done + done, sum.Total + total}
	}
	for _, c := range h.ByStage {
		stages = Count{stages.Done + c.Done, stages.Total + c.Total}
	}
	if len(h.Days) != 10 || h.Count != sum || stages != sum || h.Streak != m.model.streak(to) {
		m.Fatalf("history to %s: %v, by stage %v, streak %d; the model has %v, streak %d", to, h.Count, h.ByStage, h.Streak, sum, m.model.streak(to))
	}
}

func (m *machine) expectNoBreaches() {
	m.must(m.db.View(m.ctx, func(tx *db.Tx) error {
		archive, err := Export(m.ctx, tx, m.owner)
		if found := findBreaches(archive); len(found) != 0 {
			m.Fatalf("the routine has a breach: %q", found)
		}
		return err
	}))
}
