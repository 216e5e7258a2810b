package alerts

import (
	"fmt"
	"testing"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/rules"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) // a Wednesday

// TestExpiryAlert: an option fires 7 days, 1 day and 0 days before its expiry, the nearest
// only, and each with a key of its own.
func TestExpiryAlert(t *testing.T) {
	t.Parallel()
	for left, want := range map[int]struct{ level, title string }{
		-1: {},
		0:  {"0", "The option SPY expires today."},
		1:  {"1", "The option SPY expires tomorrow."},
		2:  {"7", "The option SPY expires in 2 days."},
		7:  {"7", "The option SPY expires in 7 days."},
		8:  {},
	} {
		today := journal.DayOf(noon)
		got, isDue := expiryAlert("t", "a", "SPY", today.AddDays(left), today, noon)
		if isDue != (want.level != "") || got.Level != want.level || got.Title != want.title {
			t.Errorf("%d days left: %v %q %q, want %q %q", left, isDue, got.Level, got.Title, want.level, want.title)
		}
		if isDue && got.dedup != "option_expires|t|"+want.level {
			t.Errorf("%d days left: the key is %q", left, got.dedup)
		}
	}
}

// TestGoalAlerts: reached fires once a period, behind once a week and not on the first day.
func TestGoalAlerts(t *testing.T) {
	t.Parallel()
	goal := &rules.Goal{ID: "g", Name: "Ten a month"}
	for _, test := range []struct {
		name    string
		pace    rulecheck.Pace
		elapsed int
		last    time.Time
		key     string
	}{
		{"reached", rulecheck.Done, 3, noon, "goal_reached|g|2026-03-01"},
		{"reached without a close", rulecheck.Done, 3, time.Time{}, ""},
		{"behind", rulecheck.Behind, 3, noon, "goal_behind|g|2026-03-02"},
		{"behind on the first day", rulecheck.Behind, 1, noon, ""},
		{"on pace", rulecheck.OnPace, 3, noon, ""},
		{"missed", rulecheck.Missed, 3, noon, ""},
	} {
		p := &rulecheck.Progress{PeriodFrom: "2026-03-01", Pace: test.pace, DaysElapsed: test.elapsed}
		key := ""
		for _, a := range goalAlerts(goal, p, journal.DayOf(noon), test.last, noon) {
			key += a.dedup
		}
		if key != test.key {
			t.Errorf("%s: the key is %q, want %q", test.name, key, test.key)
		}
	}
}

func TestStartOfWeek(t *testing.T) {
	t.Parallel()
	for day, want := range map[journal.Day]journal.Day{
		"2026-03-01": "2026-02-23", // a Sunday
		"2026-03-02": "2026-03-02",
		"2026-03-08": "2026-03-02",
		"2026-01-01": "2025-12-29",
	} {
		if got := startOfWeek(day); got != want {
			t.Errorf("the week of %s begins on %s, want %s", day, got, want)
		}
	}
}

// TestSummarize: an import has one alert with the counts by kind, and none without old facts.
func TestSummarize(t *testing.T) {
	t.Parallel()
	if a := summarize("b", "trades.csv", nil, nil, noon); a != nil {
		t.Errorf("no facts make %v", a)
	}
	old := []Alert{{Kind: DailyLoss}, {Kind: RuleBroken}, {Kind: DailyLoss}}
	a := summarize("b", "trades.csv", nil, old, noon)
	if a.dedup != "import_summary|b" || fmt.Sprint(a.Counts) != "[{rule_broken 1} {daily_loss 2}]" {
		t.Errorf("the summary is %q with %v", a.dedup, a.Counts)
	}
}

// TestIsRecent: the fact's age decides, 72 hours included.
func TestIsRecent(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]bool{0: true, maxAge: true, maxAge + time.Microsecond: false} {
		a := Alert{At: noon.Add(-age)}
		if a.isRecent(noon) != want {
			t.Errorf("a fact of %v before: recent is %v", age, !want)
		}
	}
}
