package rates_test

import (
	"os"
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/rates"
)

// TestPageExamples runs the rate examples in docs/metrics.md.
func TestPageExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "```rates\n")[1:]
	if len(examples) == 0 {
		t.Fatal("the page has no example")
	}
	for _, rest := range examples {
		text, _, _ := strings.Cut(rest, "```")
		var lines, conversions []string
		for line := range strings.Lines(text) {
			if rest, isRate := strings.CutPrefix(line, "rate "); isRate {
				words := strings.Fields(rest)
				lines = append(lines, words[1]+" "+words[0]+" "+words[2]+" file")
			} else {
				conversions = append(conversions, line)
			}
		}
		table, checked := newSource(lines...).table(), len(conversions)
		for _, line := range conversions {
			checkExample(t, table, strings.Fields(line))
		}
		if checked < 2 {
			t.Errorf("%d conversions were compared", checked)
		}
	}
}

// checkExample compares a line such as "2026-03-09 10 USD 8 EUR 2026-03-09", which ends
// with the rate's day, or "missing".
func checkExample(t *testing.T, table *rates.Table, words []string) {
	t.Helper()
	line := strings.Join(words, " ")
	if len(words) != 6 {
		t.Fatalf("%s has %d words", line, len(words))
	}
	rate, found := table.Find(words[2], words[4], journal.Day(words[0]))
	got := strings.Join(words[:3], " ") + " - " + words[4] + " missing"
	if found {
		got = strings.Join(words[:3], " ") + " " + rate.Convert(decimal.Must(words[1])).String() + " " + words[4] + " " + string(rate.Day)
	}
	if got != line {
		t.Errorf("it is %s, not %s", got, line)
	}
}
