package brokers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestFilesAreNamedAfterTheirBroker checks that a file has one broker's presets and
// begins with its name: swissquote.go, degiroaccount.go.
func TestFilesAreNamedAfterTheirBroker(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		brokers := brokersIn(t, file)
		for _, broker := range brokers {
			found[broker] = true
			if !isNamedAfter(file, broker) {
				t.Errorf("%s has a preset of %s: move it to a file with that name", file, broker)
			}
			if broker != brokers[0] {
				t.Errorf("%s has presets of %s and %s: split it", file, brokers[0], broker)
			}
		}
	}
	for _, p := range tables() {
		if p.Refuse == "" && !found[p.Broker] {
			t.Errorf("no file has a literal with the broker %q", p.Broker)
		}
	}
}

// brokersIn lists the values for Broker in a file.
func brokersIn(t *testing.T, file string) (list []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for node := range ast.Preorder(tree) {
		pair, _ := node.(*ast.KeyValueExpr)
		if pair == nil {
			continue
		}
		key, _ := pair.Key.(*ast.Ident)
		value, _ := pair.Value.(*ast.BasicLit)
		if key != nil && key.Name == "Broker" && value != nil {
			name, err := strconv.Unquote(value.Value)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, name)
		}
	}
	return list
}

// isNamedAfter reports whether a file is named after a broker, or after any of several
// writing the same file: "TradeStation / TradeZero".
func isNamedAfter(file, broker string) bool {
	for name := range strings.SplitSeq(broker, "/") {
		letters := strings.Map(func(r rune) rune {
			switch {
			case r == 'é':
				return 'e'
			case unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, name)
		if strings.HasPrefix(file, letters) {
			return true
		}
	}
	return false
}
