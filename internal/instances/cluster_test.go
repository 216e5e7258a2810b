package instances_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// cluster is a test's own PostgreSQL server, which may be stopped, killed and followed by
// a standby. The server shared by the other tests is left alone.
type cluster struct {
	t      *testing.T
	bin    string
	home   string
	port   int
	server *exec.Cmd
	ended  chan struct{} // closed when the server has ended
	// settings are given on the command line and win over the files.
	settings []string
}

// newCluster makes and starts a server. Nothing waits for the disk, since the
// machine does not crash; what is acknowledged has left the server's memory.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := bareCluster(t)
	c.run("initdb", "--pgdata="+c.data(), "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	c.start()
	return c
}

func bareCluster(t *testing.T) *cluster {
	t.Helper()
	bin := programs()
	if bin == "" {
		t.Skip("NOT TESTED: PostgreSQL's programs initdb and pg_ctl are not installed here; run make test")
	}
	home, err := os.MkdirTemp("/tmp", "fillbook-cluster-") // a socket's path may not be long
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, bin: bin, home: home}
	c.removeAtEnd()
	if owner := serverUser(); owner != nil {
		if err := os.Chown(home, int(owner.Uid), int(owner.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// removeAtEnd starts a process ending the server and removing its files when the other
// end of its pipe is closed: at the end of the test, and also if the tests are killed.
func (c *cluster) removeAtEnd() {
	c.t.Helper()
	remover := exec.Command("sh", "-c", `cat >/dev/null; kill -QUIT "$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null)" 2>/dev/null; rm -rf "$0"`, c.home) //nolint:noctx // it ends after the test
	pipe, err := remover.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := remover.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = pipe.Close(); _ = remover.Wait() })
}

// programs is the directory with initdb and pg_ctl, found as scripts/with-postgres finds
// it.
func programs() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	slices.SortFunc(found, func(a, b string) int { return major(a) - major(b) })
	return filepath.Dir(found[len(found)-1])
}

func major(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// serverUser is who runs the server where we are root, which PostgreSQL
// refuses to be.
func serverUser() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if found, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(found.Uid)
			gid, _ := strconv.Atoi(found.Gid)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} // system ids
		}
	}
	return nil
}

func (c *cluster) data() string { return filepath.Join(c.home, "data") }

func (c *cluster) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(name, args...) //nolint:noctx // bounded by what it does
	command.Dir = c.home
	command.Env = []string{"PATH=" + c.bin + ":" + os.Getenv("PATH"), "LC_ALL=C"}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: serverUser()}
	return command
}

// run runs one of PostgreSQL's programs, which must succeed.
func (c *cluster) run(name string, args ...string) {
	c.t.Helper()
	command := c.command(filepath.Join(c.bin, name), args...)
	command.WaitDelay = time.Second
	if output, err := command.CombinedOutput(); err != nil {
		c.t.Fatalf("%s: %v\n%s", name, err, output)
	}
}

// start starts the server, at its old port or at a free one, and waits until it answers.
// Ports in use are found out by trying.
func (c *cluster) start() {
	c.t.Helper()
	known := c.port
	for range 20 {
		if known == 0 {
			c.port = 33000 + rand.IntN(12000)
		}
		if c.tryStart() {
			return
		}
	}
	log, _ := os.ReadFile(filepath.Join(c.home, "log"))
	c.t.Fatalf("the server does not start\n%s", log)
}

func (c *cluster) tryStart() bool {
	c.t.Helper()
	args := []string{"-D", c.data(), "-p", strconv.Itoa(c.port), "-k", c.home}
	for _, setting := range append([]string{
		"listen_addresses=127.0.0.1", "fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=60", "wal_level=replica",
		"wal_retrieve_retry_interval=100ms",
	}, c.settings...) {
		args = append(args, "-c", setting)
	}
	log, err := os.OpenFile(filepath.Join(c.home, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // the server has it
	c.server = c.command(filepath.Join(c.bin, "postgres"), args...)
	c.server.Stdout, c.server.Stderr = log, log
	if err := c.server.Start(); err != nil {
		c.t.Fatal(err)
	}
	server, ended := c.server, make(chan struct{})
	go func() { _ = server.Wait(); close(ended) }()
	c.ended = ended
	c.t.Cleanup(func() { _ = server.Process.Signal(syscall.SIGQUIT); <-ended })
	for {
		if c.ping() == nil {
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *cluster) ping() error {
	_, err := c.ask("SELECT 1")
	return err
}

// ask runs a statement and gives its one value.
func (c *cluster) ask(query string) (string, error) {
	conn, err := sql.Open("pgx", c.url())
	if err != nil {
		return "", err
	}
	defer conn.Close() //nolint:errcheck // a test server
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var value sql.NullString
	err = conn.QueryRowContext(ctx, query).Scan(&value)
	return value.String, err
}

func (c *cluster) host() string { return fmt.Sprintf("127.0.0.1:%d", c.port) }

func (c *cluster) url() string { return urlOf(c) }

// urlOf names one server, or several if the writable one is wanted.
func urlOf(first *cluster, others ...*cluster) string {
	hosts := first.host()
	for _, other := range others {
		hosts += "," + other.host()
	}
	attributes := ""
	if len(others) > 0 {
		attributes = "&target_session_attrs=read-write"
	}
	return "postgres://postgres@" + hosts + "/postgres?sslmode=disable" + attributes
}

// kill ends the server at once: connections break, and nothing is written any
// more.
func (c *cluster) kill() {
	c.t.Helper()
	_ = c.server.Process.Signal(syscall.SIGQUIT)
	<-c.ended
}

// stop ends the server as an operator would: connections are closed.
func (c *cluster) stop() {
	c.t.Helper()
	_ = c.server.Process.Signal(syscall.SIGINT)
	<-c.ended
}

// follow makes a standby storing everything before it is acknowledged.
func (c *cluster) follow() *cluster {
	c.t.Helper()
	standby := bareCluster(c.t)
	standby.run("pg_basebackup", "-D", standby.data(), "-R", "-X", "stream", "-c", "fast", "--no-sync",
		"-d", "host=127.0.0.1 port="+strconv.Itoa(c.port)+" user=postgres application_name=standby")
	// Once alone, it must not wait for its own standby.
	standby.settings = []string{"synchronous_standby_names="}
	standby.start()
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if _, err := c.ask(statement); err != nil && err != sql.ErrNoRows { //nolint:errorlint // as the driver gives it
			c.t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		if state, _ := c.ask("SELECT sync_state FROM pg_stat_replication"); state == "sync" {
			return standby
		}
		if time.Now().After(deadline) {
			c.t.Fatal("the standby does not follow")
		}
		<-time.After(20 * time.Millisecond)
	}
}

func (c *cluster) promote() {
	c.t.Helper()
	c.run("pg_ctl", "-D", c.data(), "-w", "promote")
}
