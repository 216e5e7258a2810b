package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// failingDisk in the environment makes the test binary run as a server, because the fault
// must be caused inside the process.
const failingDisk = "FILLBOOK_TEST_FAILING_DISK"

func TestMain(m *testing.M) {
	if os.Getenv(failingDisk) != "" {
		os.Exit(serveOnFailingDisk())
	}
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(filepath.Dir(built))
	}
	os.Exit(code)
}

// built is the program's path once a test has built it.
var built string

// fillbook returns the path of the program started, signaled and killed by tests:
// FILLBOOK_BINARY, or one built once per run. It has no race detector, which would make
// these tests slow; other tests run the same code with it.
var fillbook = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("FILLBOOK_BINARY"); path != "" {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "fillbook-built-")
	if err != nil {
		return "", err
	}
	built = filepath.Join(dir, "fillbook")
	if err := os.Chmod(dir, 0o755); err != nil { // for processes of another user
		return "", err
	}
	output, err := exec.Command("go", "build", "-buildvcs=false", "-o", built, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building fillbook: %w\n%s", err, output)
	}
	return built, nil
})

// engineScripts are the scripts whose commands depend on the engine.
var engineScripts = []string{
	"testdata/backup.txtar", "testdata/check.txtar", "testdata/copydb.txtar", "testdata/database.txtar",
	"testdata/distribute.txtar", "testdata/users.txtar",
}

// TestScripts runs the command-line scripts in testdata: all on SQLite, engine-dependent
// ones on PostgreSQL, where make soak runs all.
func TestScripts(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			if engine == db.PostgreSQL {
				testkit.RequirePostgres(t)
			}
			params := testscript.Params{
				Dir: "testdata",
				Setup: func(env *testscript.Env) error {
					env.Setenv("SVC_DATA_DIR", env.WorkDir+"/data")
					if engine == db.PostgreSQL {
						env.Setenv("SVC_DATABASE_URL", testkit.Empty(t, engine).URL)
						env.Setenv("OTHER_DATABASE_URL", testkit.Empty(t, engine).URL)
					}
					return nil
				},
				Condition: func(name string) (bool, error) { return name == string(engine), nil },
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"fillbook": runFillbook, "damage": damage, "foreign": writeForeign, "same": same,
				},
			}
			if engine == db.PostgreSQL && testkit.Rounds(0, 1) == 0 {
				params.Dir, params.Files = "", engineScripts
			}
			testscript.Run(t, params)
		})
	}
}

// runFillbook is a script command: it runs the program, which must succeed, or fail with
// !.
func runFillbook(ts *testscript.TestScript, neg bool, args []string) {
	program, err := fillbook()
	ts.Check(err)
	if err := ts.Exec(program, args...); (err == nil) == neg {
		ts.Fatalf("fillbook %s: %v", strings.Join(args, " "), err)
	}
}

// damage is a script command: "damage flip FILE" changes a byte in the middle of a file,
// "damage cut FILE" removes its second half.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: damage flip|cut FILE")
	}
	name := ts.MkAbs(args[1])
	content, err := os.ReadFile(name)
	ts.Check(err)
	switch half := len(content) / 2; args[0] {
	case "flip":
		content[half] ^= 1
	case "cut":
		content = content[:half]
	default:
		ts.Fatalf("damage what?")
	}
	ts.Check(os.WriteFile(name, content, 0o600))
}

// writeForeign is a script command: "foreign DATABASE" writes another program's SQLite
// file, "foreign DATABASE ZIP" also packs it as a backup with a matching list and
// checksums.
func writeForeign(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: foreign DATABASE [ZIP]")
	}
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o700))
	other, err := sql.Open("sqlite", name)
	ts.Check(err)
	_, err = other.ExecContext(context.Background(), `CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('bread')`)
	ts.Check(errors.Join(err, other.Close()))
	if len(args) == 2 {
		out, err := os.Create(ts.MkAbs(args[1]))
		ts.Check(err)
		ts.Check(errors.Join(pack(filepath.Dir(name), out), out.Close()))
	}
}

// exportedAt matches the only difference between two exports of one journal.
var exportedAt = regexp.MustCompile(`"exported_at": ?"[^"]*"`)

// same is a script command: two JSON exports must differ in nothing but their export
// times, or with ! in something else.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	one, other := exportedAt.ReplaceAllString(ts.ReadFile(args[0]), ""), exportedAt.ReplaceAllString(ts.ReadFile(args[1]), "")
	if (one == other) == neg {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], one, args[1], other)
	}
}

// TestDocumentsHaveEverySetting compares the tables in the README and the guide with the
// code: every variable with its default, and no unknown one.
func TestDocumentsHaveEverySetting(t *testing.T) {
	for _, file := range []string{"../../README.md", "../../docs/guide/administration.md"} {
		t.Run(file, func(t *testing.T) { compareSettings(t, file) })
	}
}

func compareSettings(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(SVC_[A-Z_]+)` \\| (?:`([^`]*)`)? ?\\|").FindAllStringSubmatch(string(text), -1) {
		rows[row[1]] = row[2]
	}
	fields := reflect.TypeFor[settings]()
	for field := range fields.Fields() {
		tag := field.Tag
		name, want := tag.Get("env"), tag.Get("default")
		got, ok := rows[name]
		if !ok {
			t.Errorf("%s is missing", name)
		} else if got != want {
			t.Errorf("the default of %s is documented as %q, it is %q", name, got, want)
		}
		if "--"+tag.Get("name") != "--"+strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "SVC_")), "_", "-") {
			t.Errorf("the flag of %s is --%s", name, tag.Get("name"))
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("%s is documented and does not exist", name)
	}
}
