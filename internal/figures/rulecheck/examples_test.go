package rulecheck_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/figures/rulecheck/oracle"
	"fillbook/internal/trading/rules"
)

// TestPageExamples runs the examples of trading rules and goals in docs/metrics.md:
//
//	day DATE NET ...              trades of a minute, five minutes apart, from 10:00 UTC
//	rule KIND NAME=VALUE ...
//	goal KIND METRIC TARGET PERIOD at DATE
//	verdicts TEXT                 + kept, x broken, ? unknown
//	results.PATH = TEXT           likewise what_if.PATH and progress.PATH
func TestPageExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "```rule\n")[1:]
	if len(examples) < 4 {
		t.Fatalf("the page has %d examples", len(examples))
	}
	for _, rest := range examples {
		text, _, _ := strings.Cut(rest, "```")
		name, lines, _ := strings.Cut(text, "\n")
		t.Run(strings.TrimPrefix(name, "# "), func(t *testing.T) {
			t.Parallel()
			e := &example{T: t, answers: map[string]any{}}
			for line := range strings.Lines(lines) {
				if words := strings.Fields(line); len(words) > 0 {
					e.run(words)
				}
			}
			if e.checked < 2 {
				t.Errorf("%d figures were compared", e.checked)
			}
		})
	}
}

// example is an example's trades and answers.
type example struct {
	*testing.T
	trades  []oracle.Trade
	rule    rules.Rule
	answers map[string]any
	checked int
}

func (e *example) run(words []string) {
	e.Helper()
	switch words[0] {
	case "day":
		nets := make([]int64, len(words)-2)
		for i, word := range words[2:] {
			var err error
			if nets[i], err = strconv.ParseInt(word, 10, 64); err != nil {
				e.Fatal(err)
			}
		}
		e.trades = append(e.trades, day(words[1], nets...)...)
	case "rule":
		var params rules.Params
		for _, word := range words[2:] {
			name, value, _ := strings.Cut(word, "=")
			if err := params.Set(name, value); err != nil {
				e.Fatal(err)
			}
		}
		e.rule = newRule(rules.Kind(words[1]), params)
		e.judge()
	case "goal":
		goal, err := rules.Goal{
			Kind: rules.GoalKind(words[1]), Metric: rules.Metric(words[2]), Target: decimal.Must(words[3]), Period: rules.GoalPeriod(words[4]), StartsOn: "2026-01-01",
		}.Check()
		if err != nil {
			e.Fatal(err)
		}
		facts := &rulecheck.GoalFacts{Trades: build(e.trades), Facts: &rulecheck.Facts{}, Zone: time.UTC}
		e.answers["progress"] = rulecheck.MeasureGoal(&goal, journal.Day(words[6]), facts)
	case "verdicts":
		e.compare(words[0], fmt.Sprint(e.answers["verdicts"]), words[1])
	default:
		answer, path, _ := strings.Cut(words[0], ".")
		e.compare(words[0], e.find(e.answers[answer], path), words[2])
	}
}

// judge answers everything about the rule.
func (e *example) judge() {
	openings, facts := build(e.trades), &rulecheck.Facts{}
	j := rulecheck.Judge(&e.rule, openings, facts)
	e.answers["verdicts"] = verdicts(listVerdicts(&j))
	e.answers["results"] = rulecheck.Summarize(&e.rule, openings, &j, rulecheck.Selection{}, false)
	if rulecheck.CanEnforce(e.rule.Kind) {
		e.answers["what_if"], _ = rulecheck.NewWhatIf(&e.rule, openings, facts).Measure()
	}
}

func (e *example) compare(name, got, want string) {
	e.Helper()
	e.checked++
	if got != want {
		e.Errorf("%s is %s, not %s", name, got, want)
	}
}

// find returns the text at a path into an answer's JSON.
func (e *example) find(answer any, path string) string {
	e.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		e.Fatal(err)
	}
	for name := range strings.SplitSeq(path, ".") {
		if i, err := strconv.Atoi(name); err == nil {
			var list []json.RawMessage
			if err := json.Unmarshal(text, &list); err != nil || i >= len(list) {
				e.Fatalf("%s has no element %d: %s", path, i, text)
			}
			text = list[i]
			continue
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil || object[name] == nil {
			e.Fatalf("%s is not in %s", path, text)
		}
		text = object[name]
	}
	return strings.Trim(string(text), `"`)
}
