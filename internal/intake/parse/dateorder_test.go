package parse_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"fillbook/internal/intake/parse"

	"pgregory.net/rapid"
)

func TestSettleDateOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values string
		want   parse.DateOrder
	}{
		"nothing":                        {"", parse.DateOrderUnknown},
		"ISO":                            {"2026-01-05|2026-05-01", parse.DateOrderUnknown},
		"year first":                     {"2026/01/05 10:00|2026.05.01", parse.DateOrderUnknown},
		"names of months":                {"05 Jan 2026|16-Sep-25|Feb 12, 2026", parse.DateOrderUnknown},
		"compact":                        {"20260105|20260105;093000", parse.DateOrderUnknown},
		"serials and text":               {"45678.5|foo|1/2|10:30", parse.DateOrderUnknown},
		"a day and a month of one value": {"05/05/2026|06/06/2026", parse.DateOrderUnknown},
		"a day above 12 comes first":     {"01/02/2026|27/04/2026", parse.DayFirst},
		"a day above 12 comes second":    {"01/02/2026|04/27/2026", parse.MonthFirst},
		"two digits for the year":        {"1/2/26|9/20/24", parse.MonthFirst},
		"with times":                     {"1/2/26 10:00|7/28/2026 10:17:59 AM", parse.MonthFirst},
		"with a weekday":                 {"Tue 28/07/2026", parse.DayFirst},
		"glued commas":                   {"4/26/22,09:29:16", parse.MonthFirst},
		"dashes":                         {"01-04-2026 00:27:56|13-04-2026", parse.DayFirst},
		"proofs of both":                 {"27/04/2026|04/27/2026", parse.DateOrderAmbiguous},
		"no day of the calendar":         {"45/99/2026|31/02/2026|02/31/2026|29/02/2026", parse.DateOrderUnknown},
		"points":                         {"01.02.2026|03.04.2026", parse.DayFirst},
		"points with the month first":    {"01.02.2026|04.27.2026", parse.MonthFirst},
		"only days run upwards":          {"01/05/2026|03/05/2026|02/06/2026", parse.DayFirst},
		"only days run downwards":        {"02/06/2026|03/05/2026|01/05/2026", parse.DayFirst},
		"only months run upwards":        {"05/01/2026|05/03/2026|06/02/2026", parse.MonthFirst},
		"over the end of a year":         {"12/01/2025|01/02/2026|02/01/2026", parse.MonthFirst},
		"both run":                       {"01/02/2026|02/03/2026", parse.DateOrderAmbiguous},
		"neither runs":                   {"01/05/2026|03/02/2026|02/06/2026|01/01/2026", parse.DateOrderAmbiguous},
		"one value":                      {"03/04/2026", parse.DateOrderAmbiguous},
		"a value many times":             {"03/04/2026|03/04/2026", parse.DateOrderAmbiguous},
		"blanks between":                 {"--||n/a|03/04/2026|27/04/2026|", parse.DayFirst},
		"too long for a date":            {strings.Repeat(" ", 200) + "27/04/2026", parse.DateOrderUnknown},
		"points and slashes":             {"01.02.2026|03/04/2026", parse.DateOrderAmbiguous},
	} {
		if got := parse.SettleDateOrder(strings.SplitSeq(c.values, "|")); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A settled order never contradicts a part above 12, and with it every date in the column
// is read.
func TestSettledOrderHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dayFirst := rapid.Bool().Draw(t, "day first")
		parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{rapid.IntRange(1, 28).Draw(t, "day"), rapid.IntRange(1, 12).Draw(t, "month")}
		}), 1, 20).Draw(t, "dates")
		values := make([]string, len(parts))
		proof := false
		for i, p := range parts {
			if !dayFirst {
				p[0], p[1] = p[1], p[0]
			}
			values[i] = strconv.Itoa(p[0]) + "/" + strconv.Itoa(p[1]) + "/2026"
			proof = proof || max(p[0], p[1]) > 12
		}
		want, not := parse.MonthFirst, parse.DayFirst
		if dayFirst {
			want, not = not, want
		}
		got := parse.SettleDateOrder(slices.Values(values))
		if proof && got != want || proof && got == not {
			t.Fatalf("%v settles on %q, want %q", values, got, want)
		}
		z, err := parse.LoadZone("UTC")
		if err != nil {
			t.Fatal(err)
		}
		if got != parse.DateOrderAmbiguous {
			for _, v := range values {
				if _, err := parse.NewClock(z, got).Moment(v); err != nil {
					t.Fatalf("%v settles on %q: %v", values, got, err)
				}
			}
		}
	})
}

// A column's order does not depend on which way it runs.
func TestSettlingIgnoresDirection(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[0-3]?[1-9]/[0-3]?[1-9]/20(25|26)`), 0, 8).Draw(t, "values")
		back := slices.Clone(values)
		slices.Reverse(back)
		if a, b := parse.SettleDateOrder(slices.Values(values)), parse.SettleDateOrder(slices.Values(back)); a != b {
			t.Fatalf("%v: %q, and backwards %q", values, a, b)
		}
	})
}

// FuzzSettle checks columns: the result is one of the answers, and does not refuse a
// value the proof came from.
func FuzzSettle(f *testing.F) {
	f.Add("12,345|1.234,50|0,5|x")
	f.Add("01/02/2026|27/04/2026 10:00|Tue 1/2/26")
	f.Add("01.02.2026|04/27/2026")
	f.Fuzz(func(t *testing.T, column string) {
		values := strings.Split(column, "|")
		switch sep := parse.SettleSeparator(slices.Values(values)); sep {
		case parse.Unsettled:
		case parse.Point, parse.Comma:
			readable := func(v string) bool {
				_, err := parse.Number(v, sep)
				return err == nil || strings.Contains(err.Error(), "cannot be kept")
			}
			if !slices.ContainsFunc(values, readable) {
				t.Fatalf("%q settles on %d and no value can be read with it", values, sep)
			}
		default:
			t.Fatalf("%q settles on %d", values, sep)
		}
		switch order := parse.SettleDateOrder(slices.Values(values)); order {
		case parse.DateOrderUnknown, parse.DateOrderAmbiguous, parse.DayFirst, parse.MonthFirst:
		default:
			t.Fatalf("%q settles on %q", values, order)
		}
		for _, v := range values {
			if side, _, ok := parse.SideWord(v); ok != (side != "") {
				t.Fatalf("%q is the side %q, %v", v, side, ok)
			}
			if name, ok := parse.ZoneInHeader(v); ok {
				if _, err := parse.LoadZone(name); err != nil {
					t.Fatalf("%q: %v", v, err)
				}
			}
		}
	})
}
