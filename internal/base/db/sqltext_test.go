package db_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// sqlText is an SQL text in the program: a string literal, or a statement built from a
// field table.
type sqlText struct {
	text  string
	place token.Position // the file is relative to the module's root
}

// An SQL text is recognized by its keywords in capitals.
var (
	speaksSQL = regexp.MustCompile(`\b(SELECT|INSERT (?:OR|INTO)|UPDATE [a-z_]+ SET|DELETE FROM|WITH [a-z_]+ AS|WHERE|ORDER BY|GROUP BY|LEFT JOIN|JOIN [a-z_]+|ON CONFLICT|CREATE (UNIQUE )?(TABLE|INDEX|VIEW)|ALTER TABLE|DROP (TABLE|INDEX|VIEW))\b|^\s*(AND|OR|SET|FROM|VALUES|RETURNING)\s`)
	speaksDDL = regexp.MustCompile(`\b(CREATE (UNIQUE )?(TABLE|INDEX|VIEW|TRIGGER)|ALTER TABLE|DROP (TABLE|INDEX|VIEW|TRIGGER))\b`)
)

// forbidden matches what ADR 1 excludes, because the engines differ in it, and a few
// keywords that only one has.
var forbidden = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|age|date_trunc|date_part|extract|to_char|to_date|to_timestamp|make_date|strftime|datetime|date|time|julianday|unixepoch|timediff)\s*\(`),
	regexp.MustCompile(`\b(CURRENT_TIMESTAMP|CURRENT_DATE|CURRENT_TIME|LOCALTIME|LOCALTIMESTAMP|INTERVAL)\b`),
	regexp.MustCompile(`(?i)\b(jsonb?_[a-z_]+|row_to_json|to_jsonb?)\s*\(|->>?|#>>?|@>|<@`),
	regexp.MustCompile(`\b(ILIKE|SIMILAR TO|GLOB|REGEXP|NULLS FIRST|NULLS LAST|ARRAY|ANY|UNNEST|LATERAL|DISTINCT ON|SERIAL|AUTOINCREMENT|INSERT OR|REPLACE INTO|FOR UPDATE|NUMERIC|DECIMAL|REAL|DOUBLE)\b`),
	regexp.MustCompile(`(?i)\b(unnest|array_agg|string_agg|group_concat|ifnull|iif|random|gen_random_uuid|uuid_generate_v4|total|printf|instr|strpos|typeof)\s*\(`),
	regexp.MustCompile(`::|[^~]~\*?\s|\?`),
	regexp.MustCompile(`\bLIMIT \$\d`), // see db.Limit
}

// programTexts returns the SQL texts in every Go file except tests, and the generated
// ones.
func programTexts(t *testing.T) []sqlText {
	t.Helper()
	texts, err := literalTexts()
	must(t, err)
	if len(texts) == 0 {
		t.Fatal("no SQL found: the test looks in the wrong place")
	}
	return slices.Concat(texts, generatedTexts(t))
}

// literalTexts reads the Go files once. The bench and the testkit are not in the program:
// the one has its own tables, the other manages a PostgreSQL server.
var literalTexts = sync.OnceValues(func() (texts []sqlText, err error) {
	root := filepath.Join("..", "..", "..")
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		skipped := []string{"node_modules", "bench", "testkit"}
		if entry.IsDir() && (slices.Contains(skipped, entry.Name()) || strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		found, err := parseTexts(path)
		texts = append(texts, found...)
		return err
	})
	return texts, err
})

// generatedTexts returns the statements that packages build from field tables. Each
// package lists its own in testdata/sql.txt, one to a line, and tests that the file is
// complete.
func generatedTexts(t *testing.T) []sqlText {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "*", "*", "testdata", "sql.txt"))
	must(t, err)
	var texts []sqlText
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		for i, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
			if !speaksSQL.MatchString(line) {
				t.Errorf("%s:%d: %q is not SQL", file, i+1, line)
			}
			place := token.Position{Filename: "internal/" + strings.TrimPrefix(filepath.ToSlash(file), "../../"), Line: i + 1}
			texts = append(texts, sqlText{text: line, place: place})
		}
	}
	return texts
}

func parseTexts(path string) ([]sqlText, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var texts []sqlText
	ast.Inspect(file, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil || !speaksSQL.MatchString(text) {
			return true
		}
		place := set.Position(literal.Pos())
		place.Filename = strings.TrimPrefix(filepath.ToSlash(place.Filename), "../../../")
		texts = append(texts, sqlText{text: text, place: place})
		return true
	})
	return texts, nil
}

// inShim reports whether a text belongs to the package that wraps the engines.
func (s sqlText) inShim() bool { return strings.HasPrefix(s.place.Filename, "internal/base/db/") }

func TestSQLIsInTheCommonSubset(t *testing.T) {
	t.Parallel()
	for _, sql := range programTexts(t) {
		if sql.inShim() {
			continue
		}
		for _, pattern := range forbidden {
			if word := pattern.FindString(sql.text); word != "" {
				t.Errorf("%s: %q is not in the common subset (ADR 1)", sql.place, word)
			}
		}
		if strings.Contains(sql.text, "SELECT *") {
			t.Errorf("%s: SELECT * does not name its columns", sql.place)
		}
		if !ascends(sql.text) {
			t.Errorf("%s: the first appearances of $1, $2, … do not ascend", sql.place)
		}
	}
}

// ascends reports whether a text's placeholders first appear in order. A text that is a
// piece of a statement may begin at any number.
func ascends(text string) bool {
	highest := 0
	for _, match := range regexp.MustCompile(`\$(\d+)`).FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(match[1])
		if highest > 0 && n > highest+1 {
			return false
		}
		highest = max(highest, n)
	}
	return true
}

func TestDDLStaysInMigrations(t *testing.T) {
	t.Parallel()
	for _, sql := range programTexts(t) {
		if strings.HasSuffix(sql.place.Filename, "internal/base/db/distribute.go") {
			continue // changes foreign keys and constraints in existing tables
		}
		if speaksDDL.MatchString(sql.text) && !strings.Contains(sql.text, "schema_migrations") {
			t.Errorf("%s: DDL outside internal/base/db/migrations: %.60q", sql.place, sql.text)
		}
	}
}

// A migration 0002_ledger.sql creates package ledger's tables. These few belong to a
// package other than the one their file is named after.
var otherOwners = map[string]string{
	"schema_migrations":      "db",
	"unfinished_writes":      "db",
	"idempotency_keys":       "transport",
	"fill_sources":           "ledger",
	"strategies":             "strategybook",
	"token_owners":           "identity",
	"user_states":            "identity",
	"import_repeats":         "ledger",
	"trade_checkpoints":      "ledger",
	"import_layout_accounts": "layouts",
	"import_kinds":           "kinds",
	"import_layouts":         "layouts",
	"jobs":                   "jobs",
	"trade_rules":            "playbook",
	"note_templates":         "playbook",
	"corporate_actions":      "ledger",
	"trades_before_actions":  "ledger",
	"note_revisions":         "playbook",
	"note_log":               "playbook",
	"bar_changes":            "bars",
	"position_marks":         "bars",
	"deleted_fills":          "ledger",
	"withdrawn_fills":        "ledger",
	"deleted_cash":           "ledger",
	"kept_attachments":       "playbook",
	"app_clients":            "identity",
	"app_grants":             "identity",
	"app_secrets":            "identity",
	"new_corporate_actions":  "ledger",
	"new_streams":            "ledger",
}

var changesTable = regexp.MustCompile(`(?m)^(?:CREATE TABLE ([a-z_]+)|ALTER TABLE ([a-z_]+) RENAME TO ([a-z_]+)|DROP TABLE ([a-z_]+))`)

// readOwners returns each table's package. A renamed table keeps its owner, and so does
// one created again while the old one is renamed to old_….
func readOwners(t *testing.T) map[string]string {
	t.Helper()
	owner := maps.Clone(otherOwners)
	files, err := filepath.Glob("migrations/*.sql")
	must(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, ".sqlite.sql") {
			continue
		}
		text, err := os.ReadFile(file)
		must(t, err)
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".sql"), "_")
		for _, match := range changesTable.FindAllStringSubmatch(string(text), -1) {
			created, from, to, dropped := match[1], match[2], match[3], match[4]
			old, again := owner["old_"+created]
			_, known := owner[created]
			switch {
			case dropped != "":
				delete(owner, dropped)
			case from != "":
				owner[to] = owner[from]
				delete(owner, from)
			case again:
				owner[created] = old
			case !known:
				owner[created] = name
			}
		}
	}
	return owner
}

// TestEveryTableHasAnOwner compares the owners with a migrated database, so no table
// escapes the rule below, and none is only in a test's list.
func TestEveryTableHasAnOwner(t *testing.T) {
	t.Parallel()
	live := map[string]bool{}
	for _, c := range schema(t, testkit.Open(t, db.SQLite)) {
		live[c.Table] = true
	}
	owner := readOwners(t)
	for name := range live {
		if owner[name] == "" {
			t.Errorf("the table %s has no owner", name)
		}
	}
	for name, home := range owner {
		if findPackage(t, home) == "" || !live[name] {
			t.Errorf("the table %s, or the package %s, does not exist", name, home)
		}
	}
}

// findPackage returns a named package's path, or nothing.
func findPackage(t *testing.T, name string) string {
	t.Helper()
	for _, pattern := range []string{filepath.Join("..", "..", "*", name), filepath.Join("..", "..", name)} {
		found, err := filepath.Glob(pattern)
		must(t, err)
		if len(found) > 0 {
			return "internal/" + strings.TrimPrefix(filepath.ToSlash(found[0]), "../../")
		}
	}
	return ""
}

var namesTable = regexp.MustCompile(`\b(?:FROM|INTO|JOIN|UPDATE)\s+([a-z_]+)`)

func TestOnlyTheOwnerNamesATable(t *testing.T) {
	t.Parallel()
	owner := readOwners(t)
	for _, sql := range programTexts(t) {
		for _, match := range namesTable.FindAllStringSubmatch(sql.text, -1) {
			wanted, owned := owner[match[1]]
			isStep := sql.place.Filename == "internal/base/db/datasteps.go" // part of a migration
			if owned && !isStep && !strings.HasPrefix(sql.place.Filename, findPackage(t, wanted)+"/") {
				t.Errorf("%s: uses the table %s, which belongs to %s", sql.place, match[1], wanted)
			}
		}
	}
}

// TestForbiddenWordsAreFound tests the patterns: a typo would let everything pass.
func TestForbiddenWordsAreFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`SELECT now()`, `SELECT a FROM b WHERE c ILIKE $1`, `SELECT a->>'b' FROM c`, `SELECT a::text FROM b`,
		`SELECT strftime('%Y', a) FROM b`, `SELECT CURRENT_TIMESTAMP`, `SELECT a FROM b WHERE c = ANY ($1)`,
		`SELECT a FROM b WHERE c = ?`, `SELECT date(a) FROM b`, `SELECT json_extract(a, '$.b') FROM c`,
		`INSERT OR IGNORE INTO a (b) VALUES ($1)`, `SELECT a FROM b WHERE c = $1 FOR UPDATE`, `SELECT EXTRACT(year FROM a) FROM b`,
		`SELECT a FROM b ORDER BY c LIMIT $1`,
	} {
		seen := false
		for _, pattern := range forbidden {
			seen = seen || pattern.MatchString(text)
		}
		if !seen || !speaksSQL.MatchString(text) {
			t.Errorf("no pattern matches %s", text)
		}
	}
	if ascends(`SELECT $1, $3, $2`) || !ascends(`SELECT $1, $2, $1, $3`) {
		t.Error("ascends does not check the order of placeholders")
	}
}
