package parse_test

import (
	"strings"
	"testing"

	"fillbook/internal/intake/parse"
)

func TestLoadZone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"UTC": "UTC", "utc": "UTC", "GMT": "UTC", "Z": "UTC", "UTC+0": "UTC", "+00:00": "UTC", "GMT-0": "UTC", "UTC+00:00": "UTC",
		"Europe/Berlin": "Europe/Berlin", " America/New_York ": "America/New_York", "Etc/GMT+5": "Etc/GMT+5", "Asia/Kolkata": "Asia/Kolkata",
		"UTC+2": "UTC+02:00", "UTC+02:00": "UTC+02:00", "+02:00": "UTC+02:00", "+0200": "UTC+02:00", "+2": "UTC+02:00", "GMT-4": "UTC-04:00",
		"GMT-04": "UTC-04:00", "gmt-0330": "UTC-03:30", "UTC−5": "UTC-05:00", "UTC +5:30": "UTC+05:30", "UTC+14": "UTC+14:00", "-12:00": "UTC-12:00",
		"ET": "America/New_York", "EST": "America/New_York", "EDT": "America/New_York", "est": "America/New_York", "CT": "America/Chicago",
		"CST": "America/Chicago", "CDT": "America/Chicago", "MT": "America/Denver", "MST": "UTC-07:00", "MDT": "UTC-06:00", "PT": "America/Los_Angeles",
		"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "BST": "UTC+01:00", "CET": "Europe/Berlin", "CEST": "Europe/Berlin",
		"CE(S)T": "Europe/Berlin", "MEZ": "Europe/Berlin", "EET": "UTC+02:00", "EEST": "UTC+03:00", "MSK": "UTC+03:00", "IST": "UTC+05:30", "HKT": "UTC+08:00",
		"SGT": "UTC+08:00", "JST": "UTC+09:00", "KST": "UTC+09:00", "ACST": "UTC+09:30", "AEST": "UTC+10:00", "AEDT": "UTC+11:00", "NZDT": "UTC+13:00",
		"America/New_York+7": "America/New_York+7", "America/New_York + 7": "America/New_York+7", "America/New_York-1": "America/New_York-1",
	} {
		zone, err := parse.LoadZone(name)
		if err != nil || zone.String() != want {
			t.Errorf("%q is %s, %v, want %s", name, zone, err, want)
			continue
		}
		if again, err := parse.LoadZone(zone.String()); err != nil || again.String() != want {
			t.Errorf("%s does not load again: %s, %v", zone, again, err)
		}
	}
	for _, name := range []string{
		"", " ", "Local", "localtime", "../etc/passwd", "/etc/localtime", "Europe/Nowhere", "Mars/Base+7", "UTC+15", "+25:00", "UTC+2:75", "UTC+", "5", "GST", "QQQ",
		"America/New_York+15", "America/New_York+7:30", "UTC++2", "EST5", "New York", "America/New_York\x00",
	} {
		if zone, err := parse.LoadZone(name); err == nil {
			t.Errorf("%q is %s", name, zone)
		}
	}
}

// Every zone has the offset in its name, in winter and in summer.
func TestZonesOffsets(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{ // noon in January and in July, in UTC
		"UTC": "12:00 12:00", "UTC-03:30": "15:30 15:30", "JST": "03:00 03:00", "EST": "17:00 16:00", "MST": "19:00 19:00", "MT": "19:00 18:00",
		"CET": "11:00 10:00", "BST": "11:00 11:00", "IST": "06:30 06:30", "PDT": "20:00 19:00",
		"America/New_York+7": "10:00 09:00", "Europe/Athens": "10:00 09:00",
	} {
		clock := clockIn(t, name, parse.DateOrderUnknown)
		var got []string
		for _, text := range []string{"2026-01-15 12:00", "2026-07-15 12:00"} {
			m, err := clock.Moment(text)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m.At.Format("15:04"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
}

// A server seven hours ahead of New York and one in Athens differ while only one of the
// two has summer time.
func TestMovedZoneFollowsNewYork(t *testing.T) {
	t.Parallel()
	for day, hours := range map[string]int{"2026-03-02": 0, "2026-03-16": 1, "2026-04-06": 0, "2026-10-19": 0, "2026-10-28": 1, "2026-11-09": 0} {
		moved, err := clockIn(t, "America/New_York+7", parse.DateOrderUnknown).Moment(day + " 12:00")
		if err != nil {
			t.Fatal(err)
		}
		athens, err := clockIn(t, "Europe/Athens", parse.DateOrderUnknown).Moment(day + " 12:00")
		if err != nil {
			t.Fatal(err)
		}
		if got := int(athens.At.Sub(moved.At).Hours()); got != hours {
			t.Errorf("%s: %d hours apart, want %d", day, got, hours)
		}
	}
}

func TestZoneInHeader(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"Update Time (EDT)": "America/New_York", "Opening time (UTC-4)": "UTC-04:00", "Filled Time(UTC+02:00)": "UTC+02:00", "Date(UTC)": "UTC",
		"Transaction Time (CET)": "Europe/Berlin", "EntryDateUTC": "UTC", "opening_time_utc": "UTC", "Trade Time(UTC+0)": "UTC", "Time(UTC+08:00)": "UTC+08:00",
		"Transaction Time(UTC+10)": "UTC+10:00", "UTC_Time": "UTC", "DateUtc": "UTC", "OpenDateUtc": "UTC", "Time UTC": "UTC", "Time [GMT+1]": "UTC+01:00",
		"Exec Time EST": "America/New_York", "Created (UTC)": "UTC", "Executed (UTC+1)": "UTC+01:00", "Time (CE(S)T)": "Europe/Berlin", "Date (Europe/Paris)": "Europe/Paris",
		"Zeit (MEZ)": "Europe/Berlin", "Amount (UTC)": "UTC", "Opened (ET)": "America/New_York",
		"": "", "Time": "", "Date": "", "UTC": "", "EST": "", "Profit (EST)": "", "Price (CET)": "", "GST": "", "Date (GST)": "", "Ist Datum": "", "Best Exit": "",
		"Position Opening Time(UTC..)": "", "Time (s)": "", "Trade duration in seconds": "", "Duration (DD:HH:MM:SS)": "", "Net ET": "", "Time (5)": "", "Order Time Z": "",
		"Date (Est)": "", "Time (+)": "", "Update": "", "Date PRC": "",
	} {
		got, ok := parse.ZoneInHeader(header)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", header, got, ok, want)
		}
		if !ok {
			continue
		}
		if _, err := parse.LoadZone(got); err != nil {
			t.Errorf("%q: %v", header, err)
		}
	}
}
