package market_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/prices/market"
)

func second(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.Unix()
}

func TestSessions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		calendar market.Calendar
		at       string
		from, to string
	}{
		{"crypto", market.AroundTheClock, "2026-03-08T12:00:00Z", "2026-03-08T00:00:00Z", "2026-03-09T00:00:00Z"},
		{"evening of the CME belongs to the next day", market.CME, "2026-03-10T23:00:00Z", "2026-03-10T21:00:00Z", "2026-03-11T21:00:00Z"},
		{"a change of clocks", market.CME, "2026-03-08T23:00:00Z", "2026-03-08T21:00:00Z", "2026-03-09T21:00:00Z"},
		{"stocks before the opening", market.USStocks, "2026-01-05T10:00:00Z", "2026-01-05T05:00:00Z", "2026-01-06T05:00:00Z"},
		{"forex on Sunday evening", market.Forex, "2026-01-04T22:30:00Z", "2026-01-04T22:00:00Z", "2026-01-05T22:00:00Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := market.Range{From: second(t, test.from), To: second(t, test.to)}
			if diff := cmp.Diff(want, test.calendar.SessionOf(second(t, test.at))); diff != "" {
				t.Fatalf("the session differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStockHeldOvernight has a file with regular hours only: the night is no holding
// time, so the position is covered whole.
func TestStockHeldOvernight(t *testing.T) {
	t.Parallel()
	var bars []market.Bar
	for _, day := range []string{"2026-01-08", "2026-01-09", "2026-01-12"} { // Thursday, Friday, Monday
		open := second(t, day+"T14:30:00Z")
		for minute := range int64(390) {
			bars = append(bars, market.Bar{Time: open + minute*60, Open: 1, High: 1, Low: 1, Close: 1})
		}
	}
	declared := market.DeclaredRanges(bars, 60, market.USStocks)
	if len(declared) != 3 {
		t.Fatalf("the file declares %v", declared)
	}
	from, to := second(t, "2026-01-08T15:00:00Z")*micros, second(t, "2026-01-12T15:00:00Z")*micros
	covered, held := coveredTime(from, to, declared, market.USStocks)
	if want := int64(360+390+30) * 60 * micros; covered != want || held != want {
		t.Errorf("covered %d of %d microseconds, not all of %d", covered, held, want)
	}
	covered, held = coveredTime(from, to, declared[:2], market.USStocks)
	if covered != int64(360+390)*60*micros || held != int64(360+390+30)*60*micros {
		t.Errorf("without Monday: covered %d of %d microseconds", covered, held)
	}
}

func TestMidnightIsNoGapAroundTheClock(t *testing.T) {
	t.Parallel()
	midnight := second(t, "2026-01-09T00:00:00Z")
	bars := []market.Bar{{Time: midnight - 3600}, {Time: midnight - 120}, {Time: midnight + 120}, {Time: midnight + 3600}}
	declared := market.DeclaredRanges(bars, 60, market.AroundTheClock)
	want := []market.Range{{From: midnight - 3600, To: midnight + 3660}}
	if diff := cmp.Diff(want, declared); diff != "" {
		t.Fatalf("the ranges differ (-want +got):\n%s", diff)
	}
}

// coveredTime returns a series' covered and held time.
func coveredTime(from, to int64, declared []market.Range, calendar market.Calendar) (covered, held int64) {
	found := market.NewHours(market.NewSessions(calendar), market.Union(declared, 0)).CoveredTime(from, to)
	return found.Covered, found.Held
}

// TestKeptSessions compares cached sessions with the calendar's.
func TestKeptSessions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		calendar := drawCalendar(t)
		sessions := market.NewSessions(calendar)
		hours := market.NewHours(sessions, nil)
		for range 4 {
			at := 1_741_000_000 + rapid.Int64Range(0, 14*24*3600).Draw(t, "at") // clocks change
			session := calendar.SessionOf(at)
			if got := sessions.Of(at); got != session || at < got.From || at >= got.To {
				t.Fatalf("the session of %d is %v, not %v", at, got, session)
			}
			if next := calendar.SessionOf(session.To); next.From != session.To {
				t.Fatalf("the session after %v is %v", session, next)
			}
			if end := hours.End(at); end <= at || end > session.To {
				t.Fatalf("the session of %d ends at %d", at, end)
			}
			for _, open := range calendar.OpenRanges(session) {
				if open.From < session.From || open.To > session.To || open.From >= open.To {
					t.Fatalf("the session %v is open at %v", session, open)
				}
			}
		}
	})
}

// drawCalendar draws a calendar.
func drawCalendar(t *rapid.T) market.Calendar {
	all := market.ListCalendars()
	names := append(slices.Sorted(maps.Keys(all)), "none", "always")
	switch name := rapid.SampledFrom(names).Draw(t, "calendar"); name {
	case "none":
		return market.NoCalendar
	case "always":
		return market.AroundTheClock
	default:
		return all[name]
	}
}
