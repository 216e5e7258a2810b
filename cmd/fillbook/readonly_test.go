package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fillbook/internal/base/db"
)

// TestReadOnlyStart starts the server on read-only files: reading works, nothing can be
// changed, and nothing is created.
func TestReadOnlyStart(t *testing.T) {
	t.Parallel()
	env := engineEnv(t, db.SQLite)
	p := serve(t, env)
	made := p.must("POST", "/setup", "", map[string]any{
		"email": someone["email"], "password": someone["password"], "account": map[string]any{"name": "Main"},
	}, http.StatusCreated)
	token := made["access_token"].(string)
	pat := p.must("POST", "/access-tokens", token, map[string]any{"name": "reader"}, http.StatusCreated)["token"].(string)
	p.stop()
	dir := dataDir(env)
	for name, lock := range waysToLock(t) {
		t.Run(name, func(t *testing.T) { readOnlyServer(t, env, lock(t, dir), token, pat) })
	}
	again := serve(t, env)
	again.must("POST", "/tags", token, map[string]any{"name": "writable again"}, http.StatusCreated)
	again.stop()
}

// readOnlyServer starts a server with wrap and checks what it can do.
func readOnlyServer(t *testing.T, env []string, wrap func(*exec.Cmd), token, pat string) {
	t.Helper()
	before := listing(t, dataDir(env))
	command := program(t, env, "serve")
	wrap(command)
	p := start(t, command)
	for _, path := range []string{"/me", "/accounts", "/executions", "/trades", "/analytics/summary", "/routines", "/routines/history", "/access-tokens", "/imports", "/notes", "/exports?format=json"} {
		for _, credential := range []string{token, pat} {
			p.must("GET", path, credential, nil, http.StatusOK)
		}
	}
	for path, body := range map[string]any{
		"/tags": map[string]any{"name": "x"}, "/notes": map[string]any{"body": "x", "occurred_at": "2026-03-02"},
		"/auth/login": someone, "/routines": map[string]any{"title": "x", "stage": "pre", "weekdays": []int{1}},
	} {
		answer := p.must("POST", path, token, body, http.StatusServiceUnavailable)
		if code := answer["error"].(map[string]any)["code"]; code != "read_only" {
			t.Errorf("POST %s: code %v", path, code)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.stderr)
	}
	if !strings.Contains(p.stderr.String(), "the database is read-only") {
		t.Errorf("the log has no warning:\n%s", p.stderr)
	}
	if strings.Contains(p.stderr.String(), "recording uses failed") {
		t.Errorf("the log has errors of the recorder:\n%s", p.stderr)
	}
	check := program(t, env, "check")
	wrap(check)
	if output, err := check.CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, output)
	}
	if after := listing(t, dataDir(env)); after != before {
		t.Errorf("the directory was\n%s\nand is\n%s", before, after)
	}
}

func dataDir(env []string) string { return strings.TrimPrefix(env[0], "SVC_DATA_DIR=") }

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

// waysToLock are ways to prevent writing: by permissions, and for root, which ignores
// them, as another user and by a private mount.
func waysToLock(t *testing.T) map[string]func(*testing.T, string) func(*exec.Cmd) {
	t.Helper()
	ways := map[string]func(*testing.T, string) func(*exec.Cmd){"permissions": byPermissions}
	if os.Getuid() == 0 && exec.Command("unshare", "-m", "mount", "--bind", "-r", t.TempDir(), t.TempDir()).Run() == nil { //nolint:noctx // a test
		ways["mount"] = byMount
	}
	return ways
}

const nobody = 65534

func byPermissions(t *testing.T, dir string) func(*exec.Cmd) {
	t.Helper()
	modes := map[string]os.FileMode{}
	visit := func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		modes[path] = info.Mode().Perm()
		mode := os.FileMode(0o400)
		if entry.IsDir() {
			mode = 0o500
		}
		if os.Getuid() == 0 {
			if err := os.Chown(path, nobody, -1); err != nil {
				return err
			}
		}
		return os.Chmod(path, mode)
	}
	if err := filepath.WalkDir(dir, visit); err != nil {
		t.Fatal(err)
	}
	for parent := filepath.Dir(dir); parent != filepath.Clean(os.TempDir()); parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil { // for the other user to pass through
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for path, mode := range modes {
			_ = os.Chmod(path, mode)
			_ = os.Chown(path, os.Getuid(), -1)
		}
	})
	return func(command *exec.Cmd) {
		if os.Getuid() == 0 {
			runAs(command, nobody)
		}
	}
}

// byMount runs the program where its data directory is mounted read-only.
func byMount(_ *testing.T, dir string) func(*exec.Cmd) {
	return func(command *exec.Cmd) {
		args := append([]string{"-m", "sh", "-c", `mount --bind -r "$0" "$0" && exec "$@"`, dir, command.Path}, command.Args[1:]...)
		wrapped := exec.Command("unshare", args...) //nolint:noctx // only names the program
		command.Path, command.Args, command.Err = wrapped.Path, wrapped.Args, wrapped.Err
		command.Env = append(command.Env, "PATH="+os.Getenv("PATH"))
	}
}

// TestReadOnlyNeedsTheNewestSchema checks that a read-only database in need of a
// migration is rejected.
func TestReadOnlyNeedsTheNewestSchema(t *testing.T) {
	t.Parallel()
	env := engineEnv(t, db.SQLite)
	serve(t, env).stop()
	d, err := db.Open(t.Context(), db.Options{Path: filepath.Join(dataDir(env), databaseFile)})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Update(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `DELETE FROM schema_migrations WHERE version = $1`, db.Latest())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	command := program(t, env, "serve")
	byPermissions(t, dataDir(env))(command)
	output, _ := command.CombinedOutput()
	if command.ProcessState.ExitCode() != exitUsage || !bytes.Contains(output, []byte("because it is read-only")) {
		t.Fatalf("exit code %d\n%s", command.ProcessState.ExitCode(), output)
	}
}
