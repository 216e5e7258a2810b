package lazyregexp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	t.Parallel()
	digits := New(`^\d+$`)
	if !digits().MatchString("42") || digits().MatchString("4a") {
		t.Error("the expression does not match digits alone")
	}
	if digits() != digits() {
		t.Error("the expression is compiled again")
	}
}

// TestExpressionsCompile compiles what the packages pass to New, which otherwise only its
// first use would do.
func TestExpressionsCompile(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir("../../../", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || entry.Name() == ".git"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(source), "lazyregexp.New(") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for call := range ast.Preorder(file) {
			if call, isCall := call.(*ast.CallExpr); isCall && isNew(call.Fun) {
				found++
				if _, err := regexp.Compile(evaluate(t, call.Args[0])); err != nil {
					t.Errorf("%s: %v", set.Position(call.Pos()), err)
				}
			}
		}
		return nil
	})
	if err != nil || found < 100 {
		t.Errorf("found %d expressions: %v", found, err)
	}
}

func isNew(f ast.Expr) bool {
	selected, isSelector := f.(*ast.SelectorExpr)
	if !isSelector {
		return false
	}
	name, isName := selected.X.(*ast.Ident)
	return isName && name.Name == "lazyregexp" && selected.Sel.Name == "New"
}

// evaluate returns the value of a string literal or of several with + between them.
func evaluate(t *testing.T, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		return text
	case *ast.BinaryExpr:
		return evaluate(t, e.X) + evaluate(t, e.Y)
	}
	t.Fatalf("an expression must be written as a string, got %T", e)
	return ""
}
