package journal

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseInstant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-01-31T14:30:00Z":             "2026-01-31T14:30:00Z",
		"2026-01-31T14:30:00+00:00":        "2026-01-31T14:30:00Z",
		"2026-01-31T14:30:00-05:00":        "2026-01-31T19:30:00Z",
		"2026-01-01T00:30:00+05:30":        "2025-12-31T19:00:00Z",
		"2026-01-31T14:30:00.5Z":           "2026-01-31T14:30:00.5Z",
		"2026-01-31T14:30:00.120000Z":      "2026-01-31T14:30:00.12Z",
		"2026-01-31T14:30:00.123456789Z":   "2026-01-31T14:30:00.123456Z",
		"2026-01-31T14:30:00.0000009Z":     "2026-01-31T14:30:00Z",
		"2024-02-29T00:00:00Z":             "2024-02-29T00:00:00Z",
		"1970-01-01T00:00:00Z":             "1970-01-01T00:00:00Z",
		"2199-12-31T23:59:59.9999999Z":     "2199-12-31T23:59:59.999999Z",
		"2026-03-08T02:30:00-05:00":        "2026-03-08T07:30:00Z",
		"2026-01-31t14:30:00z":             "2026-01-31T14:30:00Z",
		"2026-01-31t14:30:00.25+02:00":     "2026-01-31T12:30:00.25Z",
		"2026-01-31T23:59:59.999999+23:59": "2026-01-31T00:00:59.999999Z",
	} {
		at, err := ParseInstant("at", text)
		if err != nil || FormatInstant(at) != want || at.Location() != time.UTC {
			t.Errorf("%s: %v, %v, want %s", text, at, err, want)
		}
	}
}

func TestParseInstantRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "2026-01-31", "2026-01-31T14:30:00", "2026-01-31 14:30:00Z", "2026-01-31T14:30Z", "1769869800",
		"2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-32T00:00:00Z",
		"2026-01-31T24:00:00Z", "2026-01-31T23:60:00Z", "2016-12-31T23:59:60Z", "2026-1-31T14:30:00Z",
		"1969-12-31T23:59:59Z", "1970-01-01T00:30:00+01:00", "2200-01-01T00:00:00Z", "2199-12-31T23:30:00-01:00",
		"0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "12026-01-01T00:00:00Z", "-2026-01-01T00:00:00Z",
		"2026-01-31T14:30:00,5Z", "2026-01-31T4:30:00Z", "2026-01-31T14:30:00+24:00", "2026-01-31T14:30:00+01:60",
		"2026-01-31T14:30:00+0100", "2026-01-31T14:30:00 Z", " 2026-01-31T14:30:00Z", "2026-01-31T14:30:00Z\n",
		"2026-01-31T14:30:00Europe/Berlin", "now", "null", "2026-01-31T14:30:00.Z",
	} {
		at, err := ParseInstant("executed_at", text)
		expectField(t, err, "executed_at", text)
		if !at.IsZero() {
			t.Errorf("%q: returned %v with the error", text, at)
		}
	}
}

// expectField checks for an input error naming the field.
func expectField(t *testing.T, err error, field, input string) {
	t.Helper()
	if !IsKind(err, KindInvalid) {
		t.Errorf("%q: %v, want an error", input, err)
		return
	}
	e := err.(*Error) //nolint:errorlint // checked by IsKind, and nothing wraps it here
	if e.Details["field"] != field || e.Code != "bad_request" || e.Message == "" {
		t.Errorf("%q: rejected as %+v", input, e)
	}
}

func TestParseDay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2026-01-31", "2024-02-29", "2000-02-29", "2096-02-29", "1970-01-01", "2199-12-31"} {
		if day, err := ParseDay("day", text); err != nil || string(day) != text {
			t.Errorf("%s: %q, %v", text, day, err)
		}
	}
	for _, text := range []string{
		"", "2026-02-29", "2100-02-29", "1900-02-29", "2026-02-30", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00",
		"2026-1-31", "26-01-31", "20260131", "2026/01/31", "31.01.2026", "2026-01-31T00:00:00Z", " 2026-01-31", "2026-01-31 ",
		"1969-12-31", "2200-01-01", "0000-01-01", "-026-01-01", "+026-01-01", "today", "２０２６-01-31",
	} {
		day, err := ParseDay("day", text)
		expectField(t, err, "day", text)
		if day != "" {
			t.Errorf("%q: returned %q with the error", text, day)
		}
	}
}

func TestParseZone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "Asia/Kolkata", "EST5EDT", "GB"} {
		if zone, err := ParseZone("tz", name); err != nil || zone.String() != name {
			t.Errorf("%s: %v, %v", name, zone, err)
		}
	}
	for _, name := range []string{
		"", "Local", "local", "localtime", "posixrules", "posix/Europe/Berlin", "right/Europe/Berlin", "zone.tab",
		"Europe/Nowhere", "Europe", "../../etc/passwd", "/etc/localtime", "/usr/share/zoneinfo/UTC", "Europe/../Europe/Berlin",
		"europe/berlin", "UTC+1", "+01:00", "Berlin", "Europe/Berlin ", "Europe\\Berlin", "Europe/Berlin\x00", "\x00",
	} {
		_, err := ParseZone("tz", name)
		expectField(t, err, "tz", name)
	}
}

func TestDayArithmetic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from Day
		n    int
		to   Day
	}{
		{"2026-01-31", 1, "2026-02-01"},
		{"2026-12-31", 1, "2027-01-01"},
		{"2027-01-01", -1, "2026-12-31"},
		{"2024-02-28", 1, "2024-02-29"},
		{"2024-02-29", 365, "2025-02-28"},
		{"2100-02-28", 1, "2100-03-01"},
		{"2026-03-08", 1, "2026-03-09"}, // a 23-hour day in New York
		{"2026-11-01", 1, "2026-11-02"}, // and a 25-hour day
		{"2026-03-28", 2, "2026-03-30"}, // the same in Berlin
		{"2026-01-01", -90, "2025-10-03"},
		{"2023-12-31", 400, "2025-02-03"},
		{"2026-01-01", 0, "2026-01-01"},
	} {
		if got := c.from.AddDays(c.n); got != c.to {
			t.Errorf("%s + %d = %s, want %s", c.from, c.n, got, c.to)
		}
		if got := c.from.DaysUntil(c.to); got != c.n {
			t.Errorf("from %s to %s are %d days, want %d", c.from, c.to, got, c.n)
		}
	}
}

func TestDayParts(t *testing.T) {
	t.Parallel()
	for day, weekday := range map[Day]int{"2026-03-08": 0, "2026-03-09": 1, "2024-02-29": 4, "1970-01-01": 4, "2000-01-01": 6} {
		if got := day.Weekday(); got != weekday {
			t.Errorf("%s is weekday %d, want %d", day, got, weekday)
		}
	}
	if d := Day("2026-03-08"); d.Month() != "2026-03" || d.Year() != 2026 {
		t.Errorf("%s: month %s, year %d", d, d.Month(), d.Year())
	}
	if d := Day(""); d.Month() != "" || d.Year() != 0 || !d.Time().IsZero() {
		t.Errorf("no day: month %q, year %d, time %v", d.Month(), d.Year(), d.Time())
	}
}

// An instant's day is its zone's.
func TestDayOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)
	for zone, want := range map[string]Day{"UTC": "2026-01-01", "America/New_York": "2025-12-31", "Asia/Tokyo": "2026-01-01"} {
		location, err := ParseZone("tz", zone)
		if err != nil || DayOf(at.In(location)) != want {
			t.Errorf("%s: %s, %v, want %s", zone, DayOf(at.In(location)), err, want)
		}
	}
	clock := Clock(func() time.Time { return at })
	if clock.Today() != "2026-01-01" {
		t.Errorf("Today = %s", clock.Today())
	}
}

func TestSystemClock(t *testing.T) {
	t.Parallel()
	at := SystemClock()
	if at.Location() != time.UTC || at.Nanosecond()%1000 != 0 || at.Year() < 2024 {
		t.Errorf("SystemClock = %v", at)
	}
}

// Adding n days leads to a day n days later, and text order is
// time order.
func TestDaysAreConsecutive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := Day("1970-01-01").AddDays(rapid.IntRange(0, 83_000).Draw(t, "from"))
		n := rapid.IntRange(-1000, 1000).Draw(t, "n")
		to := from.AddDays(n)
		if from.DaysUntil(to) != n || to.AddDays(-n) != from {
			t.Fatalf("%s + %d = %s, and back %s", from, n, to, to.AddDays(-n))
		}
		if (from < to) != (n > 0) {
			t.Fatalf("text order of %s and %s is not time order", from, to)
		}
		if (from.Weekday()+n%7+7)%7 != to.Weekday() {
			t.Fatalf("%s is weekday %d, %s is %d", from, from.Weekday(), to, to.Weekday())
		}
		if parsed, err := ParseDay("day", string(from)); err != nil || parsed != from {
			t.Fatalf("ParseDay(%s) = %s, %v", from, parsed, err)
		}
	})
}

// Formatted instants parse to the same instant, to the microsecond.
func TestInstantRoundTrip(t *testing.T) {
	t.Parallel()
	last := time.Date(2199, 12, 31, 23, 59, 59, 999_999_000, time.UTC).UnixMicro()
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMicro(rapid.Int64Range(0, last).Draw(t, "micros")).UTC()
		again, err := ParseInstant("at", FormatInstant(at))
		if err != nil || !again.Equal(at) {
			t.Fatalf("%v came back as %v, %v", at, again, err)
		}
	})
}
