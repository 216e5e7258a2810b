package demo

import (
	"slices"
	"testing"
	"time"

	"fillbook/internal/journal"
)

// The exchange's own lists.
func TestHolidays(t *testing.T) {
	t.Parallel()
	closed := []journal.Day{
		"2021-12-24", // Christmas on a Saturday; New Year 2022 is not kept
		"2024-01-01", "2024-01-15", "2024-02-19", "2024-03-29", "2024-05-27", "2024-06-19", "2024-07-04",
		"2024-09-02", "2024-11-28", "2024-12-25",
		"2025-01-01", "2025-01-20", "2025-02-17", "2025-04-18", "2025-05-26", "2025-06-19", "2025-07-04",
		"2025-09-01", "2025-11-27", "2025-12-25",
		"2026-01-01", "2026-01-19", "2026-02-16", "2026-04-03", "2026-05-25", "2026-06-19", "2026-07-03",
		"2026-09-07", "2026-11-26", "2026-12-25",
	}
	for _, d := range closed {
		if isTradingDay(d) {
			t.Errorf("%s is a holiday", d)
		}
	}
	for year := 2024; year <= 2026; year++ {
		for d := date(year, time.January, 1); d.Year() == year; d = d.AddDays(1) {
			weekend := d.Weekday() == 0 || d.Weekday() == 6
			if !weekend && !isTradingDay(d) && !slices.Contains(closed, d) {
				t.Errorf("%s is no holiday", d)
			}
		}
	}
	if !isTradingDay("2021-12-31") {
		t.Error("a New Year on a Saturday is not kept in the old year")
	}
}

func TestHalfDays(t *testing.T) {
	t.Parallel()
	for d, want := range map[journal.Day]int{
		"2024-07-03": halfDay, "2024-11-29": halfDay, "2024-12-24": halfDay, "2025-11-28": halfDay,
		"2024-11-27": fullDay, "2024-07-02": fullDay, "2025-03-03": fullDay,
	} {
		if got := minutesOpen(d); got != want {
			t.Errorf("%s is open for %d minutes, want %d", d, got, want)
		}
	}
}

// The American clocks change on other days than the European ones.
func TestSessionsFollowSummerTime(t *testing.T) {
	t.Parallel()
	for d, want := range map[journal.Day]string{
		"2025-03-07": "14:30", "2025-03-10": "13:30", "2025-10-31": "13:30", "2025-11-03": "14:30",
	} {
		list := stockSessions(d, d)
		if got := list[0].start.Format("15:04"); got != want || list[0].bars != fullDay {
			t.Errorf("%s opens at %s UTC for %d minutes, want %s", d, got, list[0].bars, want)
		}
	}
	monday := futureSessions("2025-03-10", "2025-03-10")[0]
	if got := monday.start.In(newYork).Format("Mon 15:04"); got != "Sun 18:00" {
		t.Errorf("the futures of Monday open on %s", got)
	}
	if got := monday.at(monday.bar(9, 30)).In(newYork).Format("15:04"); got != "09:30" {
		t.Errorf("bar of 09:30 is at %s", got)
	}
}

func TestTheStoryEndsBeforeItsLastDayDoes(t *testing.T) {
	t.Parallel()
	for _, d := range []journal.Day{"2025-01-15", "2025-07-15"} {
		end := d.Time().Add(dayEnds * time.Hour)
		for _, list := range [][]session{stockSessions(d, d), futureSessions(d, d), cryptoSessions(d, d)} {
			last := list[len(list)-1]
			if last.at(last.bars).After(end) {
				t.Errorf("a session of %s ends at %s", d, last.at(last.bars))
			}
		}
	}
}

func TestLastDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]journal.Day{
		"2026-03-10T21:59:59Z": "2026-03-09", "2026-03-10T22:00:00Z": "2026-03-10",
		"2026-03-10T23:30:00+02:00": "2026-03-09", "2026-03-11T00:00:00Z": "2026-03-10",
	} {
		now, err := time.Parse(time.RFC3339, text)
		if got := LastDay(now); err != nil || got != want {
			t.Errorf("at %s the last day is %s, want %s", text, got, want)
		}
	}
}

func TestDeliveryMonths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root string
		day  journal.Day
		want string
	}{
		{"ES", "2026-01-05", "H26"},
		{"ES", "2026-03-11", "H26"},
		{"ES", "2026-03-12", "M26"},
		{"NQ", "2025-12-10", "Z25"},
		{"NQ", "2025-12-11", "H26"},
		{"MES", "2025-09-30", "Z25"},
		{"CL", "2025-12-12", "F26"},
		{"CL", "2025-12-15", "G26"},
		{"CL", "2026-05-04", "M26"},
	} {
		if got := delivery(c.root, c.day); got != c.want {
			t.Errorf("%s on %s is %s, want %s", c.root, c.day, got, c.want)
		}
	}
}
