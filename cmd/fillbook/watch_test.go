package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// watchedFolder is a folder, a configuration for it, and the fills in its files.
type watchedFolder struct {
	*victim
	dir, config string
	fills       int
}

func newWatchedFolder(t *testing.T, engine db.Engine) *watchedFolder {
	t.Helper()
	w := &watchedFolder{victim: newVictim(t, engine), dir: t.TempDir(), config: filepath.Join(t.TempDir(), "w.toml")}
	token := w.p.must("POST", "/access-tokens", w.token, map[string]any{"name": "watch", "scope": "import"}, http.StatusCreated)["token"].(string)
	w.runWatch(0, "init", "--server", w.p.address, "--token", token, "--folder", w.dir, "--account", w.account)
	return w
}

// runWatch runs an agent command, which must end with an exit code.
func (w *watchedFolder) runWatch(code int, args ...string) string {
	w.t.Helper()
	command := program(w.t, nil, append([]string{"watch", "--config", w.config}, args...)...)
	output, _ := command.CombinedOutput()
	if got := command.ProcessState.ExitCode(); got != code {
		w.t.Fatalf("watch %s: exit code %d, want %d\n%s", args, got, code, output)
	}
	return string(output)
}

const fillsHeader = "Symbol,Side,Quantity,Price,Executed At\n"

// nextFills returns rows no other call returns.
func (w *watchedFolder) nextFills(n int) string {
	var rows strings.Builder
	for range n {
		w.fills++
		at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Add(time.Duration(w.fills) * time.Second)
		fmt.Fprintf(&rows, "AAPL,%s,1,%d.5,%s\n", []string{"buy", "sell"}[w.fills%2], 100+w.fills%9, at.Format(time.RFC3339))
	}
	return rows.String()
}

// write appends to a file in the folder.
func (w *watchedFolder) write(name, content string) {
	w.t.Helper()
	file, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := file.WriteString(content); err != nil {
		w.t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// TestWatchExitCodes checks the agent's exit codes.
func TestWatchExitCodes(t *testing.T) {
	t.Parallel()
	w := newWatchedFolder(t, db.SQLite)
	w.runWatch(exitUsage, "init")
	if got := w.runWatch(0, "check"); !strings.Contains(got, "the token works") || !strings.Contains(got, w.account+": Main, USD") {
		t.Fatal(got)
	}
	w.write("fills.csv", fillsHeader+w.nextFills(3))
	w.write("readme.txt", "hello")
	if got := w.runWatch(0, "once"); !strings.Contains(got, "fills.csv: 3 fills inserted") || !strings.Contains(got, "Files: 1 imported, 1 skipped.") {
		t.Fatal(got)
	}
	w.write("nozone.csv", fillsHeader+"AAPL,buy,1,10,2026-01-06 15:00:00\n")
	w.runWatch(exitFailed, "once")
	content, err := os.ReadFile(w.config)
	if err != nil {
		t.Fatal(err)
	}
	for from, code := range map[string]int{`token = "svc`: exitUsage, "path = ": exitUsage, w.account: exitUsage, w.p.address: exitFailed} {
		to := map[string]string{`token = "svc`: `token = "xvc`, "path = ": "paths = ", w.account: "none", w.p.address: "http://127.0.0.1:1"}[from]
		if err := os.WriteFile(w.config, []byte(strings.Replace(string(content), from, to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := w.runWatch(code, "check"); strings.Contains(got, "svc_pat") {
			t.Fatalf("the token is in the output: %s", got)
		}
	}
	w.p.stop()
}

// TestKilledAgent kills the agent at random points while files appear and grow, and the
// server in every other round. Nothing may be lost or doubled.
func TestKilledAgent(t *testing.T) {
	t.Parallel()
	rounds := 2
	if os.Getenv("SVC_TEST_KILL_ROUNDS") != "" {
		rounds = 200
	}
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		w := newWatchedFolder(t, engine)
		finished := w.killRepeatedly(rounds)
		w.sendAll()
		w.compareFills()
		w.check()
		if output := w.runWatch(0, "once"); !strings.Contains(output, "No new files.") {
			t.Errorf("a second run: %s", output)
		}
		w.p.stop()
		t.Logf("%d rounds, %d files were finished before a kill", rounds, finished)
	})
}

// sendAll runs the agent until all files are sent. A killed server leaves a request key
// claimed for two minutes, and until then the agent reports a failure.
func (w *watchedFolder) sendAll() {
	w.t.Helper()
	const attempts = 6 // half a minute each
	for range attempts {
		command := program(w.t, nil, "watch", "--config", w.config, "once")
		if output, err := command.CombinedOutput(); err == nil {
			return
		} else if !strings.Contains(string(output), "is still running") {
			w.t.Fatalf("watch once: %v\n%s", err, output)
		}
	}
	w.t.Fatal("the key of a request is claimed for too long")
}

// killRepeatedly kills the agent in each round and the server in every other one, and
// returns how many files were finished before.
func (w *watchedFolder) killRepeatedly(rounds int) (finished int) {
	w.t.Helper()
	w.write("log.csv", fillsHeader)
	content, err := os.ReadFile(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	settings, first := string(content)+"quiet = '1s'\n", w.p.address
	for round := range rounds {
		if err := os.WriteFile(w.config, []byte(strings.Replace(settings, first, w.p.address, 1)), 0o600); err != nil {
			w.t.Fatal(err)
		}
		rows := w.nextFills(10)
		cut := rand.IntN(len(rows))
		// Files are sent two seconds after they were written, in about a tenth of a
		// second.
		moment := func() time.Duration {
			return 1900*time.Millisecond + time.Duration(rand.Int64N(int64(400*time.Millisecond)))
		}
		finished += w.runUntilKilled(moment(), func() {
			for i := range 3 {
				w.write(fmt.Sprintf("fills %d %d.csv", round, i), fillsHeader+w.nextFills(40))
			}
			w.write("log.csv", rows[:cut])
			if round%2 == 1 {
				server := w.p
				time.AfterFunc(moment(), func() { _ = server.command.Process.Kill() })
			}
		})
		if round%2 == 1 {
			w.revive()
		}
		w.write("log.csv", rows[cut:])
	}
	content = []byte(strings.Replace(settings, first, w.p.address, 1))
	if err := os.WriteFile(w.config, content, 0o600); err != nil {
		w.t.Fatal(err)
	}
	return finished
}

// compareFills checks that each written fill is stored once.
func (w *watchedFolder) compareFills() {
	w.t.Helper()
	w.signIn()
	got := map[string]int{}
	for _, fill := range w.listAll("/executions?limit=500") {
		got[fill["executed_at"].(string)]++
	}
	for at, n := range got {
		if n > 1 {
			w.t.Errorf("the fill at %s is stored %d times", at, n)
		}
	}
	if len(got) != w.fills {
		w.t.Errorf("%d fills are stored, want %d", len(got), w.fills)
	}
}

// runUntilKilled starts the agent, runs a function, kills the agent after a while,
// and returns how many files it finished.
func (w *watchedFolder) runUntilKilled(d time.Duration, write func()) (finished int) {
	w.t.Helper()
	command := program(w.t, nil, "watch", "run", "--config", w.config)
	pipe, err := command.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		w.t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		switch {
		case strings.Contains(lines.Text(), "Watching 1 folder."):
			write()
			time.AfterFunc(d, func() { _ = command.Process.Kill() })
		case strings.Contains(lines.Text(), " imported "):
			finished++
		}
	}
	_ = command.Wait()
	return finished
}
