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

// folders are the folders in internal, in the order in docs/architecture.md. A package
// imports packages in its own folder and in folders before it. Package cmd/fillbook may
// import all.
var folders = []string{
	"base", "people", "trading", "intake", "prices", "figures", "providers", "backup", "demo", "installation", "transport", "webui", "assistants", "httpapi",
}

// testPackages are the packages only tests may import.
var testPackages = []string{
	"internal/testkit", "internal/instances", "internal/base/remote/remotetest", "internal/figures/analytics/oracle", "internal/figures/rulecheck/oracle", "internal/trading/programs/oracle",
	"internal/intake/brokers/brokertest", "internal/providers/providertest",
}

// purePackages compute only: they and the packages below them do not import the database.
var purePackages = []string{
	"internal/trading/annotations", "internal/trading/instruments", "internal/trading/matching", "internal/trading/strategies", "internal/trading/tradefilter", "internal/trading/rules", "internal/trading/programs",
	"internal/intake/tabular", "internal/intake/parse", "internal/intake/statement", "internal/intake/brokers", "internal/intake/metatrader", "internal/intake/connector",
	"internal/prices/market", "internal/prices/barsource", "internal/figures/analytics", "internal/figures/rulecheck", "internal/providers", "internal/base/remote",
}

// isIn reports whether a package is in a list, or below a package in it.
func isIn(name string, list []string) bool {
	return slices.ContainsFunc(list, func(top string) bool { return name == top || strings.HasPrefix(name, top+"/") })
}

// level returns the index of a package's folder in folders, -1 if it has none.
func level(name string) int {
	if name == "docs" {
		return 0 // the embedded documents
	}
	inside, found := strings.CutPrefix(name, "internal/")
	if !found {
		return len(folders)
	}
	folder, _, _ := strings.Cut(inside, "/")
	return slices.Index(folders, folder)
}

const module = "fillbook/"

// programImports returns the imports of each program package, its tests left out.
// Packages outside cmd and internal are tools and not the program.
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
		if level(from) < 0 && !isIn(from, testPackages) {
			t.Errorf("%s is in no folder of docs/architecture.md and of this test", from)
			continue
		}
		for _, name := range imports[from] {
			if to, own := strings.CutPrefix(name, module); own && !allowed(from, to) {
				t.Errorf("%s imports %s", from, to)
			}
		}
	}
}

// allowed reports whether one package may import another.
func allowed(from, to string) bool {
	switch {
	case isIn(from, testPackages):
		return true
	case isIn(to, testPackages):
		return false
	case to == "internal/base/db" && isIn(from, purePackages):
		return false
	case from == "internal/transport": // HTTP without the journal
		return level(to) == 0
	}
	return level(to) <= level(from)
}

func TestLibrariesHaveOneHome(t *testing.T) {
	t.Parallel()
	forTests := func(from string) bool { return isIn(from, testPackages) }
	isServer := func(from string) bool { return level(from) >= level("internal/transport") }
	usesPseudorandom := func(from string) bool { // to spread retries, or to repeat a sequence; all else uses crypto/rand
		return forTests(from) || from == "internal/base/db" || from == "internal/demo" || from == "internal/intake/watch"
	}
	buildsRequests := func(from string) bool { // see also TestOnlyOutboundConnects
		return isServer(from) || isIn(from, []string{
			"internal/base/outbound", "internal/base/remote", "internal/intake/channels", "internal/intake/connector", "internal/intake/watch", "internal/prices/barfetch",
			"internal/prices/barsource", "internal/providers",
		})
	}
	homes := map[string]func(from string) bool{
		"net/http":                             buildsRequests,
		"modernc.org/":                         func(from string) bool { return from == "internal/base/db" },
		"github.com/jackc/":                    func(from string) bool { return from == "internal/base/db" },
		"github.com/modelcontextprotocol/":     func(from string) bool { return from == "internal/assistants" },
		"github.com/danielgtaylor/huma/":       func(from string) bool { return from == "internal/httpapi" },
		"github.com/shopspring/decimal":        func(from string) bool { return from == "internal/base/decimal" },
		"pgregory.net/rapid":                   forTests,
		"github.com/google/go-cmp/":            forTests,
		"github.com/rogpeppe/go-internal/":     forTests,
		"testing":                              forTests,
		"math/rand":                            usesPseudorandom,
		"math/rand/":                           usesPseudorandom,
		"github.com/prometheus/client_golang/": isServer,
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
		{"internal/httpapi", "internal/trading/ledger", true},
		{"internal/trading/ledger", "internal/httpapi", false},
		{"internal/trading/ledger", "internal/intake/imports", false},
		{"internal/trading/matching", "internal/base/journal", true},
		{"internal/trading/matching", "internal/base/db", false},
		{"internal/trading/ledger", "internal/base/db", true},
		{"internal/base/journal", "internal/trading/ledger", false},
		{"internal/providers/kraken", "internal/base/db", false},
		{"internal/trading/ledger", "internal/testkit", false},
		{"internal/intake/imports", "internal/intake/tabular", true},
		{"internal/intake/imports", "internal/backup", false},
		{"internal/backup", "internal/figures/tradeview", true},
		{"internal/figures/tradeview", "internal/backup", false},
		{"internal/transport", "internal/base/db", true},
		{"internal/transport", "internal/trading/ledger", false},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("%s may import %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
