//go:build patroni

// This test needs a Patroni cluster: run it with scripts/with-patroni.

package instances_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fillbook/internal/base/journal"
)

// failoverTime is the longest time Patroni may need to promote a standby, with its
// default settings: ttl (30 s), loop_wait (10 s) and some time to promote.
const failoverTime = 90 * time.Second

// TestPatroni writes through three instances while Patroni changes the primary: by
// a planned switchover, after its server was killed, and after a whole node was
// killed. Clients get success or a 503 and nothing else, and every acknowledged
// write is stored afterwards.
func TestPatroni(t *testing.T) {
	p := patroni{t, os.Getenv("SVC_TEST_PATRONI")}
	f := newFleet(t, os.Getenv("SVC_TEST_PATRONI_URL"), journal.SystemClock)
	load := f.write()
	for _, fault := range []struct {
		name string
		run  func(primary string)
	}{
		{"planned switchover", p.switchOver},
		{"killed server", p.killServer},
		{"killed node", p.killNode},
	} {
		p.waitForStandby()
		if !load.progress(20, recoveryTime) {
			t.Fatalf("%s: nothing was written before it", fault.name)
		}
		load.measurePause()
		fault.run(p.primary())
		if !load.progress(20, failoverTime) {
			t.Fatalf("%s: nothing was written within %s after it", fault.name, failoverTime)
		}
		t.Logf("%s: writes paused for %s", fault.name, load.pause().Round(100*time.Millisecond))
	}
	load.end()
	f.compare(load)
}

// measurePause begins to measure the longest time between two acknowledged writes.
func (l *load) measurePause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.longest = time.Now(), 0
}

// pause returns the longest time between two acknowledged writes since measurePause.
func (l *load) pause() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.longest
}

// patroni is a cluster started by scripts/with-patroni.
type patroni struct {
	t    *testing.T
	home string
}

// isPrimary reports whether a node claims to be the primary.
func (p patroni) isPrimary(node string) bool {
	p.t.Helper()
	response, err := http.Get(fmt.Sprintf("http://127.0.0.1:%s/primary", p.read(node+".port"))) //nolint:noctx // a test on this machine
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (p patroni) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.home, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// primary returns the primary node, as soon as there is one.
func (p patroni) primary() string {
	p.t.Helper()
	for deadline := time.Now().Add(failoverTime); time.Now().Before(deadline); <-time.After(100 * time.Millisecond) {
		for _, node := range []string{"node1", "node2", "node3"} {
			if p.isPrimary(node) {
				return node
			}
		}
	}
	p.t.Fatal("no node is the primary")
	return ""
}

// control runs patronictl, which asks etcd and not a node.
func (p patroni) control(args ...string) string {
	p.t.Helper()
	args = append([]string{"-c", filepath.Join(p.home, "node1.yml")}, args...)
	output, err := exec.Command("patronictl", args...).CombinedOutput() //nolint:noctx // it ends by itself
	if err != nil {
		p.t.Fatalf("patronictl %s: %v: %s", args, err, output)
	}
	return string(output)
}

// waitForStandby waits until etcd has a standby storing every write. Before, Patroni
// promotes none, because it could lack a write.
func (p patroni) waitForStandby() {
	p.t.Helper()
	for deadline := time.Now().Add(failoverTime); time.Now().Before(deadline); <-time.After(500 * time.Millisecond) {
		if strings.Contains(p.control("list"), "Sync Standby") {
			return
		}
	}
	p.t.Fatal("no standby stores every write")
}

// switchOver makes the standby the primary and waits until it is.
func (p patroni) switchOver(primary string) {
	p.t.Helper()
	output := p.control("switchover", "fillbook", "--master", primary, "--force")
	if p.primary() == primary {
		p.t.Fatalf("%s is still the primary: %s", primary, output)
	}
}

// killServer kills a node's PostgreSQL server. Patroni runs on.
func (p patroni) killServer(node string) {
	p.t.Helper()
	pid, _, _ := strings.Cut(p.read(node+"/postmaster.pid"), "\n")
	p.kill(pid)
}

// killNode kills Patroni and the PostgreSQL server on a node.
func (p patroni) killNode(node string) {
	p.t.Helper()
	p.kill(p.read(node + ".pid"))
	p.killServer(node)
}

func (p patroni) kill(text string) {
	p.t.Helper()
	pid, err := strconv.Atoi(text)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
}
