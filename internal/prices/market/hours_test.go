package market_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/oracle"
)

const (
	hourOfTest = 3600
	dayOfTest  = 24 * hourOfTest
	weekOfTest = 7 * dayOfTest
)

// toOracle returns the oracle of a series, for times around its declared ones.
func toOracle(calendar market.Calendar, declared []market.Range, step int64) *oracle.Series {
	isOpen := map[int64]bool{}
	if len(declared) > 0 {
		around := market.Range{From: declared[0].From - 15*weekOfTest, To: declared[len(declared)-1].To + 15*weekOfTest}
		for _, r := range calendar.OpenRanges(around) {
			for at := r.From; at < r.To; at += step {
				isOpen[at] = true
			}
		}
	}
	return &oracle.Series{
		Declared: declared, Step: step,
		Market: oracle.Market{
			NeverCloses: calendar == market.AroundTheClock, HasCalendar: calendar != market.AroundTheClock && calendar != market.NoCalendar,
			IsBroker: calendar.IsBroker(),
			IsOpen:   func(at int64) bool { return isOpen[at] },
			IsUsual:  calendar.IsUsual, IsHoliday: calendar.IsHoliday,
		},
	}
}

// drawWeeks draws the declared time of some weeks: one or two sessions on most days, of
// which some are missing, short or shifted.
func drawWeeks(t *rapid.T, step int64) (declared []market.Range) {
	start := (int64(1_741_000_000) + rapid.Int64Range(0, 300).Draw(t, "start")*dayOfTest) / step * step
	opens := rapid.Int64Range(0, dayOfTest/step-1).Draw(t, "opens") * step
	length := rapid.Int64Range(1, dayOfTest/step).Draw(t, "length") * step
	days := rapid.IntRange(1, 40).Draw(t, "days")
	hasWeekend := rapid.Bool().Draw(t, "weekend")
	for d := range int64(days) {
		if !hasWeekend && d%7 >= 5 {
			continue
		}
		from, to := start+d*dayOfTest+opens, start+d*dayOfTest+opens+length
		switch rapid.SampledFrom([]string{"usual", "usual", "usual", "usual", "missing", "short", "late", "hole"}).Draw(t, "kind") {
		case "missing":
			continue
		case "short":
			to = from + length/step/2*step
		case "late":
			from, to = from+hourOfTest, to+hourOfTest
		case "hole":
			start += rapid.SampledFrom([]int64{1, 3, 7, 9, 30, 100}).Draw(t, "hole") * dayOfTest
			continue
		}
		declared = append(declared, market.Range{From: from, To: to})
	}
	return market.Union(declared, 0)
}

// TestHoursAgreeWithOracle compares the covered and the missing time of random series with
// the oracle.
func TestHoursAgreeWithOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const step = hourOfTest / 2
		names := []string{"none", "none", "always", "us_stocks", "london", "tokyo", "cme", "forex", "cfd_metals", "cfd_german_index", "ice_energy"}
		calendar := market.NoCalendar
		switch name := rapid.SampledFrom(names).Draw(t, "calendar"); name {
		case "none":
		case "always":
			calendar = market.AroundTheClock
		default:
			calendar = market.ListCalendars()[name]
		}
		declared := drawWeeks(t, step)
		slow, hours := toOracle(calendar, declared, step), market.NewHours(market.NewSessions(calendar), declared)
		if len(declared) == 0 {
			t.Skip("there are no bars")
		}
		first := declared[0].From
		for range 3 {
			from := first + rapid.Int64Range(-10*48, 40*48).Draw(t, "from")*step
			to := from + rapid.SampledFrom([]int64{1, 5, 48, 3 * 48, 10 * 48, 60 * 48}).Draw(t, "held")*step
			got := hours.CoveredTime(from*micros, to*micros)
			covered, missing, isDoubtful := slow.CoveredTime(from, to)
			if got.Covered != covered*micros || got.Held != (covered+missing)*micros || got.IsDoubtful != isDoubtful {
				t.Fatalf("%s, %d to %d: %+v, want %d covered and %d missing, doubtful %t", calendar, from, to, got, covered, missing, isDoubtful)
			}
			if missing > 0 && (got.Missing.From < from || got.Missing.To > to || got.Missing.To-got.Missing.From < missing) {
				t.Fatalf("%s, %d to %d: bars are missing at %v for %d seconds", calendar, from, to, got.Missing, missing)
			}
		}
	})
}

// repeatDays returns declared time on weekdays from a Monday on, of some weeks. Offsets are
// seconds from midnight in UTC.
func repeatDays(monday int64, weeks int, from, to int64) (declared []market.Range) {
	for w := range int64(weeks) {
		for d := range int64(5) {
			start := monday + w*weekOfTest + d*dayOfTest
			declared = append(declared, market.Range{From: start + from, To: start + to})
		}
	}
	return declared
}

// TestBarsShowHours holds positions in a market without a calendar: nights and weekends
// are closed because they have no bars in any week, and a day without bars is missing.
func TestBarsShowHours(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC).Unix()
	const opens, closes = 7 * hourOfTest, 15 * hourOfTest
	whole := repeatDays(monday, 5, opens, closes)
	withoutWednesday := append(append([]market.Range{}, whole[:12]...), whole[13:]...)
	for name, c := range map[string]struct {
		declared      []market.Range
		calendar      market.Calendar
		from, to      int64
		covered, held int64 // hours
		doubtful      bool
	}{
		"over a night":             {whole, market.NoCalendar, 7*24 + 9, 8*24 + 9, 8, 8, false},
		"over a weekend":           {whole, market.NoCalendar, 4*24 + 9, 7*24 + 9, 8, 8, false},
		"the first week":           {whole, market.NoCalendar, 0*24 + 9, 4*24 + 9, 32, 32, false},
		"over a missing day":       {withoutWednesday, market.NoCalendar, 15*24 + 9, 17*24 + 9, 8, 16, false},
		"two weeks are not enough": {whole[:10], market.NoCalendar, 0*24 + 9, 1*24 + 9, 8, 24, true},
		"as American stocks":       {whole, market.USStocks, 14*24 + 9, 16*24 + 9, 16, 16, false},
		"American, missing day":    {withoutWednesday, market.USStocks, 15*24 + 9, 17*24 + 9, 8, 16, false},
		"long after the last bar":  {whole, market.NoCalendar, 70*24 + 9, 71*24 + 9, 0, 24, true},
		"after the last bar":       {whole, market.NoCalendar, 32*24 + 9, 37*24 + 9, 6, 6 + 8 + 8 + 2, false},
	} {
		found := market.NewHours(market.NewSessions(c.calendar), c.declared).CoveredTime((monday+c.from*hourOfTest)*micros, (monday+c.to*hourOfTest)*micros)
		covered, held := found.Covered/micros/hourOfTest, found.Held/micros/hourOfTest
		if covered != c.covered || held != c.held || found.IsDoubtful != c.doubtful {
			t.Errorf("%s: %d of %d hours are covered, want %d of %d (doubtful %t)", name, covered, held, c.covered, c.held, found.IsDoubtful)
		}
	}
}

// TestPartOfTheDayIsNotTheDay has a file with the first two hours in each American day:
// the calendar is right, and the rest is missing.
func TestPartOfTheDayIsNotTheDay(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC).Unix()
	declared := repeatDays(monday, 8, 14*hourOfTest+1800, 16*hourOfTest+1800)
	at := monday + 3*weekOfTest + 15*hourOfTest
	found := market.NewHours(market.NewSessions(market.USStocks), declared).CoveredTime(at*micros, (at+dayOfTest)*micros)
	if covered, held := found.Covered/micros, found.Held/micros; covered != 2*hourOfTest || held != 6*hourOfTest+1800 {
		t.Errorf("%d of %d seconds are covered", covered, held)
	}
	if want := (market.Range{From: monday + 3*weekOfTest + 16*hourOfTest + 1800, To: monday + 3*weekOfTest + 21*hourOfTest}); found.Missing != want {
		t.Errorf("bars are missing at %v, want %v", found.Missing, want)
	}
}

// TestChangeOfClocksIsNotMissing has London bars without a calendar, on both sides of the
// clock change.
func TestChangeOfClocksIsNotMissing(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC).Unix()
	declared := append(repeatDays(monday, 4, 8*hourOfTest, 16*hourOfTest+1800), repeatDays(monday+4*weekOfTest, 2, 7*hourOfTest, 15*hourOfTest+1800)...)
	hours := market.NewHours(market.NewSessions(market.NoCalendar), declared)
	for d := range int64(38) {
		from := monday + d*dayOfTest + 12*hourOfTest
		if found := hours.CoveredTime(from*micros, (from+2*dayOfTest)*micros); found.Covered != found.Held {
			t.Errorf("day %d: %d of %d seconds are covered", d, found.Covered/micros, found.Held/micros)
		}
	}
}

// TestDaysWithoutCalendar cuts the days in a market trading over midnight UTC.
func TestDaysWithoutCalendar(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC).Unix()
	var bars []market.Bar
	var want []market.Range
	for d := range int64(5) {
		from := monday + d*dayOfTest - 2*hourOfTest
		want = append(want, market.Range{From: from, To: from + 6*hourOfTest})
		for at := from; at < from+6*hourOfTest; at += 60 {
			bars = append(bars, market.Bar{Time: at})
		}
	}
	got := market.DeclaredRanges(bars, 60, market.NoCalendar)
	if len(got) != len(want) {
		t.Fatalf("the file declares %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("day %d is %v, want %v", i, got[i], want[i])
		}
	}
}
