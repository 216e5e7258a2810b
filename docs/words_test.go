package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bannedWords returns the words of the glossary's section "Words we do not use".
func bannedWords(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile("glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Words we do not use")
	if !found {
		t.Fatal("the glossary has no section \"Words we do not use\"")
	}
	var words []string
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], "--") || strings.TrimSpace(cells[1]) == "Word" {
			continue
		}
		words = append(words, regexp.QuoteMeta(strings.TrimSpace(cells[1])))
	}
	const few = 10
	if len(words) < few {
		t.Fatalf("the glossary lists only %d words", len(words))
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)\b`)
}

// sourceFiles calls visit for every file of the project with one of the endings.
func sourceFiles(t *testing.T, visit func(path string), endings ...string) {
	t.Helper()
	skipped := []string{"node_modules", "testdata", "page", "bin", "dist", "data", "demo-data", "test-results", "playwright-report"}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(skipped, d.Name()) || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return filepath.SkipDir
		case !d.IsDir() && slices.Contains(endings, filepath.Ext(path)):
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWordsOfCode(t *testing.T) {
	t.Parallel()
	banned, files := bannedWords(t), 0
	sourceFiles(t, func(path string) {
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if word := banned.FindString(comment.Text); word != "" {
					t.Errorf("%s: the comment has %q; the glossary says what to write", set.Position(comment.Pos()), word)
				}
			}
		}
		checkDocComments(t, set, file)
		if !strings.HasSuffix(path, "_test.go") {
			checkStrings(t, set, file, banned)
		}
	}, ".go")
	const few = 300
	if files < few {
		t.Fatalf("only %d files were read", files)
	}
}

// allowedStrings are parts of messages that keep a word of the glossary's list,
// and why.
var allowedStrings = map[string]string{
	"does not say ":             "a plain sentence about a file, quoted by fixtures of presets",
	"Whoever has to act at the": "the words of the trader of the demo",
	"Whoever leaned against":    "the words of the trader of the demo",
}

// checkStrings reports the string literals of the program that contain a banned
// word. Those of tests are names and data, and are not checked.
func checkStrings(t *testing.T, set *token.FileSet, file *ast.File, banned *regexp.Regexp) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		for part := range allowedStrings {
			if strings.Contains(literal.Value, part) {
				return true
			}
		}
		if word := banned.FindString(literal.Value); word != "" {
			t.Errorf("%s: the string has %q; the glossary says what to write", set.Position(literal.Pos()), word)
		}
		return true
	})
}

// unclearVerbs are verbs that a doc comment does not begin with.
var unclearVerbs = []string{"gives", "tells", "knows", "says", "asks", "wants", "hears", "wonders"}

// checkDocComments reports doc comments whose first words are the name and an
// unclear verb.
func checkDocComments(t *testing.T, set *token.FileSet, file *ast.File) {
	t.Helper()
	check := func(doc *ast.CommentGroup, names ...string) {
		words := strings.Fields(doc.Text())
		if len(words) > 1 && slices.Contains(names, words[0]) && slices.Contains(unclearVerbs, words[1]) {
			t.Errorf("%s: %s %s: begin with returns, reports whether, parses, …", set.Position(doc.Pos()), words[0], words[1])
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			check(d.Doc, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					check(d.Doc, spec.Name.Name)
					check(spec.Doc, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						check(d.Doc, name.Name)
						check(spec.Doc, name.Name)
					}
				}
			}
		}
	}
}

func TestWordsOfDocuments(t *testing.T) {
	t.Parallel()
	banned, files := bannedWords(t), 0
	sourceFiles(t, func(path string) {
		if filepath.Base(path) == "glossary.md" {
			return
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if word := banned.FindString(line); word != "" {
				t.Errorf("%s:%d has %q; the glossary says what to write", path, number, word)
			}
		}
	}, ".md")
	const few = 30
	if files < few {
		t.Fatalf("only %d files were read", files)
	}
}
