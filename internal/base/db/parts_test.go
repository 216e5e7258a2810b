package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

var errOnPurpose = errors.New("on purpose")

// partsDB is a server's database with two users and two tables, one referring to the
// other.
type partsDB struct {
	*db.DB
	t *testing.T
}

const (
	importer = int64(1)
	other    = int64(2)
)

func newPartsDB(t *testing.T) partsDB {
	t.Helper()
	options := testkit.Options(t, db.SQLite)
	options.Server = true
	d, err := db.Open(t.Context(), options)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	d.SetPartTime(0) // every statement is a part
	must(t, d.Define(t.Context(), `
		CREATE TABLE boxes (user_id INTEGER NOT NULL, id TEXT COLLATE "C" NOT NULL, size TEXT, PRIMARY KEY (user_id, id));
		CREATE TABLE things (
		  user_id INTEGER NOT NULL, n BIGINT NOT NULL, box TEXT, data BYTEA, PRIMARY KEY (user_id, n),
		  FOREIGN KEY (user_id, box) REFERENCES boxes (user_id, id) ON DELETE CASCADE
		) /* clustered */;
		INSERT INTO users (number, id, email, email_key, password_hash, is_admin, created_at)
		  VALUES (1, 'a', 'a@example.org', 'a@example.org', '', FALSE, 0), (2, 'b', 'b@example.org', 'b@example.org', '', FALSE, 0)`))
	return partsDB{DB: d, t: t}
}

const (
	insertBox   = `INSERT INTO boxes (user_id, id, size) VALUES ($1, $2, $3)`
	insertThing = `INSERT INTO things (user_id, n, box, data) VALUES ($1, $2, $3, $4)`
	countThings = `SELECT COUNT(*) FROM things WHERE user_id = $1`
)

func addThings(ctx context.Context, tx *db.Tx, owner int64, from, to int) error {
	if to-from >= 50 { // all in one statement, with shared values
		var rows [][]any
		for n := from; n < to; n++ {
			rows = append(rows, []any{owner, n, nil, []byte{byte(n)}})
		}
		_, err := tx.InsertMany(ctx, "things", []string{"user_id", "n", "box", "data"}, "", rows)
		return err
	}
	for n := from; n < to; n++ {
		if _, err := tx.Exec(ctx, insertThing, owner, n, nil, []byte{byte(n)}); err != nil {
			return err
		}
	}
	return nil
}

// things returns how many things a user has, as others see it with Peek and View.
func (d partsDB) things(owner int64) int {
	d.t.Helper()
	var single, whole int
	must(d.t, d.Peek(d.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(d.t.Context(), countThings, owner).Scan(&single)
	}))
	must(d.t, d.View(d.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(d.t.Context(), countThings, owner).Scan(&whole)
	}))
	if single != whole {
		d.t.Errorf("Peek counts %d things, View %d", single, whole)
	}
	return whole
}

// dump returns all rows in the two tables and unfinished_writes.
func (d partsDB) dump() string {
	d.t.Helper()
	var text strings.Builder
	must(d.t, d.View(d.t.Context(), func(tx *db.Tx) error {
		for _, query := range []string{
			`SELECT user_id, id, size, NULL FROM boxes ORDER BY 1, 2`, `SELECT user_id, n, box, hex(data) FROM things ORDER BY 1, 2`,
			`SELECT user_id, part, NULL, NULL FROM unfinished_writes ORDER BY 1, 2`,
		} {
			err := db.Each(d.t.Context(), tx, func(row db.Scanner) error {
				cells := make([]any, 4)
				err := row.Scan(&cells[0], &cells[1], &cells[2], &cells[3])
				fmt.Fprintln(&text, cells...)
				return err
			}, query)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return text.String()
}

func (d partsDB) update(fn func(*db.Tx) error) {
	d.t.Helper()
	must(d.t, d.Update(d.t.Context(), fn))
}

// TestPartsAreHiddenUntilTheEnd checks what others see inside a long write: its user's
// state before, and their own rows as they write them.
func TestPartsAreHiddenUntilTheEnd(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	d.update(func(tx *db.Tx) error { return addThings(ctx, tx, importer, 0, 3) })
	waited := make(chan error, 1)
	must(t, d.UpdateInParts(ctx, importer, func(tx *db.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM things WHERE user_id = $1 AND n = 0`, importer); err != nil {
			return err
		}
		if err := addThings(ctx, tx, importer, 10, 60); err != nil {
			return err
		}
		must(t, tx.ReleaseWriter(ctx))
		if n := d.things(importer); n != 3 {
			t.Errorf("in the middle others see %d things, want 3", n)
		}
		d.update(func(tx *db.Tx) error { return addThings(ctx, tx, other, 0, 5) })
		if n := d.things(other); n != 5 {
			t.Errorf("another user sees %d things of his own, want 5", n)
		}
		go func() {
			waited <- d.Update(ctx, func(tx *db.Tx) error {
				var n int
				if err := tx.QueryRow(ctx, countThings, importer).Scan(&n); err != nil {
					return err
				}
				if n != 102 {
					return fmt.Errorf("another write of the user sees %d things, want 102", n)
				}
				return nil
			})
		}()
		var own int
		must(t, tx.QueryRow(ctx, countThings, importer).Scan(&own))
		if own != 52 {
			t.Errorf("the write itself sees %d things, want 52", own)
		}
		return addThings(ctx, tx, importer, 100, 150)
	}))
	must(t, <-waited)
	if n := d.things(importer); n != 102 {
		t.Errorf("after the end there are %d things, want 102", n)
	}
	if dump := d.dump(); strings.Contains(dump, "<nil> <nil> <nil>") {
		t.Errorf("parts are left:\n%s", dump)
	}
}

// TestDeleteInChunks deletes many rows in a long write, which is undone, and again.
func TestDeleteInChunks(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	d.update(func(tx *db.Tx) error {
		must(t, addThings(ctx, tx, other, 0, 50))
		return addThings(ctx, tx, importer, 0, 2500)
	})
	before := d.dump()
	deleteThings := func(then error) error {
		return d.UpdateInParts(ctx, importer, func(tx *db.Tx) error {
			if err := tx.DeleteInChunks(ctx, "things", "data, n", `user_id = $1 AND n >= $2`, importer, 100); err != nil {
				return err
			}
			must(t, tx.ReleaseWriter(ctx))
			if n := d.things(importer); n != 2500 {
				t.Errorf("in the middle others see %d things", n)
			}
			d.update(func(tx *db.Tx) error { // others can write
				_, err := tx.Exec(ctx, insertBox, other, fmt.Sprint(then), "")
				return err
			})
			return then
		})
	}
	if err := deleteThings(errOnPurpose); !errors.Is(err, errOnPurpose) {
		t.Errorf("the error is %v", err)
	}
	d.update(func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM boxes WHERE user_id = $1`, other)
		return err
	})
	if d.dump() != before {
		t.Error("the deletion was not undone")
	}
	must(t, deleteThings(nil))
	if n, rest := d.things(importer), d.things(other); n != 100 || rest != 50 {
		t.Errorf("%d and %d things are left", n, rest)
	}
}

// TestLookupBeforePinnedRead reads a row without a user, as for a public link, and then
// rows for the user it names.
func TestLookupBeforePinnedRead(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	must(t, d.UpdateInParts(ctx, importer, func(tx *db.Tx) error {
		must(t, addThings(ctx, tx, importer, 0, 5))
		must(t, tx.ReleaseWriter(ctx))
		return d.View(ctx, func(tx *db.Tx) error {
			var user, n int
			must(t, tx.QueryRow(ctx, `SELECT number FROM users WHERE id = $1`, "a").Scan(&user))
			must(t, tx.QueryRow(ctx, countThings, user).Scan(&n))
			if n != 0 {
				t.Errorf("others see %d things", n)
			}
			return nil
		})
	}))
}

// TestSnapshotBeforeOutlivesCheckpoints reads the state before a long write after
// many other transactions were committed and copied to the file.
func TestSnapshotBeforeOutlivesCheckpoints(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	for range 3 {
		must(t, d.UpdateInParts(ctx, importer, func(tx *db.Tx) error {
			must(t, addThings(ctx, tx, importer, 0, 10))
			must(t, tx.ReleaseWriter(ctx))
			for i := range 20 {
				d.update(func(tx *db.Tx) error {
					_, err := tx.Exec(ctx, insertThing, other, d.things(other), nil, make([]byte, 500<<10))
					return err
				})
				if n := d.things(importer); n != 0 {
					t.Fatalf("after %d writes others see %d things", i, n)
				}
			}
			_, err := tx.Exec(ctx, `DELETE FROM things WHERE user_id = $1`, importer)
			return err
		}))
	}
}

// changeRandomly runs random statements in a long write.
func changeRandomly(ctx context.Context, tx *db.Tx, random *rand.Rand) error {
	box := func() string { return fmt.Sprint("box ", random.IntN(8)) }
	thing := func() int { return random.IntN(60) }
	for range 30 {
		var err error
		switch random.IntN(7) {
		case 0:
			_, err = tx.Exec(ctx, insertBox+` ON CONFLICT (user_id, id) DO UPDATE SET size = excluded.size`, importer, box(), "new")
		case 1:
			_, err = tx.Exec(ctx, insertThing+` ON CONFLICT DO NOTHING`, importer, thing(), nil, []byte("new"))
		case 2:
			_, err = tx.Exec(ctx, `DELETE FROM boxes WHERE user_id = $1 AND id = $2`, importer, box())
		case 3:
			_, err = tx.Exec(ctx, `DELETE FROM things WHERE user_id = $1 AND n BETWEEN $2 AND $2 + 3`, importer, thing())
		case 4:
			_, err = tx.Exec(ctx, `UPDATE things SET n = n + 1000, data = NULL WHERE user_id = $1 AND n BETWEEN $2 AND $2 + 3 AND n < 900`, importer, thing())
		case 5:
			_, err = tx.Exec(ctx, `UPDATE things SET box = (SELECT MIN(id) FROM boxes WHERE user_id = $1) WHERE user_id = $1 AND n = $2`, importer, thing())
		default:
			_, err = tx.InsertMany(ctx, "things", []string{"user_id", "n", "box", "data"}, "ON CONFLICT DO NOTHING",
				[][]any{{importer, thing() + 100, nil, nil}, {importer, thing() + 100, nil, nil}})
		}
		if err == nil && random.IntN(20) == 0 {
			first := 2000 + 100*random.IntN(1000)
			err = addThings(ctx, tx, importer, first, first+70)
		}
		if err != nil && !errors.Is(err, db.ErrConflict) {
			return err
		}
		if err != nil {
			return nil //nolint:nilerr // a moved key was in use; the rest is undone
		}
	}
	return nil
}

// TestPartsAreUndone makes random changes, ends them with an error, a panic or a
// crash, and compares the rows with those before.
func TestPartsAreUndone(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	random := rand.New(rand.NewPCG(1, 2))
	d.update(func(tx *db.Tx) error {
		for i := range 8 {
			if _, err := tx.Exec(ctx, insertBox, importer, fmt.Sprint("box ", i), "old"); err != nil {
				return err
			}
		}
		for i := range 40 {
			if _, err := tx.Exec(ctx, insertThing, importer, i, fmt.Sprint("box ", i%8), []byte{0, byte(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	before := d.dump()
	for round := range 6 {
		crashed := filepath.Join(t.TempDir(), "crashed.db")
		run := func() (err error) {
			defer func() {
				if recover() != nil {
					err = errOnPurpose
				}
			}()
			return d.UpdateInParts(ctx, importer, func(tx *db.Tx) error {
				if err := changeRandomly(ctx, tx, random); err != nil {
					return err
				}
				must(t, tx.ReleaseWriter(ctx))
				must(t, d.Snapshot(ctx, crashed))
				if round%2 == 0 {
					panic("on purpose")
				}
				return errOnPurpose
			})
		}
		if err := run(); !errors.Is(err, errOnPurpose) && !errors.Is(err, db.ErrConflict) {
			t.Fatalf("round %d: %v", round, err)
		}
		if after := d.dump(); after != before {
			t.Fatalf("round %d: the rows are\n%s\nand were\n%s", round, after, before)
		}
		for _, isServer := range []bool{true, false} {
			c, err := db.Open(ctx, db.Options{Path: crashed, Server: isServer})
			must(t, err)
			if after := (partsDB{c, t}).dump(); after != before {
				t.Fatalf("round %d: after a crash the rows are\n%s\nand were\n%s", round, after, before)
			}
			must(t, c.Close())
		}
	}
}

// TestOtherProcessWaitsForParts opens the file as a command does beside the
// server: it sees no part.
func TestOtherProcessWaitsForParts(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	command, err := db.Open(ctx, db.Options{Path: d.Path()})
	must(t, err)
	defer command.Close() //nolint:errcheck // a test
	counted := make(chan int, 2)
	must(t, d.UpdateInParts(ctx, importer, func(tx *db.Tx) error {
		must(t, addThings(ctx, tx, importer, 0, 5))
		must(t, tx.ReleaseWriter(ctx))
		for range 2 {
			go func() { counted <- (partsDB{command, t}).things(importer) }()
		}
		return addThings(ctx, tx, importer, 5, 20)
	}))
	for range 2 {
		if n := <-counted; n != 20 {
			t.Errorf("the command counts %d things, want 20", n)
		}
	}
}

// TestLongWritesOfTwoUsers runs two long writes at a time, and two for one user.
func TestLongWritesOfTwoUsers(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	done := make(chan error, 4)
	for i, owner := range []int64{importer, other, importer, other} {
		go func() {
			done <- d.UpdateInParts(ctx, owner, func(tx *db.Tx) error { return addThings(ctx, tx, owner, 100*i, 100*i+30) })
		}()
	}
	for range 4 {
		must(t, <-done)
	}
	if a, b := d.things(importer), d.things(other); a != 60 || b != 60 {
		t.Errorf("the users have %d and %d things, want 60 each", a, b)
	}
}

// TestUndoOfAnotherUsersRows fails a long write that has changed another user's rows after
// that user's own long write has begun: it is undone all the same, and both users can write.
func TestUndoOfAnotherUsersRows(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	changed, begun, failed, ended := make(chan struct{}), make(chan struct{}), errors.New("failed"), make(chan error)
	go func() {
		ended <- d.UpdateInParts(ctx, importer, func(tx *db.Tx) error {
			if err := addThings(ctx, tx, other, 0, 3); err != nil {
				return err
			}
			if err := tx.ReleaseWriter(ctx); err != nil {
				return err
			}
			close(changed)
			<-begun
			return failed
		})
	}()
	<-changed
	must(t, d.UpdateInParts(ctx, other, func(tx *db.Tx) error {
		close(begun)
		if err := <-ended; !errors.Is(err, failed) {
			t.Errorf("the first write ends with %v", err)
		}
		return addThings(ctx, tx, other, 100, 102)
	}))
	must(t, d.UpdateInParts(ctx, importer, func(tx *db.Tx) error { return addThings(ctx, tx, importer, 0, 1) }))
	if a, b := d.things(importer), d.things(other); a != 1 || b != 2 {
		t.Errorf("the users have %d and %d things, want 1 and 2", a, b)
	}
}

// TestLastPart checks that others see the statements after BeginLastPart only together.
func TestLastPart(t *testing.T) {
	t.Parallel()
	d := newPartsDB(t)
	ctx := t.Context()
	must(t, d.UpdateInParts(ctx, importer, func(tx *db.Tx) error {
		if err := addThings(ctx, tx, importer, 0, 3); err != nil {
			return err
		}
		if err := tx.BeginLastPart(ctx); err != nil {
			return err
		}
		if err := addThings(ctx, tx, other, 0, 3); err != nil {
			return err
		}
		if n := d.things(other); n != 0 {
			t.Errorf("the other user sees %d things of the last part", n)
		}
		return nil
	}))
	if a, b := d.things(importer), d.things(other); a != 3 || b != 3 {
		t.Errorf("the users have %d and %d things, want 3 each", a, b)
	}
}
