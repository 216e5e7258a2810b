package parse_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
)

// clockIn returns a clock, or ends the test.
func clockIn(t testing.TB, zone string, order parse.DateOrder) *parse.Clock {
	t.Helper()
	z, err := parse.LoadZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	return parse.NewClock(z, order)
}

// describe writes a moment for comparison: the instant, then d for a date only
// and z for a zone in the text.
func describe(m parse.Moment) string {
	text := journal.FormatInstant(m.At)
	if m.DateOnly {
		text += " d"
	}
	if m.Zone != "" {
		text += " z"
	}
	return text
}

func TestMoment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string // in Berlin
		order      parse.DateOrder
	}{
		{text: "2026-01-05 09:30:00", want: "2026-01-05T08:30:00Z"},
		{text: "2026-01-05 9:30", want: "2026-01-05T08:30:00Z"},
		{text: "2026年1月5日 9:30", want: "2026-01-05T08:30:00Z"},
		{text: "2026年01月05日09:30", want: "2026-01-05T08:30:00Z"},
		{text: "2026-07-05 09:30:00", want: "2026-07-05T07:30:00Z"},
		{text: "2026-01-05T09:30:00", want: "2026-01-05T08:30:00Z"},
		{text: "2026-01-05T09:30:00+0200", want: "2026-01-05T07:30:00Z z"},
		{text: "2026-01-05T09:30:00+02:00", want: "2026-01-05T07:30:00Z z"},
		{text: "2026-01-05T09:30:00Z", want: "2026-01-05T09:30:00Z z"},
		{text: "2026-03-28T12:17:14.638045Z", want: "2026-03-28T12:17:14.638045Z z"},
		{text: "2026-03-28T12:17:14.6380459Z", want: "2026-03-28T12:17:14.638045Z z"},
		{text: "2026-02-11 06:34:46.772Z", want: "2026-02-11T06:34:46.772Z z"},
		{text: "2025-01-17 16:57:02 UTC", want: "2025-01-17T16:57:02Z z"},
		{text: "2026.01.19 06:05:41", want: "2026-01-19T05:05:41Z"},
		{text: "2026/01/19 06:05", want: "2026-01-19T05:05:00Z"},
		{text: "20260710;093122", want: "2026-07-10T07:31:22Z"},
		{text: "20260710 093122", want: "2026-07-10T07:31:22Z"},
		{text: "20260710T093122Z", want: "2026-07-10T09:31:22Z z"},
		{text: "20260710;09:31:22", want: "2026-07-10T07:31:22Z"},
		{text: "20260710093122", want: "2026-07-10T07:31:22Z"},
		{text: "20260710", want: "2026-07-09T22:00:00Z d"},
		{text: "2018-01-05;09:30:00", want: "2018-01-05T08:30:00Z"},
		{text: "2026-01-05, 09:30:00", want: "2026-01-05T08:30:00Z"},
		{text: "01/15/2024 10:30:00", want: "2024-01-15T09:30:00Z", order: parse.MonthFirst},
		{text: "7/28/2026 10:17:59 AM", want: "2026-07-28T08:17:59Z", order: parse.MonthFirst},
		{text: "7/28/2026 10:17:59 PM", want: "2026-07-28T20:17:59Z", order: parse.MonthFirst},
		{text: "7/28/2026 10:17:59\u202fPM", want: "2026-07-28T20:17:59Z", order: parse.MonthFirst},
		{text: "7/2/2026 9:12", want: "2026-07-02T07:12:00Z", order: parse.MonthFirst},
		{text: "7/2/2026 9:12", want: "2026-02-07T08:12:00Z", order: parse.DayFirst},
		{text: "27/04/2026 6:05:02", want: "2026-04-27T04:05:02Z", order: parse.DayFirst},
		{text: "27/04/2026 6:05:02", want: "2026-04-27T04:05:02Z"},
		{text: "01-04-2026 00:27:56", want: "2026-03-31T22:27:56Z", order: parse.DayFirst},
		{text: "15/04/2026 15:09:58.271", want: "2026-04-15T13:09:58.271Z", order: parse.DayFirst},
		{text: "12.04.2024 13:01:45", want: "2024-04-12T11:01:45Z"},
		{text: "12.04.2024 13:01:45", want: "2024-12-04T12:01:45Z", order: parse.MonthFirst},
		{text: "05/05/2026 10:00", want: "2026-05-05T08:00:00Z"},
		{text: "07 Aug 2026 20:00:00.000", want: "2026-08-07T18:00:00Z"},
		{text: "4/26/22,09:29:16", want: "2022-04-26T07:29:16Z", order: parse.MonthFirst},
		{text: "10/1/26 0:00", want: "2026-09-30T22:00:00Z", order: parse.MonthFirst},
		{text: "10/24/2025 12:17:43 EDT", want: "2025-10-24T16:17:43Z z", order: parse.MonthFirst},
		{text: "07/02/2026 10:10:08 EST", want: "2026-07-02T14:10:08Z z", order: parse.MonthFirst},
		{text: "2026/07/20 08:03:06,GMT-04", want: "2026-07-20T12:03:06Z z"},
		{text: "Apr 28, 2026 05:09:47 ET", want: "2026-04-28T09:09:47Z z"},
		{text: "2025/01/01 09:30:00 (ET)", want: "2025-01-01T14:30:00Z z"},
		{text: "05/08/2025 11:22:07 -04:00", want: "2025-05-08T15:22:07Z z", order: parse.MonthFirst},
		{text: "2024-12-20 7:17:03 PM +03:00", want: "2024-12-20T16:17:03Z z"},
		{text: "10/7/24 9:50:07 PM +01:00", want: "2024-10-07T20:50:07Z z", order: parse.MonthFirst},
		{text: "Thu Jul 09 2026 16:30:30 GMT+0300", want: "2026-07-09T13:30:30Z z"},
		{text: "Thu Jul 09 2026 16:30:30 GMT+0300 (Eastern European Summer Time)", want: "2026-07-09T13:30:30Z z"},
		{text: "9/18/2025 - 14:59:56", want: "2025-09-18T12:59:56Z", order: parse.MonthFirst},
		{text: "Jan. 28, 2022, 12:13 AM", want: "2022-01-27T23:13:00Z"},
		{text: "10 Mar 2021 10:40:20", want: "2021-03-10T09:40:20Z"},
		{text: "Feb 12, 2026", want: "2026-02-11T23:00:00Z d"},
		{text: "Feb 12 2026", want: "2026-02-11T23:00:00Z d"},
		{text: "16-Sep-25", want: "2025-09-15T22:00:00Z d"},
		{text: "17-Jan-2025", want: "2025-01-16T23:00:00Z d"},
		{text: "02-Apr-2025", want: "2025-04-01T22:00:00Z d"},
		{text: "February 23, 202607:11 PM", want: "2026-02-23T18:11:00Z"},
		{text: "February 23, 20267:11 PM", want: "2026-02-23T18:11:00Z"},
		{text: "45678.40625", want: "2025-01-21T08:45:00Z"},
		{text: "45678,40625", want: "2025-01-21T08:45:00Z"},
		{text: "45678.396539351852", want: "2025-01-21T08:31:01Z"},
		{text: "45678.39653935185", want: "2025-01-21T08:31:01Z"},
		{text: "45678.99999999999", want: "2025-01-21T23:00:00Z d"},
		{text: "45678", want: "2025-01-20T23:00:00Z d"},
		{text: "45678.0", want: "2025-01-20T23:00:00Z d"},
		{text: "2025 December 20, 22:09", want: "2025-12-20T21:09:00Z"},
		{text: "'2026-01-05 10:23:00", want: "2026-01-05T09:23:00Z"},
		{text: `="2026-01-05 10:23:00"`, want: "2026-01-05T09:23:00Z"},
		{text: "\ufeff 2026-01-05\u00a010:23:00 ", want: "2026-01-05T09:23:00Z"},
		{text: "2025-03-03 12:00:00 AM", want: "2025-03-02T23:00:00Z"},
		{text: "2025-03-03 12:00:00 PM", want: "2025-03-03T11:00:00Z"},
		{text: "2025-03-03 14:30 PM", want: "2025-03-03T13:30:00Z"},
		{text: "2025-03-03 0:30 AM", want: "2025-03-02T23:30:00Z"},
		{text: "05-01-2026 10:30 a.m.", want: "2026-01-05T09:30:00Z", order: parse.DayFirst},
		{text: "5/1/2026 10:30 p. m.", want: "2026-01-05T21:30:00Z", order: parse.DayFirst},
		{text: "2026-01-05 09:30:00,123", want: "2026-01-05T08:30:00.123Z"},
		{text: "2026-01-05 at 09:30", want: "2026-01-05T08:30:00Z"},
		{text: "Monday, January 5th, 2026 9:30 AM", want: "2026-01-05T08:30:00Z"},
		{text: "2026-01-05 Mon 09:30", want: "2026-01-05T08:30:00Z"},
		{text: "2026-01-05 (Mon)", want: "2026-01-04T23:00:00Z d"},
		{text: "28th October 2022 10:00", want: "2022-10-28T08:00:00Z"},
		{text: "5. März 2026 10:00", want: "2026-03-05T09:00:00Z"},
		{text: "5 de enero de 2026 10:00", want: "2026-01-05T09:00:00Z"},
		{text: "12 août 2026 10:00", want: "2026-08-12T08:00:00Z"},
		{text: "2026-01-05 09:30:00 America/New_York", want: "2026-01-05T14:30:00Z z"},
		{text: "2026-01-05 09:30:00 JST", want: "2026-01-05T00:30:00Z z"},
		{text: "2026-01-05 09:30:00 IST", want: "2026-01-05T04:00:00Z z"},
		{text: "2026-07-05 09:30:00 CET", want: "2026-07-05T07:30:00Z z"},
		{text: "2026-07-05 09:30:00 CST", want: "2026-07-05T14:30:00Z z"},
		{text: "2026-07-05 09:30:00 MST", want: "2026-07-05T16:30:00Z z"},
		{text: "1/1/70 12:00", want: "1970-01-01T11:00:00Z"},
		{text: "1/1/69 12:00", want: "2069-01-01T11:00:00Z"},
		{text: "1/1/99 12:00", want: "1999-01-01T11:00:00Z"},
		{text: "2026-Jan-05 10:00", want: "2026-01-05T09:00:00Z"},
		{text: "2026-01-05\u200b 10:00", want: "2026-01-05T09:00:00Z"},
		{text: "29.02.2024", want: "2024-02-28T23:00:00Z d"},
		{text: "1700000000000", want: "2023-11-14T22:13:20Z z"},
		{text: "1700000000", want: "2023-11-14T22:13:20Z z"},
		{text: "1700000000.25", want: "2023-11-14T22:13:20.25Z z"},
		{text: "1700000000123456", want: "2023-11-14T22:13:20.123456Z z"},
		{text: "1700000000123456789", want: "2023-11-14T22:13:20.123456Z z"},
		{text: "14:35 2024-11-16", want: "2024-11-16T13:35:00Z"},
		{text: "14:35:07 2024-11-16", want: "2024-11-16T13:35:07Z"},
		{text: "14:35 16/11/2024", want: "2024-11-16T13:35:00Z", order: parse.DayFirst},
		{text: "02:35 PM, 16 Nov 2024", want: "2024-11-16T13:35:00Z"},
		{text: "14:35 11/16/2024 EST", want: "2024-11-16T19:35:00Z z", order: parse.MonthFirst},
	} {
		got, err := clockIn(t, "Europe/Berlin", c.order).Moment(c.text)
		if err != nil || describe(got) != c.want {
			t.Errorf("%q (%s) is %s, %v, want %s", c.text, c.order, describe(got), err, c.want)
		}
	}
}

func TestMomentRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "-", "today", "N/A", "09:30", "09:30:00", "January", "2026", "2026-01", "01/2026", "5/1", "Jan 2026", "176986980", "17698698001", "0769869800", "1.7698698E+12", "12345", "19999", "80001",
		"90000.5", "45678.", "2026-02-29", "29.02.2026", "2100-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32", "31/04/2026", "32/01/2026",
		"13/13/2026", "20261301", "20260230", "0/1/2026", "30 Feb 2026", "Foo 12, 2026", "12 Foo 2026", "2026-01/05", "05/01-2026", "5/1/026", "5/1/12026",
		"2026-01-05 24:00", "2026-01-05 23:60", "2026-01-05 23:59:60", "2026-01-05 9", "2026-01-05 9:3", "2026-01-05 9:30:5", "2026-01-05 09:30:00 XYZ",
		"2026-01-05 09:30:00 foo bar", "2026-01-05 13:00 AM", "2026-01-05 00:30 PM", "2026-01-05 09:30 +25:00", "2026-01-05 09:30 (", "2026-01-05 09:30 ()",
		"2026-01-05 -04:00", "2026-01-05-04:00", "2026-01-05 T", "2026-01-05 09:30 (ET", "1969-12-31", "2200-01-01 02:00", "12/31/1969 10:00", "0001-01-01",
		"1970-01-01 00:30", "2199-12-31 23:30 -01:00", "04/27/2023 as of 04/25/2023", "2026-01-05 09:30:00 2026-01-05", "２０２６-01-05", "2026-1-5x",
		"202601051", "2026010509", "2026-01-05 0930", "2026-01-0509:30:00", strings.Repeat("2", 500), "Thu", "Thu,", "Jan5 2026", "Jan 123 2026", "Jan 5th2026", "Jan 5, 20261", "Jan 5, 202612", "Jan 5, 026", "2026-Foo-05", "2026-01-", "2026-Jan05", "T09:30", "2026 01 05",
	} {
		clock := clockIn(t, "Europe/Berlin", parse.DayFirst)
		if got, err := clock.Moment(text); err == nil {
			t.Errorf("%q is %s", text, describe(got))
		} else if got != (parse.Moment{}) {
			t.Errorf("%q returned both %s and the error %v", text, describe(got), err)
		}
	}
}

func TestMomentRefusalsCanBeShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, text, want string }{
		{"UTC", "soon", `"soon" is not a date that can be read`},
		{"UTC", "03/04/2026", `"03/04/2026" can be read with the day or the month first`},
		{"UTC", "2026-02-30", `"2026-02-30" is not a day of the calendar`},
		{"UTC", "2026-01-05 10:00 QQQ", `"QQQ" is not a time zone`},
		{"UTC", "2300-01-05", `the date must lie between the years 1970 and 2199`},
		{"America/New_York", "2026-03-08 02:30:00", "2026-03-08 02:30:00 does not exist in America/New_York: the clocks were put forward over it"},
		{"UTC", "2026-03-08 02:30:00 ET", "2026-03-08 02:30:00 does not exist in America/New_York: the clocks were put forward over it"},
		{"America/New_York+7", "2026-03-08 09:30:00", "2026-03-08 09:30:00 does not exist in America/New_York+7: the clocks were put forward over it"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30 does not exist in Pacific/Apia"},
	} {
		_, err := clockIn(t, c.zone, parse.DateOrderUnknown).Moment(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q in %s: %v, want %s", c.text, c.zone, err, c.want)
		}
	}
}

// A column's settled order is not given up for a row contradicting it.
func TestSettledOrderIsKept(t *testing.T) {
	t.Parallel()
	for text, order := range map[string]parse.DateOrder{"27/04/2026": parse.MonthFirst, "04/27/2026": parse.DayFirst} {
		if got, err := clockIn(t, "UTC", order).Moment(text); err == nil {
			t.Errorf("%s read with %s is %s", text, order, describe(got))
		}
	}
}

func TestDateAndTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ date, tod, want string }{
		{"4/26/22", "09:29:16", "2022-04-26T13:29:16Z"},
		{"2026-01-05", "", "2026-01-05T05:00:00Z d"},
		{"2026-01-05", "--", "2026-01-05T05:00:00Z d"},
		{"2026-01-05", "12:31:42 EST", "2026-01-05T17:31:42Z z"},
		{"2026/06/25", "04:47:39,GMT-04", "2026-06-25T08:47:39Z z"},
		{"07/02/2026", "07:03:10 PM ET", "2026-07-02T23:03:10Z z"},
		{"4/30/26", "7:35:46", "2026-04-30T11:35:46Z"},
		{"28 Oct 22", "12:45", "2022-10-28T16:45:00Z"},
		{"Feb 12, 2026", "09:35:00", "2026-02-12T14:35:00Z"},
		{"20260710", "093122", "2026-07-10T13:31:22Z"},
		{"20260710", "93122", "2026-07-10T13:31:22Z"},
		{"2026-01-05 00:00:00", "09:30", "2026-01-05T14:30:00Z"},
		{"2026-01-05 09:30:00", "09:30", "2026-01-05T14:30:00Z"},
		{"05/08/2025 00:00:00 -05:00", "09:30", "2025-05-08T13:30:00Z"},
		{"2026-01-05 09:30:00", "", "2026-01-05T14:30:00Z"},
		{"45678", "0.40625", "2025-01-21T14:45:00Z"},
		{"45678", ",40625", "2025-01-21T14:45:00Z"},
		{"2024-04-01", "2024-04-01T09:57:47", "2024-04-01T13:57:47Z"},
		{"2024-04-02", "2024-04-01T19:57:47Z", "2024-04-01T19:57:47Z z"},
	} {
		got, err := clockIn(t, "America/New_York", parse.MonthFirst).DateAndTime(c.date, c.tod)
		if err != nil || describe(got) != c.want {
			t.Errorf("%q, %q is %s, %v, want %s", c.date, c.tod, describe(got), err, c.want)
		}
	}
	for _, c := range [][2]string{
		{"", "09:30"},
		{"09:30", "2026-01-05"},
		{"2026-01-05", "noon"},
		{"2026-01-05", "25:00"},
		{"2026-01-05", "2026-01-05"},
		{"2026-01-05", "1.5"},
		{"2026-01-05", "0.99999999999"},
		{"2026-01-05 10:00", "09:30"},
		{"2026-02-30", "09:30"},
		{"2026-03-08", "02:30"},
		{"2026-01-05", "09:30 QQQ"},
		{"2026-01-05", "0930"},
	} {
		if got, err := clockIn(t, "America/New_York", parse.MonthFirst).DateAndTime(c[0], c[1]); err == nil {
			t.Errorf("%q, %q is %s", c[0], c[1], describe(got))
		}
	}
}

func TestClockDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]journal.Day{
		"17 JUL 26": "2026-07-17", "9/20/24": "2024-09-20", "2026-07-17": "2026-07-17", "07/17/26": "2026-07-17", "20260717": "2026-07-17",
		"Oct 28 2026": "2026-10-28", "16-Sep-25": "2025-09-16", "20MAR26": "2026-03-20", "27JUN25": "2025-06-27", "JUL 10 26": "2026-07-10",
		"9/17/2026 7:00:00 PM": "2026-09-17", "09/30/2022 00:00:00 EDT": "2022-09-30", "46000": "2025-12-09", "1/20/2199": "2199-01-20",
		"28-10-2026": "", "1969-12-31": "", "2200-01-01": "", "soon": "", "JUN26": "", "": "",
	} {
		got, err := clockIn(t, "Asia/Tokyo", parse.MonthFirst).Day(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
}

// Times the clocks showed twice follow the file, in either direction.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		zone, rows, want string // want has the instants in UTC
	}{
		"the first of a file":       {"America/New_York", "01:30", "05:30"},
		"upwards through both":      {"America/New_York", "00:50 01:10 01:50 01:10 01:50 02:10", "04:50 05:10 05:50 06:10 06:50 07:10"},
		"equal times stay together": {"America/New_York", "01:10 01:10 01:50 01:50 01:10 01:10", "05:10 05:10 05:50 05:50 06:10 06:10"},
		"upwards, once":             {"America/New_York", "00:10 00:50 01:30 02:10", "04:10 04:50 05:30 07:10"},
		"downwards through both":    {"America/New_York", "02:50 02:10 01:50 01:10 01:50 01:10 00:50", "07:50 07:10 06:50 06:10 05:50 05:10 04:50"},
		"downwards from one row":    {"America/New_York", "02:10 01:30 01:50", "07:10 06:30 05:50"},
		"labels decide":             {"America/New_York", "01:30_EST 01:30_EDT 01:30_EST", "06:30 05:30 06:30"},
		"a moved zone":              {"America/New_York+7", "07:50 08:10 08:50 08:10 09:10", "04:50 05:10 05:50 06:10 07:10"},
	} {
		clock := clockIn(t, c.zone, parse.DateOrderUnknown)
		var got []string
		for row := range strings.FieldsSeq(c.rows) {
			m, err := clock.Moment("2026-11-01 " + strings.ReplaceAll(row, "_", " "))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, m.At.Format("15:04"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestMidnightThatDoesNotExist(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, day, want string }{
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z d"}, // the clocks went from 0 to 1
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z d"},    // and from 1 to 0
		{"America/New_York", "2026-03-08", "2026-03-08T05:00:00Z d"},
		{"America/New_York+7", "2026-03-08", "2026-03-07T22:00:00Z d"},
		{"America/New_York+7", "2026-03-09", "2026-03-08T21:00:00Z d"},
	} {
		got, err := clockIn(t, c.zone, parse.DateOrderUnknown).Moment(c.day)
		if err != nil || describe(got) != c.want {
			t.Errorf("%s in %s is %s, %v, want %s", c.day, c.zone, describe(got), err, c.want)
		}
	}
}

// momentForms are layouts complete to the second.
var momentForms = []struct {
	layout string
	order  parse.DateOrder
}{
	{"2006-01-02 15:04:05", ""},
	{"2006-01-02T15:04:05", ""},
	{"2006.01.02 15:04:05", ""},
	{"2006/1/2 15:04:05", ""},
	{"20060102;150405", ""},
	{"20060102 150405", ""},
	{"20060102150405", ""},
	{"2006-01-02, 15:04:05", ""},
	{"01/02/2006 15:04:05", parse.MonthFirst},
	{"1/2/2006 3:04:05 PM", parse.MonthFirst},
	{"02/01/2006 15:04:05", parse.DayFirst},
	{"2/1/2006 3:04:05 pm", parse.DayFirst},
	{"02-01-2006 15:04:05", parse.DayFirst},
	{"02.01.2006 15:04:05", ""},
	{"02 Jan 2006 15:04:05", ""},
	{"2-January-2006 15:04:05", ""},
	{"Jan 2, 2006 15:04:05", ""},
	{"January 2, 200603:04:05 PM", ""},
	{"Mon Jan 02 2006 15:04:05", ""},
	{"1/2/2006 - 15:04:05", parse.MonthFirst},
	{"Monday, 2 January 2006, 3:04:05 PM", ""},
	{"2006 January 2, 15:04:05", ""},
}

// Moments written in any form are read back, with the clock's zone or the one in the
// text.
func TestWrittenMomentsComeBack(t *testing.T) {
	t.Parallel()
	first, last := time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2199, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	zones := []string{"UTC", "Asia/Tokyo", "UTC-03:30", "Asia/Kolkata"}
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(first, last).Draw(t, "unix"), 0).UTC()
		form := rapid.SampledFrom(momentForms).Draw(t, "form")
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		offset := rapid.SampledFrom([]string{"", " -0700", " -07:00", " GMT-0700", " (GMT-07:00)", ",GMT-07"}).Draw(t, "offset")
		location := map[string]*time.Location{
			"UTC": time.UTC, "Asia/Tokyo": time.FixedZone("", 9*3600), "UTC-03:30": time.FixedZone("", -12600), "Asia/Kolkata": time.FixedZone("", 19800),
		}[zone]
		if offset != "" {
			location = time.FixedZone("", -7*3600)
		}
		text := at.In(location).Format(form.layout) + offset
		z, err := parse.LoadZone(zone)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parse.NewClock(z, form.order).Moment(text)
		if err != nil || !m.At.Equal(at) || (m.Zone != "") != (offset != "") || m.DateOnly {
			t.Fatalf("%q in %s is %s, %v, want %v", text, zone, describe(m), err, at)
		}
	})
}

// A wall time shown in a zone is read as an instant showing it, for any zone and any
// moment in a column running one way.
func TestReadingIsTheInverseOfShowing(t *testing.T) {
	t.Parallel()
	names := []string{"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Tehran", "Pacific/Apia"}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "zone")
		location, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := parse.LoadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		clock := parse.NewClock(z, parse.DateOrderUnknown)
		at := time.Date(rapid.IntRange(1990, 2050).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)
		for range 30 {
			at = at.Add(time.Duration(rapid.IntRange(1, 20_000).Draw(t, "minutes")) * time.Minute)
			text := at.In(location).Format(time.DateTime)
			m, err := clock.Moment(text)
			if err != nil || m.At.In(location).Format(time.DateTime) != text {
				t.Fatalf("%s in %s is %v, %v", text, name, m.At, err)
			}
		}
	})
}

// A column running through a clock change steadily, in steps shorter than the doubled
// hour, is read back exactly, up or down.
func TestSteadyColumnsComeBackThroughAnOverlap(t *testing.T) {
	t.Parallel()
	location, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		change := time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)
		step := time.Duration(rapid.IntRange(1, 29).Draw(t, "minutes")) * time.Minute
		at, end := change.Add(-3*time.Hour), change.Add(3*time.Hour)
		if rapid.Bool().Draw(t, "down") {
			at, end, step = end, at, -step
		}
		z, err := parse.LoadZone("America/New_York")
		if err != nil {
			t.Fatal(err)
		}
		clock := parse.NewClock(z, parse.DateOrderUnknown)
		for ; at.Before(end) == (step > 0); at = at.Add(step) {
			m, err := clock.Moment(at.In(location).Format(time.DateTime))
			if err != nil || !m.At.Equal(at) {
				t.Fatalf("%v came back as %v, %v", at, m.At, err)
			}
		}
	})
}

func FuzzMoment(f *testing.F) {
	for _, form := range momentForms {
		f.Add(form.layout, "09:30 PM EST")
	}
	for _, seed := range []string{"45678.40625", "February 23, 202607:11 PM", "2026/07/20 08:03:06,GMT-04", "5 de enero de 2026", "Thu Jul 09 2026 16:30:30 GMT+0300 (x)"} {
		f.Add(seed, ".40625")
	}
	f.Fuzz(func(t *testing.T, text, tod string) {
		for _, order := range []parse.DateOrder{parse.DateOrderUnknown, parse.DayFirst, parse.MonthFirst, parse.DateOrderAmbiguous} {
			for _, zone := range []string{"America/New_York", "America/New_York+7", "UTC+14"} {
				clock := clockIn(t, zone, order)
				m, err := clock.Moment(text)
				expectBounded(t, text, m, err)
				m, err = clock.DateAndTime(text, tod)
				expectBounded(t, text+" and "+tod, m, err)
				if day, err := clock.Day(text); err == nil {
					if _, err := journal.ParseDay("day", string(day)); err != nil {
						t.Fatalf("%q is %q: %v", text, day, err)
					}
				}
			}
		}
	})
}

// expectBounded checks for an instant the journal keeps, or none at all.
func expectBounded(t *testing.T, text string, m parse.Moment, err error) {
	t.Helper()
	switch {
	case err != nil && m != (parse.Moment{}):
		t.Fatalf("%q is %s along with %v", text, describe(m), err)
	case err != nil:
	case m.At.Year() < 1970 || m.At.Year() > 2199 || m.At.Location() != time.UTC || m.At.Nanosecond()%1000 != 0:
		t.Fatalf("%q is %v", text, m.At)
	}
}
