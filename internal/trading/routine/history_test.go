package routine

import (
	"testing"

	"fillbook/internal/base/journal"
)

// An example worked by hand: Monday both, Tuesday one of two, Wednesday
// both, Thursday both.
func TestHistoryVector(t *testing.T) {
	eachEngine(t, func(f fixture) {
		a, b := f.create("a", Pre, everyday, "2026-03-02"), f.create("b", Post, everyday, "2026-03-02")
		for _, day := range []journal.Day{"2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"} {
			f.tick(day, a.ID, true)
			f.tick(day, b.ID, day != "2026-03-03")
		}
		h := f.history("2026-03-02", "2026-03-05")
		if rate := h.CompletionRate(); rate == nil || *rate != 7.0/8 || h.Done != 7 || h.Total != 8 || h.Streak != 2 {
			f.Errorf("%d of %d, rate %v, streak %d, want 7 of 8 and streak 2", h.Done, h.Total, rate, h.Streak)
		}
		if h.ByStage[Pre] != (Count{4, 4}) || h.ByStage[During] != (Count{}) || h.ByStage[Post] != (Count{3, 4}) || len(h.ByStage) != 3 {
			f.Errorf("by stage %v", h.ByStage)
		}
		for i, want := range []DayCount{
			{"2026-03-02", Count{2, 2}}, {"2026-03-03", Count{1, 2}}, {"2026-03-04", Count{2, 2}}, {"2026-03-05", Count{2, 2}},
		} {
			if h.Days[i] != want {
				f.Errorf("day %d is %v, want %v", i, h.Days[i], want)
			}
		}
		if h := f.history("2026-03-05", "2026-03-05"); h.Streak != 2 || len(h.Days) != 1 || h.Total != 2 {
			f.Errorf("of one day: streak %d, want 2: the row began before", h.Streak)
		}
		if h := f.history("2026-03-02", "2026-03-06"); h.Streak != 2 || h.Total != 10 {
			f.Errorf("with an unfinished last day: streak %d, want 2", h.Streak)
		}
		if h := f.history("2026-03-02", "2026-03-07"); h.Streak != 0 {
			f.Errorf("with two unfinished days: streak %d, want 0", h.Streak)
		}
	})
}

func TestHistoryDefaults(t *testing.T) {
	eachEngine(t, func(f fixture) {
		h := f.history("", "")
		if h.To != today || h.From != today.AddDays(-90) || len(h.Days) != 91 || h.Days[0].Day != h.From || h.Days[90].Day != today {
			f.Errorf("from %s to %s, %d days", h.From, h.To, len(h.Days))
		}
		if h.CompletionRate() != nil || h.Streak != 0 {
			f.Errorf("of nothing: rate %v, streak %d", h.CompletionRate(), h.Streak)
		}
		if h := f.history("", "2025-06-30"); h.From != "2025-04-01" || len(h.Days) != 91 {
			f.Errorf("up to June: from %s, %d days", h.From, len(h.Days))
		}
	})
}

func TestHistoryLimit(t *testing.T) {
	eachEngine(t, func(f fixture) {
		f.create("a", Pre, everyday, "2020-01-01")
		if h := f.history(today.AddDays(-399), today); len(h.Days) != 400 || h.Total != 400 {
			f.Errorf("%d days, %d in all, want 400", len(h.Days), h.Total)
		}
		for _, c := range [][2]journal.Day{{today.AddDays(-400), today}, {today.AddDays(1), today}, {"2020-01-01", ""}} {
			_, err := f.service.History(f.Context(), f.owner, c[0], c[1])
			f.expectKind(err, journal.KindInvalid, string(c[0]+" to "+c[1]))
		}
	})
}

// Over the leap day of 2024 and the turn of the year.
func TestHistoryOverTheCalendar(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", During, []int{1, 2, 3, 4, 5}, "2023-12-01")
		for day := journal.Day("2023-12-01"); day <= "2024-03-01"; day = day.AddDays(1) {
			if w := day.Weekday(); w != 0 && w != 6 && day != "2024-01-01" {
				f.tick(day, item.ID, true)
			}
		}
		h := f.history("2024-02-26", "2024-03-03")
		if len(h.Days) != 7 || h.Days[3].Day != "2024-02-29" || h.Days[3].Count != (Count{1, 1}) || h.Done != 5 || h.Total != 5 {
			f.Errorf("the week of the leap day: %+v", h)
		}
		// Back over weekends and the leap day to the first of January, which
		// was missed: 44 weekdays.
		if h.Streak != 44 {
			f.Errorf("streak %d, want 44", h.Streak)
		}
		if h := f.history("2023-12-25", "2024-01-07"); len(h.Days) != 14 || h.Done != 9 || h.Total != 10 || h.Streak != 4 {
			f.Errorf("the turn of the year: %d days, %d of %d, streak %d", len(h.Days), h.Done, h.Total, h.Streak)
		}
	})
}

// A row of finished days is followed beyond the span, and beyond one chunk of
// what is read at a time.
func TestStreakBeforeTheSpan(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, []int{2}, "2024-01-02") // Tuesdays
		weeks := 0
		for day := journal.Day("2024-01-02"); day <= today; day = day.AddDays(7) {
			f.tick(day, item.ID, true)
			weeks++
		}
		if h := f.history("", ""); h.Streak != weeks {
			f.Errorf("streak %d, want %d", h.Streak, weeks)
		}
		f.tick("2024-06-04", item.ID, false)
		if h := f.history(today, today); h.Streak != journal.Day("2024-06-04").DaysUntil(today)/7 {
			f.Errorf("streak %d after a gap", h.Streak)
		}
		// A gap ends the row for good: what was finished before it is not
		// counted, however far back it is looked for.
		f.tick("2025-11-04", item.ID, false)
		if h := f.history(today, today); h.Streak != 18 {
			f.Errorf("streak %d after a later gap, want 18", h.Streak)
		}
		f.tick("2025-11-04", item.ID, true)
		// A single tick off schedule, long before the start, belongs to it too.
		f.tick("2024-06-04", item.ID, true)
		f.tick("2023-01-01", item.ID, true)
		if h := f.history("", ""); h.Streak != weeks+1 {
			f.Errorf("streak %d, want %d", h.Streak, weeks+1)
		}
	})
}

// Ended items still count in the history.
func TestHistoryOfChangedItems(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "2026-03-01")
		f.tick("2026-03-02", item.ID, true)
		f.tick("2026-03-06", item.ID, true)
		next := f.edit(item.ID, Change{Stage: journal.Some(Post), Day: "2026-03-04"})
		f.must(f.service.Delete(f.Context(), f.owner, next.ID, "2026-03-08", nil))
		h := f.history("2026-02-27", "2026-03-10")
		if h.ByStage[Pre] != (Count{1, 3}) || h.ByStage[Post] != (Count{1, 4}) || h.Count != (Count{2, 7}) {
			f.Errorf("by stage %v, in all %v", h.ByStage, h.Count)
		}
	})
}
