package routine

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/journal"
)

func TestWeekdays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want []int }{
		{[]int{1, 2, 3, 4, 5}, []int{1, 2, 3, 4, 5}},
		{[]int{6, 0}, []int{0, 6}},
		{[]int{3, 3, 3}, []int{3}},
		{[]int{6, 5, 4, 3, 2, 1, 0}, []int{0, 1, 2, 3, 4, 5, 6}},
	} {
		set, err := NewWeekdays(c.in...)
		if err != nil || !slices.Equal(set.List(), c.want) {
			t.Errorf("%v: %v, %v, want %v", c.in, set.List(), err, c.want)
		}
		for day := range 7 {
			if set.Contains(day) != slices.Contains(c.in, day) {
				t.Errorf("%v: Contains(%d) = %v", c.in, day, set.Contains(day))
			}
		}
	}
	for _, days := range [][]int{nil, {}, {7}, {-1}, {0, 1, 8}, {64}, {1 << 40}} {
		if _, err := NewWeekdays(days...); !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("%v: %v, want a refusal", days, err)
		}
	}
	if !slices.Equal(weekdaysOnly.List(), []int{1, 2, 3, 4, 5}) {
		t.Errorf("Monday to Friday are %v", weekdaysOnly.List())
	}
}

// 2026-03-09 is a Monday.
func TestSchedule(t *testing.T) {
	t.Parallel()
	monday, _ := NewWeekdays(1)
	for _, c := range []struct {
		name              string
		start, end, day   journal.Day
		active, scheduled bool
	}{
		{"first day", "2026-03-09", "", "2026-03-09", true, true},
		{"day before", "2026-03-09", "", "2026-03-08", false, false},
		{"other weekday", "2026-03-09", "", "2026-03-10", true, false},
		{"next week", "2026-03-09", "", "2026-03-16", true, true},
		{"far away", "1970-01-01", "", "2199-12-30", true, true},
		{"last day", "2026-03-01", "2026-03-10", "2026-03-09", true, true},
		{"end day", "2026-03-01", "2026-03-09", "2026-03-09", false, false},
		{"after the end", "2026-03-01", "2026-03-09", "2026-03-16", false, false},
		{"of no length", "2026-03-09", "2026-03-09", "2026-03-09", false, false},
		{"ended before it began", "2026-03-09", "2026-03-02", "2026-03-09", false, false},
		{"leap day, a Thursday", "2024-02-01", "", "2024-02-29", true, false},
		{"Monday after the leap day", "2024-02-01", "", "2024-03-04", true, true},
	} {
		item := Item{ItemValues: ItemValues{Weekdays: monday, StartDay: c.start}, EndDay: c.end}
		if item.ActiveOn(c.day) != c.active || item.ScheduledOn(c.day) != c.scheduled {
			t.Errorf("%s: active %v, scheduled %v", c.name, item.ActiveOn(c.day), item.ScheduledOn(c.day))
		}
	}
	for end, vain := range map[journal.Day]bool{"": false, "2026-03-10": false, "2026-03-09": true, "2026-03-01": true} {
		if item := (Item{ItemValues: ItemValues{StartDay: "2026-03-09"}, EndDay: end}); item.isNeverActive() != vain {
			t.Errorf("an item that ends %q is never active: %v", end, item.isNeverActive())
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	items := []Item{
		{ID: "e", ItemValues: ItemValues{Stage: Post, Position: 0}},
		{ID: "b", ItemValues: ItemValues{Stage: Pre, Position: 1}},
		{ID: "d", ItemValues: ItemValues{Stage: During, Position: 5}},
		{ID: "c", ItemValues: ItemValues{Stage: Pre, Position: 1}},
		{ID: "a", ItemValues: ItemValues{Stage: Pre, Position: 0}},
	}
	sortItems(items)
	if got := names(items); got != "a b c d e" {
		t.Errorf("order %s", got)
	}
	items[4].EndDay = "2026-03-01"
	for stage, want := range map[Stage]int{Pre: 2, During: 6, Post: 0} {
		if got := nextPosition(items, stage, "2026-03-02"); got != want {
			t.Errorf("the next position of %s is %d, want %d", stage, got, want)
		}
	}
}

func names(items []Item) string {
	var ids []string
	for _, item := range items {
		ids = append(ids, string(item.ID))
	}
	return strings.Join(ids, " ")
}

func TestReorderRule(t *testing.T) {
	t.Parallel()
	items := []Item{
		{ID: "a", ItemValues: ItemValues{Stage: Pre, Position: 0}},
		{ID: "b", ItemValues: ItemValues{Stage: Pre, Position: 1}},
		{ID: "c", ItemValues: ItemValues{Stage: Pre, Position: 4}},
		{ID: "d", ItemValues: ItemValues{Stage: Post, Position: 0}},
		{ID: "e", ItemValues: ItemValues{Stage: Post, Position: 1}},
	}
	for _, c := range []struct {
		first []journal.RoutineID
		want  string
		moved int
	}{
		{[]journal.RoutineID{"a"}, "a b c d e", 1}, // c closes the gap
		{[]journal.RoutineID{"c"}, "c a b d e", 3},
		{[]journal.RoutineID{"b", "a"}, "b a c d e", 3},
		{[]journal.RoutineID{"e", "c", "d", "b", "a"}, "c b a e d", 4},
		{[]journal.RoutineID{"e"}, "a b c e d", 3},
	} {
		moved := reorder(items, c.first)
		result := slices.Clone(items)
		for i := range result {
			for _, m := range moved {
				if m.ID == result[i].ID {
					result[i] = m
				}
			}
		}
		sortItems(result)
		if got := names(result); got != c.want || len(moved) != c.moved {
			t.Errorf("%v first: %s with %d moved, want %s with %d", c.first, got, len(moved), c.want, c.moved)
		}
	}
}

func TestSplitAt(t *testing.T) {
	t.Parallel()
	item := Item{
		ID: "a", Chain: "z", EndDay: "2026-06-01",
		ItemValues: ItemValues{Title: "old", Stage: Pre, Weekdays: weekdaysOnly, Position: 3, StartDay: "2026-03-09"},
	}
	wanted := item
	wanted.Title, wanted.Stage = "new", Post
	for day, split := range map[journal.Day]journal.Day{
		"2026-03-20": "2026-03-20", "2026-03-09": "2026-03-09", "2026-01-01": "2026-03-09",
	} {
		ended, successor := splitAt(item, wanted, day)
		if ended.ID != "a" || ended.Title != "old" || ended.Stage != Pre || ended.StartDay != item.StartDay || ended.EndDay != split {
			t.Errorf("on %s the old item is %+v", day, ended)
		}
		if successor.ID == "a" || successor.ID == "" || successor.Chain != "z" || successor.StartDay != split || successor.EndDay != "2026-06-01" ||
			successor.Title != "new" || successor.Stage != Post {
			t.Errorf("on %s the successor is %+v", day, successor)
		}
	}
}

func TestChecklistRule(t *testing.T) {
	t.Parallel()
	monday, _ := NewWeekdays(1)
	items := []Item{
		{ID: "due", ItemValues: ItemValues{Weekdays: monday, StartDay: "2026-03-01"}},
		{ID: "off", ItemValues: ItemValues{Weekdays: 1 << 2, StartDay: "2026-03-01"}},
		{ID: "off, done", ItemValues: ItemValues{Weekdays: 1 << 2, StartDay: "2026-03-01"}},
		{ID: "due, done", ItemValues: ItemValues{Weekdays: monday, StartDay: "2026-03-01"}},
		{ID: "later, done", ItemValues: ItemValues{Weekdays: monday, StartDay: "2026-04-01"}},
		{ID: "ended", ItemValues: ItemValues{Weekdays: monday, StartDay: "2026-03-01"}, EndDay: "2026-03-09"},
	}
	day := journal.Day("2026-03-09")
	done := ticks{{"off, done", day}: true, {"due, done", day}: true, {"later, done", day}: true, {"due", "2026-03-16"}: true}
	got := buildChecklist(day, items, done)
	want := Checklist{Day: day, Done: 3, Total: 4, Lines: []Line{
		{items[0], false}, {items[2], true}, {items[3], true}, {items[4], true},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if empty := buildChecklist("2026-03-10", nil, nil); empty.Lines == nil || empty.Total != 0 {
		t.Errorf("an empty day is %+v", empty)
	}
}

func TestStreak(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		days   string // oldest first: f finished, u unfinished, . nothing to do
		length int
		broken bool
	}{
		{"", 0, false},
		{"f", 1, false},
		{"u", 0, false}, // the last day may still be finished
		{"uu", 0, true},
		{"fufF", 2, true},
		{"ff..f", 3, false},
		{"ff..", 2, false},
		{"ffu", 2, false},
		{"ffu.", 0, true}, // the unfinished day is not the last
		{"fu.u", 0, true},
		{"....", 0, false},
		{".f.f.u", 2, false},
	} {
		var days []DayCount
		for _, kind := range c.days {
			count := map[rune]Count{'f': {2, 2}, 'F': {1, 1}, 'u': {1, 2}, '.': {}}[kind]
			days = append(days, DayCount{Count: count})
		}
		length, broken := countStreak(dropUnfinishedToday(days))
		if length != c.length || broken != c.broken {
			t.Errorf("%q: %d, broken %v, want %d, %v", c.days, length, broken, c.length, c.broken)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	const today = journal.Day("2026-03-10")
	for _, c := range []struct{ from, to, wantFrom, wantTo journal.Day }{
		{"", "", "2025-12-10", "2026-03-10"},
		{"", "2024-03-01", "2023-12-02", "2024-03-01"},
		{"2026-03-01", "", "2026-03-01", "2026-03-10"},
		{"2026-03-10", "2026-03-10", "2026-03-10", "2026-03-10"},
		{"2025-02-04", "2026-03-10", "2025-02-04", "2026-03-10"}, // 400 days
		{"2023-01-27", "2024-03-01", "2023-01-27", "2024-03-01"}, // 400 days with a leap day
	} {
		from, to, err := historySpan(c.from, c.to, today)
		if err != nil || from != c.wantFrom || to != c.wantTo {
			t.Errorf("%q to %q: %s to %s, %v", c.from, c.to, from, to, err)
		}
	}
	if n := journal.Day("2025-12-10").DaysUntil(today) + 1; n != 91 {
		t.Errorf("the default span has %d days, want 91", n)
	}
	for _, c := range [][2]journal.Day{
		{"2025-02-03", "2026-03-10"},
		{"2023-01-26", "2024-03-01"},
		{"2026-03-11", "2026-03-10"},
		{"2026-03-11", ""},
		{"2026-03-10", "2025-03-10"},
		{"1970-01-01", "2199-12-31"},
	} {
		if from, to, err := historySpan(c[0], c[1], today); !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("%q to %q: %s to %s, %v, want a refusal", c[0], c[1], from, to, err)
		}
	}
}

func TestFindTicks(t *testing.T) {
	t.Parallel()
	items := []Item{{ID: "a", ItemValues: ItemValues{Title: "Check the calendar"}}, {ID: "b", ItemValues: ItemValues{Title: "Übung [kurz]"}}}
	for body, want := range map[string]string{
		"- [x] Check the calendar":                                      "a",
		"- [X] check THE calendar":                                      "a",
		"* [x] Check the calendar":                                      "a",
		"+ [x]   Check the calendar   ":                                 "a",
		"  - [x] Check the calendar\r\n\t* [X] übung [kurz]\r\n":        "a b",
		"text\n- [ ] Check the calendar\n- [x] Übung [kurz]\nmore":      "b",
		"- [x] Check the calendar\n- [x] Check the calendar":            "a a",
		"- [ ] Check the calendar":                                      "",
		"- [] Check the calendar":                                       "",
		"- [x]Check the calendar":                                       "",
		"-[x] Check the calendar":                                       "",
		"[x] Check the calendar":                                        "",
		"1. [x] Check the calendar":                                     "",
		"- [x] Check the calendar today":                                "",
		"- [x]\nCheck the calendar":                                     "",
		"- [y] Check the calendar":                                      "",
		"I did - [x] Check the calendar":                                "",
		"":                                                              "",
		strings.Repeat("- [x] no\n", 1000) + "- [x] check the calendar": "a",
	} {
		var got []string
		for _, tick := range findTicks(DailyLog{Day: "2026-03-09", Body: body}, items) {
			got = append(got, string(tick.item))
			if tick.day != "2026-03-09" {
				t.Errorf("%.40q: ticked on %s", body, tick.day)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.40q: %q, want %q", body, got, want)
		}
	}
}

func TestSeedRules(t *testing.T) {
	t.Parallel()
	items := seedItems([]string{"One", "Two", " one ", "Three"}, "2026-03-10")
	if len(items) != 3 {
		t.Fatalf("%d items, want 3: a duplicate line is one item", len(items))
	}
	for i, item := range items {
		if item.Stage != Pre || item.Weekdays != weekdaysOnly || item.Position != i || item.StartDay != "2026-03-10" || item.Chain != item.ID {
			t.Errorf("item %d is %+v", i, item)
		}
	}
	startEarlier(items, []tick{{items[1].ID, "2026-02-02"}, {items[1].ID, "2026-01-31"}, {items[2].ID, "2026-03-11"}})
	for i, want := range []journal.Day{"2026-03-10", "2026-01-31", "2026-03-10"} {
		if items[i].StartDay != want {
			t.Errorf("item %d begins on %s, want %s", i, items[i].StartDay, want)
		}
	}
	if len(builtInTemplate) != 5 {
		t.Errorf("the built-in template has %d lines, want 5", len(builtInTemplate))
	}
	if clean, err := cleanTemplate(builtInTemplate); err != nil || !slices.Equal(clean, builtInTemplate) {
		t.Errorf("the built-in template breaks the rules: %q, %v", clean, err)
	}
}
