package db_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// child is a test binary process working on a SQLite file until the test kills it without
// warning.
type child struct {
	command *exec.Cmd
	lines   *bufio.Scanner
}

func startChild(t *testing.T, task, file string) *child {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	command := exec.CommandContext(t.Context(), self)
	command.Env = append(os.Environ(), childTask+"="+task, childFile+"="+file)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	return &child{command: command, lines: bufio.NewScanner(out)}
}

// line waits for the child's next line and reports whether there was one.
func (c *child) line() (string, bool) {
	ok := c.lines.Scan()
	return c.lines.Text(), ok
}

// kill ends the child with SIGKILL and gives what it still had said before.
func (c *child) kill() (last []string) {
	_ = c.command.Process.Kill()
	for c.lines.Scan() {
		last = append(last, c.lines.Text())
	}
	_ = c.command.Wait()
	return last
}

// writeUntilKilled is the child that writes: each transaction adds a row to
// two tables, and its number is said only when the commit was acknowledged.
func writeUntilKilled(ctx context.Context, file string) error {
	d, err := db.Open(ctx, db.Options{Path: file, Readers: 1})
	if err != nil {
		return err
	}
	for {
		var number int
		err := d.Update(ctx, func(tx *db.Tx) (err error) {
			number, err = writePair(ctx, tx)
			return err
		})
		if err != nil {
			return err
		}
		if _, err := fmt.Println(number); err != nil {
			return err
		}
	}
}

func writePair(ctx context.Context, tx *db.Tx) (int, error) {
	number, err := countIn(ctx, tx, "probe")
	if err != nil {
		return 0, err
	}
	id := strconv.Itoa(number)
	if err := put(ctx, tx, id); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO probe_part (probe_id, part) VALUES ($1, $2)`, id, number)
	return number, err
}

func TestAcknowledgedWritesSurviveKill(t *testing.T) {
	t.Parallel()
	options := testkit.Options(t, db.SQLite)
	d, err := db.Open(t.Context(), options)
	must(t, err)
	must(t, d.Define(t.Context(), probe))
	must(t, d.Close())

	last := -1
	for range 20 {
		c := startChild(t, "write", options.Path)
		said := []string{}
		for range 1 + rand.IntN(40) {
			line, ok := c.line()
			if !ok {
				t.Fatal("the writing child ended by itself")
			}
			said = append(said, line)
		}
		said = append(said, c.kill()...)
		for _, line := range said {
			number, err := strconv.Atoi(line)
			if err != nil || number != last+1 {
				t.Fatalf("acknowledged %q after %d: a row was lost", line, last)
			}
			last = number
		}
		// The transaction after the last acknowledged one may have been
		// committed too, without an acknowledgment.
		last = max(last, expectPairs(t, options, last+1)-1)
	}
}

// expectPairs opens the file and demands at least so many whole pairs; it
// gives how many there are.
func expectPairs(t *testing.T, options db.Options, atLeast int) int {
	t.Helper()
	d, err := db.Open(t.Context(), options)
	must(t, err)
	defer d.Close() //nolint:errcheck // only read
	rows, parts := count(t, d, "probe"), count(t, d, "probe_part")
	if rows < atLeast || rows != parts {
		t.Fatalf("%d rows and %d parts, %d were acknowledged", rows, parts, atLeast)
	}
	expectIntact(t, d)
	return rows
}

func expectIntact(t *testing.T, d *db.DB) {
	t.Helper()
	for _, quick := range []bool{true, false} {
		problems, err := d.Inspect(t.Context(), quick)
		if err != nil || len(problems) != 0 {
			t.Fatalf("Inspect found %q, %v", problems, err)
		}
	}
}

// longHistory is a schema with many steps, each taking a moment, so a kill has something
// to hit.
func longHistory(steps int) fstest.MapFS {
	files := fstest.MapFS{}
	for i := 1; i <= steps; i++ {
		text := fmt.Sprintf(`CREATE TABLE step_%[1]d (
  n BIGINT NOT NULL PRIMARY KEY,
  label TEXT NOT NULL
);
INSERT INTO step_%[1]d (n, label)
WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 60) SELECT i, 'row' FROM c;
CREATE INDEX step_%[1]d_label ON step_%[1]d (label, n);`, i)
		files[fmt.Sprintf("migrations/%04d_step.sql", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

const longSteps = 12

// migrateOnce is the child that migrates. It says when it begins and ends.
func migrateOnce(ctx context.Context, file string) error {
	d, err := db.Open(ctx, db.Options{Path: file, Readers: 1})
	if err != nil {
		return err
	}
	fmt.Println("begin")
	err = d.MigrateFiles(ctx, longHistory(longSteps))
	fmt.Println("end")
	return errors.Join(err, d.Close())
}

func TestMigrationSurvivesKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := timeToMigrate(t, filepath.Join(dir, "whole.db"))
	file := filepath.Join(dir, "killed.db")
	for round := range 12 {
		c := startChild(t, "migrate", file)
		if line, ok := c.line(); line != "begin" || !ok {
			t.Fatal("the migrating child did not begin")
		}
		<-time.After(rand.N(whole)) // any moment will do
		c.kill()
		if expectWholeSteps(t, file) == longSteps {
			file = filepath.Join(dir, fmt.Sprintf("killed-%d.db", round)) // begin with a new file
		}
	}
	d := open(t, db.Options{Path: file})
	must(t, d.MigrateFiles(t.Context(), longHistory(longSteps)))
	expectIntact(t, d)
	must(t, d.Close())
	if version := expectWholeSteps(t, file); version != longSteps {
		t.Errorf("version %d after the last run, want %d", version, longSteps)
	}
}

func timeToMigrate(t *testing.T, file string) time.Duration {
	t.Helper()
	c := startChild(t, "migrate", file)
	_, _ = c.line()
	began := time.Now()
	if line, _ := c.line(); line != "end" {
		t.Fatalf("the migrating child said %q", line)
	}
	whole := time.Since(began)
	c.kill()
	return whole
}

// expectWholeSteps demands that exactly the applied steps' tables exist, each with all
// its rows, and returns the version.
func expectWholeSteps(t *testing.T, file string) int {
	t.Helper()
	d, err := db.Open(t.Context(), db.Options{Path: file, Readers: 1})
	must(t, err)
	defer d.Close() //nolint:errcheck // only read
	version, err := d.Version(t.Context())
	must(t, err)
	tables := count(t, d, `sqlite_master WHERE type = 'table' AND name LIKE 'step%'`)
	if tables != version {
		t.Fatalf("version %d with %d tables", version, tables)
	}
	for i := 1; i <= version; i++ {
		if n := count(t, d, fmt.Sprint("step_", i)); n != 60 {
			t.Fatalf("step %d has %d rows, want 60", i, n)
		}
	}
	expectIntact(t, d)
	return version
}
