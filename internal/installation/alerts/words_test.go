package alerts

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/rules"
)

// readWords returns the names in a file of the page, by what matches first.
func readWords(t *testing.T, path, pattern string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{}
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		words[match[1]] = match[2]
	}
	return words
}

// TestAlertsUseTheWordsOfThePage compares names with those that the page shows.
func TestAlertsUseTheWordsOfThePage(t *testing.T) {
	t.Parallel()
	const src = "../../../web/src/lib/"
	labels := readWords(t, src+"tradingRules.ts", `(?m)^  (\w+): \{\s+label: '([^']+)'`)
	for _, kind := range rules.Kinds() {
		if got := nameRule(&rules.Rule{Kind: kind}); got == "" || got != labels[string(kind)] {
			t.Errorf("%s is %q, on the page %q", kind, got, labels[string(kind)])
		}
	}
	text, err := os.ReadFile(src + "programs.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "ruleNames")
	list, _, _ = strings.Cut(list, "};")
	named := regexp.MustCompile(`(\w+): '([^']+)'`).FindAllStringSubmatch(list, -1)
	for _, match := range named {
		if got := programRuleNames[programs.Kind(match[1])]; got != match[2] {
			t.Errorf("%s is %q, on the page %q", match[1], got, match[2])
		}
	}
	if len(named) != len(programRuleNames) {
		t.Errorf("the page names %d kinds of program rules, alerts %d", len(named), len(programRuleNames))
	}
	text, err = os.ReadFile(src + "tradingRules.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range rules.Metrics() {
		if name := metricNames[metric]; name == "" || !regexp.MustCompile(`\b`+string(metric)+`: '`+regexp.QuoteMeta(name)+`'`).Match(text) {
			t.Errorf("%s is %q, not on the page", metric, name)
		}
	}
	for metric, name := range limitNames {
		if !regexp.MustCompile(`\b` + string(metric) + `: '` + regexp.QuoteMeta(name) + `'`).Match(text) {
			t.Errorf("a limit of %s is %q, not on the page", metric, name)
		}
	}
	if got := nameRule(&rules.Rule{Kind: rules.MaxTrades, Name: "My limit"}); got != "My limit" {
		t.Errorf("a rule with a name is %q", got)
	}
	if got := nameGoal(&rules.Goal{Kind: rules.LimitGoal, Metric: rules.NetPnL, Period: rules.Weekly}); got != "Loss limit per week" {
		t.Errorf("a limit is %q", got)
	}
}
