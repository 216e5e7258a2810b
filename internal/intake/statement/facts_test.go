package statement_test

import (
	"strings"
	"testing"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// TestFacts checks what a file tells about a fill beside its values.
func TestFacts(t *testing.T) {
	t.Parallel()
	const plain = "Symbol,Side,Quantity,Price,"
	for name, c := range map[string]struct {
		header, row, zone string
		mapping           map[statement.Target]string
		want              string
	}{
		"no costs":             {header: "Time", row: "2026-01-05T15:00:00Z", want: ""},
		"costs":                {header: "Time,Commission,Fees", row: "2026-01-05T15:00:00Z,1,2", want: "fees commission"},
		"costs of 0":           {header: "Time,Commission,Fees", row: "2026-01-05T15:00:00Z,0.00,0", want: "fees commission"},
		"empty costs":          {header: "Time,Commission,Fees", row: "2026-01-05T15:00:00Z,,-", want: ""},
		"one of two":           {header: "Time,Commission", row: "2026-01-05T15:00:00Z,0", want: "commission"},
		"by mapping":           {header: "Time,Stuff", row: "2026-01-05T15:00:00Z,0", mapping: map[statement.Target]string{"commission": "Stuff"}, want: "commission"},
		"a constant":           {header: "Time", row: "2026-01-05T15:00:00Z", mapping: map[statement.Target]string{"fees": "=0"}, want: "fees"},
		"minutes":              {header: "Time", row: "2026-01-05 15:00", zone: "America/New_York", want: "minute"},
		"minutes of the day":   {header: "Date,Time", row: "2026-01-05,3:00 PM", zone: "America/New_York", want: "minute"},
		"a day":                {header: "Date", row: "2026-01-05", zone: "America/New_York", want: "day"},
		"seconds":              {header: "Time", row: "2026-01-05 15:00:00", zone: "America/New_York", want: ""},
		"a fraction of 0":      {header: "Time", row: "2026-01-05T15:00:00.000Z", want: "fraction"},
		"a fraction":           {header: "Time", row: "2026-01-05T15:00:00.250Z", want: ""},
		"a fraction in parts":  {header: "Date,Time", row: "2026-01-05,3:00:00.0 PM", zone: "America/New_York", want: "fraction"},
		"milliseconds":         {header: "Time", row: "1767625200000", want: "fraction"},
		"seconds since 1970":   {header: "Time", row: "1767625200", want: ""},
		"unknown zone":         {header: "Time", row: "2026-01-05 15:00:00", want: "zone"},
		"zone in the header":   {header: "Time (UTC)", row: "2026-01-05 15:00:00", want: ""},
		"zone beside the time": {header: "Time", row: "2026-01-05 15:00:00 EST", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := tabular.Read([]byte(plain+c.header+"\nAAPL,buy,1,10,"+c.row+"\n"), tabular.Default())
			if err != nil {
				t.Fatal(err)
			}
			found, _ := statement.Locate(file)
			found.Preset = statement.Generic(file.Tables[0].Rows[0].Cells, file.Tables[0].Rows[1:], c.mapping)
			s, err := statement.Read(file, found, statement.Hints{Zone: c.zone, Mapping: c.mapping, Currency: "USD"})
			if err != nil || len(s.Fills) != 1 {
				t.Fatalf("%v %+v", err, s)
			}
			if got := factWords(s.Fills[0]); got != c.want {
				t.Errorf("facts %q, want %q", got, c.want)
			}
		})
	}
}

func factWords(f *statement.Fill) string {
	var words []string
	for _, fact := range []struct {
		is   bool
		word string
	}{
		{f.FeesKnown, "fees"},
		{f.CommissionKnown, "commission"},
		{f.NoSeconds, "minute"},
		{f.NoTime, "day"},
		{f.ZeroFraction, "fraction"},
		{f.ZoneAssumed, "zone"},
	} {
		if fact.is {
			words = append(words, fact.word)
		}
	}
	return strings.Join(words, " ")
}
