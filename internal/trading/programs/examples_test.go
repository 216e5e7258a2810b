package programs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/trading/programs"
)

// TestPageExamples runs the examples of programs in docs/metrics.md:
//
//	program RESET ZONE            of 100,000, begun on 2026-03-02
//	rule JSON
//	close INSTANT NET             a trade of one contract, opened a minute before
//	payout INSTANT GROSS
//	FIGURE = TEXT                 state, balance, floor, breach, left, KIND.met, days.N.floor, days.N.net
func TestPageExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "```program\n")[1:]
	if len(examples) < 4 {
		t.Fatalf("the page has %d examples", len(examples))
	}
	for _, rest := range examples {
		text, _, _ := strings.Cut(rest, "```")
		name, lines, _ := strings.Cut(text, "\n")
		t.Run(strings.TrimPrefix(name, "# "), func(t *testing.T) {
			t.Parallel()
			runExample(t, strings.Split(strings.TrimSpace(lines), "\n"))
		})
	}
}

func runExample(t *testing.T, lines []string) {
	t.Helper()
	h, p, checked := newHistory(t), newProgram(), 0
	utc := func(text string) string { return text + ":00Z" }
	for _, line := range lines {
		words := strings.Fields(line)
		switch words[0] {
		case "program":
			p.Day = programs.DayBounds{Reset: words[1], Zone: words[2]}
		case "rule":
			var rule programs.Rule
			if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "rule ")), &rule); err != nil {
				t.Fatal(err)
			}
			p.Rules = append(p.Rules, rule)
		case "close":
			h.trade(utc(words[1]), words[2])
			h.facts.Until = instant(t, utc(words[1]))
		case "payout":
			h.facts.Payouts = append(h.facts.Payouts, programs.Payout{At: instant(t, utc(words[1])), Gross: amount(words[2])})
			h.facts.Until = instant(t, utc(words[1]))
		default:
			checked++
			if got := figureOf(t, h.evaluate(p), words[0]); got != words[2] {
				t.Errorf("%s is %s, not %s", words[0], got, words[2])
			}
		}
	}
	if checked < 2 {
		t.Errorf("%d figures were compared", checked)
	}
}

// figureOf returns a figure as text.
func figureOf(t *testing.T, r *programs.Result, name string) string {
	t.Helper()
	switch name {
	case "state":
		return string(r.State)
	case "balance":
		return r.Balance.String()
	case "floor":
		return r.Floor.Decimal.String()
	case "left":
		return r.Today.Left.Decimal.String()
	case "breach":
		if r.Breach == nil {
			return "none"
		}
		return fmt.Sprint(r.Breach.Kind, "@", time.UnixMicro(r.Breach.At).UTC().Format("2006-01-02T15:04"))
	}
	parts := strings.Split(name, ".")
	if parts[0] == "days" {
		i, err := strconv.Atoi(parts[1])
		if err != nil || i >= len(r.Days) {
			t.Fatalf("there is no day %s", parts[1])
		}
		switch d := r.Days[i]; parts[2] {
		case "day":
			return string(d.Day)
		case "net":
			return d.Net.String()
		default:
			return d.Floor.Decimal.String()
		}
	}
	for _, rule := range r.Rules {
		if string(rule.Rule.Kind) == parts[0] && rule.Met != nil {
			return strconv.FormatBool(*rule.Met)
		}
	}
	t.Fatalf("unknown figure %q", name)
	return ""
}
