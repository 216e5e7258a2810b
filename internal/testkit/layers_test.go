package testkit_test

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// levels is the dependency rule of docs/architecture.md: a package imports
// packages of lower levels only. A package that is not listed fails the test.
var levels = map[string]int{
	"cmd/fillbook": 6,

	"internal/httpapi":   5,
	"internal/transport": 5,
	"internal/webui":     5,

	"internal/figures":      4,
	"internal/imports":      4,
	"internal/sharing":      4,
	"internal/backup":       4,
	"internal/demo":         4,
	"internal/installation": 4,
	"internal/hooks":        4,
	"internal/notices":      4,

	"internal/excursions":  3,
	"internal/tradeview":   3,
	"internal/views":       3,
	"internal/barimport":   3,
	"internal/watch":       3,
	"internal/barfetch":    3,
	"internal/rates":       3,
	"internal/connections": 3,

	"internal/barsource/alpaca":      3,
	"internal/barsource/binance":     3,
	"internal/barsource/bybit":       3,
	"internal/barsource/databento":   3,
	"internal/barsource/frankfurter": 3,
	"internal/barsource/hyperliquid": 3,
	"internal/barsource/oanda":       3,
	"internal/barsource/twelvedata":  3,

	"internal/barsource/barsourcetest": testsOnly,

	"internal/connector":               2,
	"internal/connector/ibkrflex":      3,
	"internal/connector/hyperliquid":   3,
	"internal/connector/bybit":         3,
	"internal/connector/okx":           3,
	"internal/connector/kraken":        3,
	"internal/connector/krakenfutures": 3,
	"internal/connector/binance":       3,
	"internal/connector/binanceapi":    2,
	"internal/connector/binanceusdm":   3,
	"internal/connector/coinbase":      3,
	"internal/connector/alpaca":        3,
	"internal/connector/oanda":         3,
	"internal/connector/projectx":      3,
	"internal/connector/deribit":       3,
	"internal/connector/questrade":     3,
	"internal/connector/trading212":    3,

	"internal/connector/connectortest": testsOnly,

	"internal/imports/brokers":            3,
	"internal/imports/brokers/ibkr":       3,
	"internal/imports/brokers/brokertest": testsOnly,
	"internal/analytics/oracle":           testsOnly,
	"internal/imports/metatrader":         3,
	"internal/imports/kinds":              3,
	"internal/imports/layouts":            3,
	"internal/imports/statement":          2,

	"internal/bars":        2,
	"internal/barsource":   2,
	"internal/credentials": 2,
	"internal/identity":    2,
	"internal/jobs":        2,
	"internal/ledger":      2,
	"internal/playbook":    2,
	"internal/routine":     2,
	"internal/settings":    2,

	"internal/annotations":       1,
	"internal/matching":          1,
	"internal/matching/oracle":   1,
	"internal/analytics":         1,
	"internal/instruments":       1,
	"internal/tradefilter":       1,
	"internal/remote":            1,
	"internal/remote/remotetest": testsOnly,
	"internal/market":            1,
	"internal/market/files":      2,
	"internal/market/oracle":     2,
	"internal/imports/tabular":   1,
	"internal/imports/parse":     1,

	"internal/journal": 0,
	"internal/decimal": 0,
	"internal/db":      0,
	"internal/fields":  0,
	"internal/limits":  0,
	"internal/secrets": 0,

	"internal/oldpreferences": 0,

	"internal/outbound":  0,
	"internal/fairqueue": 0,
	"internal/textindex": 0,
	"internal/lru":       0,
	"internal/parallel":  0,
	"internal/filelock":  0,

	"internal/testkit":   testsOnly,
	"internal/instances": testsOnly,
}

// testsOnly marks a package that only tests may import.
const testsOnly = 99

// sideways are the imports inside one level that are allowed, and why.
var sideways = map[[2]string]string{
	{"internal/httpapi", "internal/transport"}:        "transport is the part of HTTP that knows no resource",
	{"internal/db", "internal/parallel"}:              "rows are read while others are processed",
	{"internal/db", "internal/filelock"}:              "one process at a time writes in parts",
	{"internal/db", "internal/oldpreferences"}:        "a migration moves values out of preferences",
	{"internal/oldpreferences", "internal/decimal"}:   "values are left out by the rules of their time",
	{"internal/oldpreferences", "internal/journal"}:   "values are left out by the rules of their time",
	{"internal/fields", "internal/db"}:                "a field table scans and stores values",
	{"internal/limits", "internal/db"}:                "a limit counts the stored records",
	{"internal/limits", "internal/journal"}:           "a record above a limit is refused",
	{"internal/imports/parse", "internal/matching"}:   "a word for a side becomes a side",
	{"internal/fields", "internal/decimal"}:           "a field table scans and stores values",
	{"internal/matching/oracle", "internal/matching"}: "the oracle answers with the words of what it checks",
	{"internal/analytics", "internal/tradefilter"}:    "columns are tested with the conditions of the filter",
	{"internal/tradeview", "internal/excursions"}:     "a trade is shown with its excursion",
	{"internal/tradefilter", "internal/instruments"}:  "another name of a root finds the root",

	{"internal/installation", "internal/backup"}:                  "the installation wires every service",
	{"internal/backup", "internal/imports"}:                       "a backup is one of the files that can be imported",
	{"internal/imports/brokers", "internal/imports/brokers/ibkr"}: "brokers gathers the presets of every kind",
	{"internal/imports/brokers", "internal/imports/metatrader"}:   "brokers gathers the presets of every kind",
	{"internal/sharing", "internal/figures"}:                      "a link shows figures",
	{"internal/connector", "internal/imports/statement"}:          "a broker's records become the statement of an import",
	{"internal/connector/binanceapi", "internal/connector"}:       "the connectors of Binance sign requests and check keys the same way",
	{"internal/hooks", "internal/imports"}:                        "what a hook receives is imported",
	{"internal/notices", "internal/hooks"}:                        "a notice says what a hook could not store",
	{"internal/notices", "internal/imports"}:                      "a notice says what an import stored",
	{"internal/installation", "internal/notices"}:                 "the installation wires every service",
	{"internal/installation", "internal/hooks"}:                   "the installation wires every service",
	{"internal/installation", "internal/figures"}:                 "the installation wires every service",
	{"internal/installation", "internal/sharing"}:                 "the installation wires every service",
	{"internal/installation", "internal/imports"}:                 "the installation wires every service",
}

const module = "fillbook/"

// programImports returns the imports of each package of the program, its tests
// left out. What lies outside cmd and internal is a tool and not the program.
func programImports(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	imports := map[string][]string{}
	visit := func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name := path.Dir(filepath.ToSlash(relative))
		found, err := importsOf(file)
		imports[name] = append(imports[name], found...)
		return err
	}
	for _, top := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, top), visit)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return imports
}

func importsOf(file string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	imports := programImports(t)
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		if _, known := levels[from]; !known {
			t.Errorf("%s has no level: add it to docs/architecture.md and to this test", from)
			continue
		}
		for _, name := range imports[from] {
			if to, own := strings.CutPrefix(name, module); own && !allowed(from, to) {
				t.Errorf("%s (level %d) imports %s (level %d)", from, levels[from], to, levels[to])
			}
		}
	}
}

// allowed is the rule itself.
func allowed(from, to string) bool {
	if levels[from] == testsOnly {
		return true
	}
	if levels[to] == testsOnly {
		return false
	}
	if to == "internal/db" && levels[from] == 1 {
		return false // level 1 is pure
	}
	if from == "internal/transport" && levels[to] > 0 {
		return false // transport is HTTP without the journal
	}
	_, excused := sideways[[2]string{from, to}]
	return levels[to] < levels[from] || excused
}

func TestLibrariesHaveOneHome(t *testing.T) {
	t.Parallel()
	forTests := func(from string) bool { return levels[from] == testsOnly }
	usesPseudorandom := func(from string) bool { // to spread retries, or to repeat a sequence; all else uses crypto/rand
		return forTests(from) || from == "internal/db" || from == "internal/demo" || from == "internal/watch"
	}
	buildsRequests := func(from string) bool { // see also TestOnlyOutboundConnects
		return levels[from] >= 5 || from == "internal/outbound" || from == "internal/barfetch" || from == "internal/watch" || strings.HasPrefix(from, "internal/remote") ||
			strings.HasPrefix(from, "internal/barsource") || from == "internal/connector" || strings.HasPrefix(from, "internal/connector/")
	}
	homes := map[string]func(from string) bool{
		"net/http":                             buildsRequests,
		"modernc.org/":                         func(from string) bool { return from == "internal/db" },
		"github.com/jackc/":                    func(from string) bool { return from == "internal/db" },
		"github.com/danielgtaylor/huma/":       func(from string) bool { return from == "internal/httpapi" },
		"github.com/shopspring/decimal":        func(from string) bool { return from == "internal/decimal" },
		"pgregory.net/rapid":                   forTests,
		"github.com/google/go-cmp/":            forTests,
		"github.com/rogpeppe/go-internal/":     forTests,
		"testing":                              forTests,
		"math/rand":                            usesPseudorandom,
		"math/rand/":                           usesPseudorandom,
		"github.com/prometheus/client_golang/": func(from string) bool { return levels[from] >= 5 },
	}
	for from, names := range programImports(t) {
		for _, name := range names {
			for library, atHome := range homes {
				if (name == library || strings.HasPrefix(name, library) && strings.HasSuffix(library, "/")) && !atHome(from) {
					t.Errorf("%s imports %s", from, name)
				}
			}
		}
	}
}

func TestTheRuleItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"cmd/fillbook", "internal/httpapi", true},
		{"internal/httpapi", "internal/ledger", true},
		{"internal/ledger", "internal/httpapi", false},
		{"internal/ledger", "internal/playbook", false},
		{"internal/matching", "internal/journal", true},
		{"internal/matching", "internal/db", false},
		{"internal/ledger", "internal/db", true},
		{"internal/journal", "internal/decimal", false},
		{"internal/ledger", "internal/testkit", false},
		{"internal/imports", "internal/imports/tabular", true},
		{"internal/imports/tabular", "internal/imports", false},
		{"internal/backup", "internal/tradeview", true},
		{"internal/tradeview", "internal/backup", false},
		{"internal/transport", "internal/db", true},
		{"internal/transport", "internal/ledger", false},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("%s may import %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
