package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// process is a fillbook server running as its own process.
type process struct {
	t       *testing.T
	command *exec.Cmd
	address string
	stderr  *lockedBuffer
	ended   chan error
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// program returns a command running fillbook with its own settings.
func program(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := fillbook()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), path, args...)
	command.Env = append([]string{
		"SVC_HTTP_ADDR=127.0.0.1:0", "SVC_RATE_LIMIT_AUTH=off", "SVC_RATE_LIMIT_SECRETS=off", "SVC_IMPORTS_AT_ONCE=0",
	}, env...)
	return command
}

// engineEnv names a fresh database on an engine for a process.
func engineEnv(t *testing.T, engine db.Engine) []string {
	t.Helper()
	env := []string{"SVC_DATA_DIR=" + filepath.Join(t.TempDir(), "data")}
	if engine == db.PostgreSQL {
		env = append(env, "SVC_DATABASE_URL="+testkit.Empty(t, engine).URL)
	}
	return env
}

var servingAt = regexp.MustCompile(`msg=serving address=(\S+)`)

// serve starts a server and waits until it says where it is.
func serve(t *testing.T, env []string) *process {
	t.Helper()
	return start(t, program(t, env, "serve"))
}

func start(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, command: command, stderr: &lockedBuffer{}, ended: make(chan error, 1)}
	pipe, err := p.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(io.TeeReader(pipe, p.stderr))
		for lines.Scan() {
			if match := servingAt.FindStringSubmatch(lines.Text()); match != nil {
				found <- match[1]
			}
		}
		p.ended <- p.command.Wait()
	}()
	select {
	case p.address = <-found:
	case err := <-p.ended:
		t.Fatalf("the server ended: %v\n%s", err, p.stderr)
	case <-time.After(90 * time.Second):
		t.Fatalf("the server did not start\n%s", p.stderr)
	}
	t.Cleanup(func() { _ = p.command.Process.Kill() })
	return p
}

// call sends a JSON request and returns the status and the decoded answer, a list as rows.
// An error means there was no answer.
func (p *process) call(method, path, token string, body any) (int, map[string]any, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.address+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(response.Body)
	answer := map[string]any{}
	switch {
	case bytes.HasPrefix(content, []byte("{")):
		_ = json.Unmarshal(content, &answer)
	case bytes.HasPrefix(content, []byte("[")):
		var rows []any
		_ = json.Unmarshal(content, &rows)
		answer["rows"] = rows
	}
	return response.StatusCode, answer, err
}

func (p *process) must(method, path, token string, body any, want int) map[string]any {
	p.t.Helper()
	status, answer, err := p.call(method, path, token, body)
	if err != nil || status != want {
		p.t.Fatalf("%s %s: status %d, want %d: %v %v\n%s", method, path, status, want, answer, err, p.stderr)
	}
	return answer
}

// stop ends the server and returns its exit code.
func (p *process) stop() int {
	p.t.Helper()
	_ = p.command.Process.Signal(syscall.SIGTERM)
	return p.wait()
}

func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	case <-time.After(60 * time.Second):
		p.t.Fatalf("the server did not end\n%s", p.stderr)
		return -1
	}
}

func eachEngine(t *testing.T, fn func(t *testing.T, engine db.Engine)) {
	t.Helper()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			fn(t, engine)
		})
	}
}

var someone = map[string]any{"email": "ann@example.org", "password": "a long sentence works well"}

func TestServeAndStop(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		env := engineEnv(t, engine)
		p := serve(t, env)
		p.must("POST", "/setup", "", someone, http.StatusCreated)
		if code := p.stop(); code != 0 {
			t.Fatalf("SIGTERM ended it with %d\n%s", code, p.stderr)
		}
		again := serve(t, env)
		again.must("POST", "/auth/login", "", someone, http.StatusOK)
		again.stop()
		if strings.Contains(p.stderr.String()+again.stderr.String(), "a long sentence") {
			t.Fatal("the password is in the log")
		}
	})
}

func TestDataDirectoryIsPrivate(t *testing.T) {
	t.Parallel()
	env := engineEnv(t, db.SQLite)
	p := serve(t, env)
	p.must("POST", "/setup", "", someone, http.StatusCreated)
	dir := strings.TrimPrefix(env[0], "SVC_DATA_DIR=")
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p.stop()
}

func TestNewerDatabaseIsRefusedUntouched(t *testing.T) {
	t.Parallel()
	env := engineEnv(t, db.SQLite)
	serve(t, env).stop()
	file := filepath.Join(strings.TrimPrefix(env[0], "SVC_DATA_DIR="), databaseFile)
	d, err := db.Open(t.Context(), db.Options{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Update(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (999, 'later', 'x', 0)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	command := program(t, env, "serve")
	output, _ := command.CombinedOutput()
	if code := command.ProcessState.ExitCode(); code != exitNewer {
		t.Fatalf("exit code %d, want %d\n%s", code, exitNewer, output)
	}
	if !bytes.Contains(output, []byte("database version 999, this program supports")) {
		t.Fatalf("it says %s", output)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(before, after) {
		t.Fatalf("the file was changed (%v)", err)
	}
}

func TestAnotherSecretIsRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		env := engineEnv(t, engine)
		serve(t, env).stop()
		command := program(t, append(env, "SVC_JWT_SECRET="+strings.Repeat("x", 32)), "serve")
		output, _ := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != exitUsage {
			t.Fatalf("exit code %d, want %d\n%s", code, exitUsage, output)
		}
		if bytes.Contains(output, []byte("xxxxxxxx")) {
			t.Fatalf("the secret is in the output: %s", output)
		}
	})
}

// TestOperatorBesideServer runs the operator's commands while a server has the
// database open.
func TestOperatorBesideServer(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		env := engineEnv(t, engine)
		p := serve(t, env)
		p.must("POST", "/setup", "", someone, http.StatusCreated)
		command := program(t, env, "create-user", "--email", "bob@example.org")
		command.Stdin = strings.NewReader("the password of bob\n")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		p.must("POST", "/auth/login", "", map[string]any{"email": "bob@example.org", "password": "the password of bob"}, http.StatusOK)
		if output, err := program(t, env, "disable-totp", "--email", "bob@example.org").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		command = program(t, env, "reset-password", "--email", "bob@example.org")
		command.Stdin = strings.NewReader("another password of bob\n")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		in := p.must("POST", "/auth/login", "", map[string]any{"email": "bob@example.org", "password": "another password of bob"}, http.StatusOK)
		changes := p.must("GET", "/history?actor=cli", in["access_token"].(string), nil, http.StatusOK)["rows"].([]any)
		var summaries []string
		for _, c := range slices.Backward(changes) {
			summaries = append(summaries, c.(map[string]any)["summary"].(string))
		}
		if want := []string{"Created a user", "Reset a password"}; !slices.Equal(summaries, want) {
			t.Errorf("the history has %q of the command line, want %q", summaries, want)
		}
		p.stop()
	})
}

// TestManyLoginsAtOnce sends 80 logins at the same time: each is answered,
// memory stays bounded, and others are still served.
func TestManyLoginsAtOnce(t *testing.T) {
	t.Parallel()
	p := serve(t, engineEnv(t, db.SQLite))
	p.must("POST", "/setup", "", someone, http.StatusCreated)
	var wait sync.WaitGroup
	statuses := make([]int, 80)
	for i := range statuses {
		wait.Go(func() {
			statuses[i], _, _ = p.call("POST", "/auth/login", "", map[string]any{"email": fmt.Sprintf("u%d@example.org", i), "password": "not the right one"})
		})
	}
	p.must("GET", "/setup/status", "", nil, http.StatusOK)
	wait.Wait()
	for i, status := range statuses {
		if status != http.StatusUnauthorized && status != http.StatusServiceUnavailable {
			t.Fatalf("login %d: status %d", i, status)
		}
	}
	if peak := peakMemory(t, p.command.Process.Pid); peak > 512<<10 {
		t.Fatalf("memory peaked at %d KiB", peak)
	}
	p.stop()
}

// peakMemory returns a process's maximum resident memory, in KiB.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Logf("no /proc here, memory is not looked at: %v", err)
		return 0
	}
	var peak int
	match := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if match == nil {
		t.Fatal("no VmHWM")
	}
	_, err = fmt.Sscan(string(match[1]), &peak)
	if err != nil {
		t.Fatal(err)
	}
	return peak
}
