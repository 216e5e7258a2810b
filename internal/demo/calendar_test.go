package demo

import (
	"testing"
	"time"

	"fillbook/internal/base/journal"
)

func TestIsTradingDay(t *testing.T) {
	t.Parallel()
	for _, d := range []journal.Day{
		"2025-01-01", "2025-01-20", "2025-02-17", "2025-05-26", "2025-06-19", "2025-07-04", "2025-09-01", "2025-11-27",
		"2025-12-25", "2026-05-25", "2026-11-26", "2026-03-07", "2026-03-08",
	} {
		if isTradingDay(d) {
			t.Errorf("%s is a trading day, want a holiday or a weekend", d)
		}
	}
	open := 0
	for d := journal.Day("2025-01-01"); d.Year() == 2025; d = d.AddDays(1) {
		if isTradingDay(d) {
			open++
		}
	}
	if open != 261-9 {
		t.Errorf("2025 has %d trading days, want %d", open, 261-9)
	}
}

// The American clocks change on other days than the European ones.
func TestSessionsFollowSummerTime(t *testing.T) {
	t.Parallel()
	for d, want := range map[journal.Day]string{
		"2025-03-07": "14:30", "2025-03-10": "13:30", "2025-10-31": "13:30", "2025-11-03": "14:30",
	} {
		s := loadData().Markets["stock"].sessions(d, d)[0]
		if got := s.start.Format("15:04"); got != want {
			t.Errorf("%s opens at %s UTC, want %s", d, got, want)
		}
		if got := s.openingOf(s.bar(10, 15)).In(newYork).Format("15:04"); got != "10:15" {
			t.Errorf("%s: the bar of 10:15 begins at %s", d, got)
		}
	}
}

func TestSessionsEndBeforeTheDayEnds(t *testing.T) {
	t.Parallel()
	for name, m := range loadData().Markets {
		for _, d := range []journal.Day{"2025-01-15", "2025-07-15", "2025-03-10", "2025-11-03"} {
			s := m.sessions(d, d)[0]
			if end := s.openingOf(s.Bars); end.After(d.Time().Add(dayEnds * time.Hour)) {
				t.Errorf("the %s session of %s ends at %s", name, d, end)
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
			t.Errorf("LastDay(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestDeliveryCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root string
		day  journal.Day
		want string
	}{
		{"ES", "2026-01-05", "H26"},
		{"ES", "2026-02-11", "H26"},
		{"NQ", "2025-12-10", "H26"},
		{"MES", "2025-09-30", "Z25"},
		{"CL", "2025-11-12", "F26"},
		{"CL", "2026-05-04", "N26"},
	} {
		if got := deliveryCode(c.root, c.day); got != c.want {
			t.Errorf("%s on %s has month %s, want %s", c.root, c.day, got, c.want)
		}
	}
}
