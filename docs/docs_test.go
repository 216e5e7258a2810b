package docs_test

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"

	"fillbook/internal/base/limits"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/tradefilter"
)

var update = flag.Bool("update", false, "rewrite the endpoints of api.md")

// root is the root of the repository, seen from here.
const root = ".."

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documents are all Markdown files that people read here.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(file) == ".md" {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	fence = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	link  = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
)

// TestLinksLeadSomewhere follows every link that stays in the repository, its
// heading included.
func TestLinksLeadSomewhere(t *testing.T) {
	followed := 0
	for _, file := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(read(t, file), ""), -1) {
			to, err := url.Parse(found[1])
			if err != nil {
				t.Errorf("%s: %s is no link: %v", file, found[1], err)
				continue
			}
			if to.Scheme != "" {
				continue
			}
			followed++
			target := file
			if to.Path != "" {
				target = filepath.Join(filepath.Dir(file), to.Path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", file, found[1])
			} else if to.Fragment != "" && !slices.Contains(headings(read(t, target)), to.Fragment) {
				t.Errorf("%s links to %s, where there is no such heading", file, found[1])
			}
		}
	}
	if followed < 50 {
		t.Errorf("only %d links found: the test looks in the wrong place", followed)
	}
}

// headings are the anchors that a document has.
func headings(text string) []string {
	var anchors []string
	for line := range strings.Lines(fence.ReplaceAllString(text, "")) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			anchors = append(anchors, anchor(strings.TrimSpace(title)))
		}
	}
	return anchors
}

func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// TestDecisionsAreListed holds the list of decisions against the files.
func TestDecisionsAreListed(t *testing.T) {
	index := read(t, "adr/README.md")
	files, err := filepath.Glob("adr/[0-9]*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no decisions", err)
	}
	for i, file := range files {
		text := read(t, file)
		title, _, _ := strings.Cut(text, "\n")
		_, title, _ = strings.Cut(title, ". ")
		line := fmt.Sprintf("%d. [%s](%s)", i+1, title, filepath.Base(file))
		if !strings.Contains(index, line+"\n") {
			t.Errorf("adr/README.md lacks the line\n%s", line)
		}
	}
	if listed := strings.Count(index, "]("); listed != len(files) {
		t.Errorf("adr/README.md lists %d decisions, there are %d", listed, len(files))
	}
}

// TestEveryBrokerIsInTheGuide checks that the guide mentions each broker whose files we read.
func TestEveryBrokerIsInTheGuide(t *testing.T) {
	guide := strings.Join(strings.Fields(read(t, "guide/importing.md")), " ")
	brokers := regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| a (?:fill|trade) \|`).FindAllStringSubmatch(read(t, "brokers.md"), -1)
	if len(brokers) < 100 {
		t.Fatalf("%d rows found in brokers.md", len(brokers))
	}
	for _, row := range brokers {
		for name := range strings.SplitSeq(row[1], " / ") {
			if !strings.Contains(guide, name) {
				t.Errorf("the guide does not mention %s", name)
			}
		}
	}
}

// endpointTable is the table of api.md, from the committed description.
func endpointTable(t *testing.T) string {
	t.Helper()
	var description struct {
		Paths map[string]map[string]struct {
			Summary  string
			Security []any
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, "api/openapi.yaml"))), &description); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| Endpoint | Does |\n|---|---|\n")
	for _, path := range slices.Sorted(maps.Keys(description.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(description.Paths[path])) {
			operation, note := description.Paths[path][method], ""
			if operation.Security == nil {
				note = " *(public)*"
			}
			fmt.Fprintf(&table, "| `%s %s` | %s%s |\n", strings.ToUpper(method), strings.TrimPrefix(path, "/api/v1"), operation.Summary, note)
		}
	}
	return table.String()
}

// TestEndpointsAreListed compares the table of api.md with the description.
func TestEndpointsAreListed(t *testing.T) {
	text := read(t, "api.md")
	head, rest, found := strings.Cut(text, "<!-- endpoints -->\n")
	old, tail, closed := strings.Cut(rest, "<!-- /endpoints -->")
	if !found || !closed {
		t.Fatal("api.md has no place for the endpoints")
	}
	table := "\n" + endpointTable(t) + "\n"
	if strings.Count(table, "\n") < 90 {
		t.Fatalf("the description has few endpoints:\n%s", table)
	}
	if *update {
		if err := os.WriteFile("api.md", []byte(head+"<!-- endpoints -->\n"+table+"<!-- /endpoints -->"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if old != table {
		t.Error("the endpoints of api.md are not those of api/openapi.yaml: run this test with -update")
	}
}

// TestFilterIsListed compares the table of api.md with the parameters of the filter.
func TestFilterIsListed(t *testing.T) {
	text := read(t, "api.md")
	head, rest, found := strings.Cut(text, "<!-- filter -->\n")
	old, tail, closed := strings.Cut(rest, "<!-- /filter -->")
	if !found || !closed {
		t.Fatal("api.md has no place for the filter")
	}
	table := "\n| Parameter | Values | Selects |\n|---|---|---|\n"
	for _, p := range tradefilter.Parameters() {
		table += fmt.Sprintf("| `%s` | %s | %s |\n", p.Name, describeFilterValues(&p), p.About)
	}
	table += "\n"
	if *update {
		if err := os.WriteFile("api.md", []byte(head+"<!-- filter -->\n"+table+"<!-- /filter -->"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if old != table {
		t.Error("the filter of api.md is not that of the program: run this test with -update")
	}
}

// TestLimitsAreListed compares the table of api.md with the limits of the program.
func TestLimitsAreListed(t *testing.T) {
	text := read(t, "api.md")
	head, rest, found := strings.Cut(text, "<!-- limits -->\n")
	old, tail, closed := strings.Cut(rest, "<!-- /limits -->")
	if !found || !closed {
		t.Fatal("api.md has no place for the limits")
	}
	table := "\n| Records | Limit |\n|---|---|\n"
	for _, l := range limits.All() {
		number := strconv.Itoa(l.Max)
		for i := len(number) - 3; i > 0; i -= 3 {
			number = number[:i] + "," + number[i:]
		}
		if l.PerAccount {
			number += " in each account"
		}
		if l.Then != "" {
			number += "; " + l.Then
		}
		table += fmt.Sprintf("| %s%s | %s |\n", strings.ToUpper(l.Records[:1]), l.Records[1:], number)
	}
	table += "\n"
	if *update {
		if err := os.WriteFile("api.md", []byte(head+"<!-- limits -->\n"+table+"<!-- /limits -->"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if old != table {
		t.Error("the limits of api.md are not those of the program: run this test with -update")
	}
}

func describeFilterValues(p *tradefilter.Parameter) string {
	text := map[tradefilter.Type]string{tradefilter.Text: "text", tradefilter.Integer: "whole number", tradefilter.Number: "number", tradefilter.Flag: "`true`, `false`"}[p.Type]
	switch {
	case len(p.Values) > 0:
		text = "`" + strings.Join(p.Values, "`, `") + "`"
	case p.Format != "":
		text = "date and time"
	case p.Bounds != nil && p.List:
		text = fmt.Sprintf("%d to %d", p.Bounds.Min, p.Bounds.Max)
	}
	if p.List {
		text = "list: " + text
	}
	return text
}

// TestColumnTargetsAreListed finds everything that a column can be.
func TestColumnTargetsAreListed(t *testing.T) {
	_, text, _ := strings.Cut(read(t, "api.md"), "Targets: ")
	text, _, _ = strings.Cut(text, "\n\n")
	for _, target := range statement.Targets() {
		if !strings.Contains(text, "`"+string(target)+"`") {
			t.Errorf("api.md does not tell of the target %s", target)
		}
	}
}

// TestErrorCodesAreListed finds every code that the program answers with.
func TestErrorCodesAreListed(t *testing.T) {
	text := read(t, "api.md")
	code := regexp.MustCompile(`Code:\s+"([a-z_]+)"`)
	found := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		for _, match := range code.FindAllStringSubmatch(read(t, file), -1) {
			found[match[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 12 {
		t.Errorf("only %d codes found: the test looks for the wrong words", len(found))
	}
	for name := range found {
		if !strings.Contains(text, "| `"+name+"` |") {
			t.Errorf("api.md does not tell of the code %s", name)
		}
	}
}
