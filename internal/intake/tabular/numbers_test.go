package tabular

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPlainNumber(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"0":                             "0",
		"489.210":                       "489.210", // as it was written
		"-0.5":                          "-0.5",
		"0.88683999999999996":           "0.88684",
		"-0.88683999999999996":          "-0.88684",
		"1.1000000000000001":            "1.1",
		"0.1":                           "0.1",
		"0.30000000000000004":           "0.3",
		"0.99999999999999989":           "1",
		"123456789.12345679":            "123456789.123457",
		"0.000012345678901234567":       "0.0000123456789012346",
		"1234567890123456.7":            "1234567890123457",
		"12345678901234567":             "12345678901234567", // an id
		"1.0000000000000001E-5":         "0.00001",
		"1E3":                           "1000",
		"1.5e+3":                        "1500",
		"1.5544400000000E+13":           "15544400000000",
		"1e1000000000":                  "1e1000000000", // beyond all bounds
		"1E-400":                        "1E-400",
		"0." + strings.Repeat("3", 500): "0." + strings.Repeat("3", 500),
		"1.2.3":                         "1.2.3",
		".5":                            ".5",
		"NaN":                           "NaN",
		"e":                             "e",
		"-":                             "-",
	} {
		if got := plainNumber(text); got != want {
			t.Errorf("%.40q is read as %.40q, want %.40q", text, got, want)
		}
	}
}

// A number shown in full by a spreadsheet is not changed by storage noise.
func TestPlainNumberNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.StringMatching(`[1-9][0-9]{0,6}`).Draw(t, "whole")
		fraction := rapid.StringMatching(`[0-9]{0,6}[1-9]`).Draw(t, "fraction")
		number := whole + "." + fraction
		noise := number + strings.Repeat("0", 16-len(whole)-len(fraction)) + rapid.StringMatching(`[0-4][0-9]{0,3}`).Draw(t, "noise")
		if got := plainNumber(noise); got != number {
			t.Fatalf("%s is read as %s, want %s", noise, got, number)
		}
	})
}

func TestLookOf(t *testing.T) {
	for code, want := range map[string]look{
		"General":                 showsNumber,
		"0.00":                    showsNumber,
		"#,##0.00;[Red]-#,##0.00": showsNumber,
		`0.00" days"`:             showsNumber,
		`0\d`:                     showsNumber,
		"_-* #,##0.00_s":          showsNumber,
		`[$-409]0.00`:             showsNumber,
		`[Magenta]0`:              showsNumber,
		"0;dd":                    showsNumber,
		"@":                       showsNumber,
		`"unclosed yy`:            showsNumber,
		`[unclosed yy`:            showsNumber,
		`0\`:                      showsNumber,
		"yyyy-mm-dd":              showsDate,
		"MMM":                     showsDate,
		`[$-F800]dddd\,\ mmmm`:    showsDate,
		`d"日"`:                    showsDate,
		"dd/mm/yyyy hh:mm":        showsDate | showsTime,
		"mm:ss":                   showsTime,
		"h:mm AM/PM":              showsTime,
		"[h]:mm:ss":               showsElapsed | showsTime,
		"[mm]":                    showsElapsed,
		"yyyy/m/d h:mm:ss.000;@":  showsDate | showsTime,
	} {
		if got := parseFormat(code); got != want {
			t.Errorf("%q shows %b, want %b", code, got, want)
		}
	}
	for id, want := range map[string]look{
		"0": showsNumber, "13": showsNumber, "14": showsDate, "17": showsDate, "18": showsTime, "21": showsTime, "22": showsDate | showsTime,
		"23": showsNumber, "45": showsTime, "46": showsElapsed, "47": showsTime, "48": showsNumber, "31": showsDate, "": showsNumber, "x": showsNumber,
	} {
		if got := findBuiltinFormat(id); got != want {
			t.Errorf("format %s shows %b, want %b", id, got, want)
		}
	}
}

func TestShow(t *testing.T) {
	const both = showsDate | showsTime
	for _, test := range []struct {
		shown     look
		number    string
		epoch1904 bool
		want      string // empty for a plain number
	}{
		{showsDate, "1", false, "1900-01-01"},
		{showsDate, "59", false, "1900-02-28"},
		{showsDate, "60", false, "1900-03-01"}, // there was no 29 February
		{showsDate, "61", false, "1900-03-01"},
		{showsDate, "45296", false, "2024-01-05"},
		{showsDate, "43834", true, "2024-01-05"},
		{showsDate, "0", true, "1904-01-01"},
		{showsDate, "2958465", false, "9999-12-31"},
		{showsDate, "2958466", false, ""},
		{showsDate, "0", false, ""},
		{showsDate, "-1", false, ""},
		{showsDate, "x", false, ""},
		{showsDate, "", false, ""},
		{showsDate, "1e1000000000", false, ""},
		{showsNumber, "45296", false, ""},
		{showsDate, "45296.5", false, "2024-01-05 12:00:00"},
		{both, "45296.5", false, "2024-01-05 12:00:00"},
		{both, "45296", false, "2024-01-05 00:00:00"},
		{both, "45296.3961231481", false, "2024-01-05 09:30:25.040"},
		{both, "45296.9999999999", false, "2024-01-06 00:00:00"},
		{both, "0.25", false, "06:00:00"},
		{showsTime, "0.25", false, "06:00:00"},
		{showsTime, "0.25", true, "06:00:00"},
		{showsTime, "45296.25", false, "2024-01-05 06:00:00"},
		{showsElapsed, "1.5", false, "36:00:00"},
		{showsElapsed | showsTime, "0.0000115740740740741", false, "00:00:01"},
	} {
		got, ok := test.shown.show(test.number, test.epoch1904)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s shown as %b is %q, want %q", test.number, test.shown, got, test.want)
		}
	}
}
