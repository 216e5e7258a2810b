package market_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fillbook/internal/prices/market"
)

// holidaysOf are the weekdays in 2025 on which exchanges are closed, as they published
// them. A day with a time has an early close.
var holidaysOf = map[string]string{
	"london":    "01-01 04-18 04-21 05-05 05-26 08-25 12-24=12:30 12-25 12-26 12-31=12:30",
	"xetra":     "01-01 04-18 04-21 05-01 12-24 12-25 12-26 12-30=14:00 12-31",
	"euronext":  "01-01 04-18 04-21 05-01 12-24=14:00 12-25 12-26 12-31=14:00",
	"milan":     "01-01 04-18 04-21 05-01 08-15 12-24 12-25 12-26 12-31",
	"zurich":    "01-01 01-02 04-18 04-21 05-01 05-29 06-09 08-01 12-24 12-25 12-26 12-31",
	"tokyo":     "01-01 01-02 01-03 01-13 02-11 02-24 03-20 04-29 05-05 05-06 07-21 08-11 09-15 09-23 10-13 11-03 11-24 12-31",
	"hong_kong": "01-01 01-28=12:00 01-29 01-30 01-31 04-04 04-18 04-21 05-01 05-05 07-01 10-01 10-07 10-29 12-24=12:00 12-25 12-26 12-31=12:00",
	"sydney":    "01-01 01-27 04-18 04-21 04-25 06-09 12-24=14:00 12-25 12-26 12-31=14:00",
	"toronto":   "01-01 02-17 04-18 05-19 07-01 08-04 09-01 10-13 12-24=13:00 12-25 12-26",
	"mumbai":    "02-26 03-14 03-31 04-10 04-14 04-18 05-01 08-15 08-27 10-02 10-21 10-22 11-05 12-25",
	"us_stocks": "01-01 01-09 01-20 02-17 04-18 05-26 06-19 07-03=13:00 07-04 09-01 11-27 11-28=13:00 12-24=13:00 12-25",
}

// TestHolidays compares all days in 2025 with the lists.
func TestHolidays(t *testing.T) {
	t.Parallel()
	zones := map[string]string{
		"london": "Europe/London", "xetra": "Europe/Berlin", "euronext": "Europe/Paris", "milan": "Europe/Rome", "zurich": "Europe/Zurich",
		"tokyo": "Asia/Tokyo", "hong_kong": "Asia/Hong_Kong", "sydney": "Australia/Sydney", "toronto": "America/Toronto",
		"mumbai": "Asia/Kolkata", "us_stocks": "America/New_York",
	}
	for name, list := range holidaysOf {
		zone, err := time.LoadLocation(zones[name])
		if err != nil {
			t.Fatal(err)
		}
		calendar := market.ListCalendars()[name]
		var got []string
		for day := time.Date(2025, 1, 1, 0, 0, 0, 0, zone); day.Year() == 2025; day = day.AddDate(0, 0, 1) {
			if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
				continue
			}
			open := calendar.OpenRanges(market.Range{From: day.Unix(), To: day.AddDate(0, 0, 1).Unix()})
			if len(open) == 0 {
				got = append(got, day.Format("01-02"))
				continue
			}
			end := time.Unix(open[len(open)-1].To, 0).In(zone)
			if end.Hour() <= 14 {
				got = append(got, day.Format("01-02=")+end.Format("15:04"))
			}
		}
		if text := strings.Join(got, " "); text != list {
			t.Errorf("%s is closed on %s, want %s", name, text, list)
		}
	}
}

// TestOpenHours checks the hours in single sessions: usual ones, short ones, and those
// before and after a change.
func TestOpenHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ calendar, noon, want string }{
		{"tokyo", "2024-11-01T03:00:00Z", "00:00-02:30 03:30-06:00"},
		{"tokyo", "2024-11-05T03:00:00Z", "00:00-02:30 03:30-06:30"},
		{"hong_kong", "2025-09-03T03:00:00Z", "01:30-04:00 05:00-08:00"},
		{"london", "2025-01-08T12:00:00Z", "08:00-16:30"},
		{"london", "2025-07-09T12:00:00Z", "07:00-15:30"},
		{"cbot_grains", "2012-05-17T12:00:00Z", "23:00-12:15 14:30-18:15"},
		{"cbot_grains", "2012-06-14T12:00:00Z", "22:00-19:00"},
		{"cbot_grains", "2014-06-12T12:00:00Z", "00:00-12:45 13:30-18:15"},
		{"cbot_grains", "2025-06-12T12:00:00Z", "00:00-12:45 13:30-18:20"},
		{"cbot_grains", "2025-11-28T12:00:00Z", "14:30-18:00"},
		{"cbot_grains", "2025-12-25T12:00:00Z", ""},
		{"cbot_grains", "2025-12-26T12:00:00Z", "14:30-19:15"},
		{"cme", "2025-06-12T12:00:00Z", "22:00-21:00"},
		{"cme", "2025-11-27T12:00:00Z", "23:00-18:00"},
		{"cme_crypto", "2025-06-14T12:00:00Z", ""},
		{"cme_crypto", "2026-06-13T12:00:00Z", "21:00-21:00"},
		{"eurex", "2017-06-14T12:00:00Z", "06:00-20:00"},
		{"eurex", "2025-06-12T12:00:00Z", "00:10-20:00"},
		{"asx_index", "2025-06-12T00:00:00Z", "07:10-21:00 23:50-06:30"},
		{"hkfe_index", "2025-06-12T00:00:00Z", "09:15-19:00 01:15-04:00 05:00-08:30"},
		{"cfd_metals", "2025-06-12T12:00:00Z", "22:00-21:00"},
		{"sydney", "2025-01-08T02:00:00Z", "23:00-05:00"},
	} {
		calendar := market.ListCalendars()[c.calendar]
		var parts []string
		for _, r := range calendar.OpenRanges(calendar.SessionOf(second(t, c.noon))) {
			utc := func(at int64) string { return time.Unix(at, 0).UTC().Format("15:04") }
			parts = append(parts, fmt.Sprintf("%s-%s", utc(r.From), utc(r.To)))
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%s at %s is open at %q, want %q", c.calendar, c.noon, got, c.want)
		}
	}
}

// TestSessionsInsideDaysOfUTC checks for which markets daily bars match a session.
func TestSessionsInsideDaysOfUTC(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"us_stocks": true, "london": true, "tokyo": true, "mumbai": true, "sydney": false, "cme": false, "forex": false, "eurex": true} {
		if got := market.ListCalendars()[name].FitsDaysOfUTC(); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestInvalidCalendars has invalid lines for calendars.txt.
func TestInvalidCalendars(t *testing.T) {
	t.Parallel()
	const calendar = "calendar a Europe/London\n"
	if err := market.CheckCalendars(calendar + "hours 09:00-17:00\nclosed 12-25\nsuffix a X\n"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"hours 09:00-17:00", "calendar a", calendar + calendar, calendar + "hours", calendar + "hours 17:00-09:00", calendar + "hours 9-17",
		calendar + "hours 13:00-17:00 09:00-12:00", calendar + "hours 09:00-24:30", calendar + "hours 2020-01-01 09:00-10:00\nhours 2019-01-01 09:00-10:00",
		calendar + "closed 13-01", calendar + "closed monx/01", calendar + "closed easter+x", calendar + "closed 12-25@2020", calendar + "closed 12-25@x-",
		calendar + "use b", calendar + "set b\nuse b\ncalendar c Europe/London\nuse b", "suffix a X", calendar + "suffix a X X", calendar + "early x 12-25",
		calendar + "short x 12-25", calendar + "opens 09:00", calendar + "closed mon<13-01", calendar + "closed fri>=x",
	} {
		if market.CheckCalendars(text) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestEveryCalendarIsUsed finds calendars without an instrument.
func TestEveryCalendarIsUsed(t *testing.T) {
	t.Parallel()
	for name, calendar := range market.ListCalendars() {
		if !market.IsUsed(calendar) {
			t.Errorf("no instrument has the calendar %s", name)
		}
	}
}
