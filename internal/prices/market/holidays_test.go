package market_test

import (
	"slices"
	"testing"
	"time"

	"fillbook/internal/prices/market"
)

// closed and early are the New York Stock Exchange's days without trading and with
// trading until 13:00, as it published them.
var (
	closed = []string{
		"2021-01-01", "2021-01-18", "2021-02-15", "2021-04-02", "2021-05-31", "2021-07-05", "2021-09-06", "2021-11-25", "2021-12-24",
		"2022-01-17", "2022-02-21", "2022-04-15", "2022-05-30", "2022-06-20", "2022-07-04", "2022-09-05", "2022-11-24", "2022-12-26",
		"2023-01-02", "2023-01-16", "2023-02-20", "2023-04-07", "2023-05-29", "2023-06-19", "2023-07-04", "2023-09-04", "2023-11-23", "2023-12-25",
		"2024-01-01", "2024-01-15", "2024-02-19", "2024-03-29", "2024-05-27", "2024-06-19", "2024-07-04", "2024-09-02", "2024-11-28", "2024-12-25",
		"2025-01-01", "2025-01-09", "2025-01-20", "2025-02-17", "2025-04-18", "2025-05-26", "2025-06-19", "2025-07-04", "2025-09-01", "2025-11-27",
		"2025-12-25",
		"2026-01-01", "2026-01-19", "2026-02-16", "2026-04-03", "2026-05-25", "2026-06-19", "2026-07-03", "2026-09-07", "2026-11-26", "2026-12-25",
		"2027-01-01", "2027-01-18", "2027-02-15", "2027-03-26", "2027-05-31", "2027-06-18", "2027-07-05", "2027-09-06", "2027-11-25", "2027-12-24",
	}
	early = []string{
		"2021-11-26", "2022-11-25", "2023-07-03", "2023-11-24", "2024-07-03", "2024-11-29", "2024-12-24", "2025-07-03", "2025-11-28", "2025-12-24",
		"2026-11-27", "2026-12-24", "2027-11-26",
	}
)

func TestHolidaysOfStocks(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for day := time.Date(2021, 1, 1, 0, 0, 0, 0, newYork); day.Year() < 2028; day = day.AddDate(0, 0, 1) {
		want := "9:30 to 16:00"
		switch name := day.Format(time.DateOnly); {
		case day.Weekday() == time.Saturday, day.Weekday() == time.Sunday, slices.Contains(closed, name):
			want = "closed"
		case slices.Contains(early, name):
			want = "9:30 to 13:00"
		}
		got := "closed"
		for _, open := range market.USStocks.OpenRanges(market.Range{From: day.Unix(), To: day.AddDate(0, 0, 1).Unix()}) {
			got = time.Unix(open.From, 0).In(newYork).Format("3:04") + " to " + time.Unix(open.To, 0).In(newYork).Format("15:04")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", day.Format("Mon 2006-01-02"), got, want)
		}
	}
}

// TestHolidaysOfOthers checks Thanksgiving, Good Friday and Christmas.
func TestHolidaysOfOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calendar                    market.Calendar
		usual, thanks, friday, xmas int64 // hours
	}{
		"crypto": {market.AroundTheClock, 24, 24, 24, 24},
		"forex":  {market.Forex, 24, 24, 24, 0},
		"CME":    {market.CME, 23, 19, 0, 0},
		"stocks": {market.USStocks, 6, 0, 0, 0},
	} {
		for day, want := range map[string]int64{
			"2025-11-12T21:00:00Z": c.usual, "2025-11-27T21:00:00Z": c.thanks, "2025-04-18T20:00:00Z": c.friday, "2025-12-25T21:00:00Z": c.xmas,
		} {
			at, err := time.Parse(time.RFC3339, day)
			if err != nil {
				t.Fatal(err)
			}
			open := int64(0)
			for _, r := range c.calendar.OpenRanges(c.calendar.SessionOf(at.Unix())) {
				open += r.To - r.From
			}
			if open/3600 != want {
				t.Errorf("%s, %s: open for %d hours, want %d", name, day, open/3600, want)
			}
		}
	}
}

// TestHolidayIsNotMissing holds a position over Thanksgiving and the short day after it.
func TestHolidayIsNotMissing(t *testing.T) {
	t.Parallel()
	at := func(text string) int64 {
		instant, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return instant.Unix()
	}
	declared := []market.Range{
		{From: at("2025-11-26T14:30:00Z"), To: at("2025-11-26T21:00:00Z")},
		{From: at("2025-11-28T14:30:00Z"), To: at("2025-11-28T18:00:00Z")},
		{From: at("2025-12-01T14:30:00Z"), To: at("2025-12-01T21:00:00Z")},
	}
	const micros = 1_000_000
	covered, held := coveredTime(at("2025-11-26T20:00:00Z")*micros, at("2025-12-01T15:00:00Z")*micros, declared, market.USStocks)
	if covered != held || held != 5*3600*micros {
		t.Errorf("%d of %d seconds are covered", covered/micros, held/micros)
	}
}
