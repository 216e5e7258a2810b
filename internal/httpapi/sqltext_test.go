package httpapi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sqlText matches statements, clauses, placeholders and qualified columns. Operation
// descriptions may use the words in lower case.
var sqlText = regexp.MustCompile(`\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|FROM|JOIN|ORDER BY|GROUP BY|UNION|IS NOT NULL)\b` +
	`|\$\d|^(trades|streams|executions|accounts|trade_\w+|notes|tags|setups)\.\w+`)

func hasSQL(text string) bool { return sqlText.MatchString(text) }

// TestHandlersHaveNoSQL: the packages owning the tables decide what is read, and how.
// This package passes values to them.
func TestHandlersHaveNoSQL(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources are found: %v", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(literal.Value); err != nil || hasSQL(text) {
				t.Errorf("%s: SQL in %s", set.Position(literal.Pos()), literal.Value)
			}
			return true
		})
	}
}

func TestHasSQL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"trades.id ":                           true,
		" WHERE user_id = $1":                  true,
		"SELECT COUNT(*) FROM tags":            true,
		"user_id = $1":                         true,
		"List trades, newest first":            false,
		"From the Link header.":                false,
		"Select what to export from the list.": false,
	} {
		if got := hasSQL(text); got != want {
			t.Errorf("hasSQL(%q) = %t, want %t", text, got, want)
		}
	}
}
