package db_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

func TestValuesComeBackAsTheyWere(t *testing.T) {
	at := time.Date(2199, 12, 31, 23, 59, 59, 999999000, time.UTC)
	early := time.Date(1970, 1, 1, 0, 0, 0, 1000, time.FixedZone("", 3600))
	amount := "-" + strings.Repeat("9", 40) + "." + strings.Repeat("1", 40)
	type row struct {
		Label  string
		N      int64
		Flag   bool
		Amount *string
		At     *time.Time
		Raw    []byte
	}
	rows := map[journal.NoteID]row{
		"all":   {"Zürich 🎉 'quoted' \"too\" $1 ?", 1<<63 - 1, true, &amount, &at, []byte{0, 255, 0, 1}},
		"early": {"early", -1 << 63, false, nil, &early, bytes.Repeat([]byte{7}, 100_000)},
		"none":  {"", 0, false, nil, nil, nil},
	}
	eachProbe(t, func(t *testing.T, d *db.DB) {
		for id, want := range rows {
			update(t, d, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.Exec(ctx, `INSERT INTO probe (id, label, n, flag, amount, at, raw) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
					id, want.Label, want.N, want.Flag, want.Amount, db.NullMicros(want.At), want.Raw)
				return err
			})
			var got row
			must(t, d.Peek(t.Context(), func(tx *db.Tx) error {
				return tx.QueryRow(t.Context(), `SELECT label, n, flag, amount, at, raw FROM probe WHERE id = $1 AND flag = $2`, id, want.Flag).
					Scan(&got.Label, &got.N, &got.Flag, &got.Amount, db.NullInstant(&got.At), &got.Raw)
			}))
			if want.At != nil {
				utc := want.At.UTC()
				want.At = &utc
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", id, diff)
			}
		}
	})
}

func TestInstantsRefuseWhatIsNotOne(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
		var at time.Time
		for _, column := range []string{"at", "label"} { // NULL and a text
			err := d.Peek(t.Context(), func(tx *db.Tx) error {
				return tx.QueryRow(t.Context(), `SELECT `+column+` FROM probe`).Scan(db.Instant(&at))
			})
			if err == nil {
				t.Errorf("%s was read as an instant: %v", column, at)
			}
		}
		must(t, d.Peek(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT n FROM probe`).Scan(db.Instant(&at))
		}))
		if !at.Equal(time.Unix(0, 0)) || at.Location() != time.UTC || db.Micros(at) != 0 {
			t.Errorf("0 was read as %v", at)
		}
	})
}

// A column takes nothing but its own type on either engine.
func TestColumnsAreStrict(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		err := d.Update(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO probe (id, label, n) VALUES ($1, $2, $3)`, "a", "a", "many")
			return err
		})
		if err == nil {
			t.Error("a text was taken for an integer")
		}
	})
}

// PostgreSQL cannot store a NUL in a text. journal.Name and journal.Prose keep
// it out; bytes may hold it.
func TestNULInBytesAndText(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		for _, check := range []func(field, text string) (string, error){journal.CleanName, journal.CleanSymbol, journal.CheckText} {
			if _, err := check("title", "a\x00b"); !journal.IsKind(err, journal.KindInvalid) {
				t.Errorf("a NUL reached the database's door: %v", err)
			}
		}
		want := []byte("a\x00b")
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO probe (id, label, n, raw) VALUES ($1, $2, $3, $4)`, "a", "a", 1, want)
			return err
		})
		var got []byte
		must(t, d.Peek(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT raw FROM probe`).Scan(&got)
		}))
		if !bytes.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestTextSortsByBytes(t *testing.T) {
	words := []string{"a", "B", "ä", "Z", "_", "é", "10", "9", "a b", "ab", "aB", "A", "", "🎉", "-", "~", "z"}
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			for _, word := range words {
				must(t, put(ctx, tx, word))
			}
			return nil
		})
		got := ids(t, d, `SELECT id FROM probe ORDER BY id`)
		want := slices.Clone(words)
		sort.Strings(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order (-bytes +engine):\n%s", diff)
		}
	})
}

func ids(t *testing.T, d *db.DB, query string, args ...any) []string {
	t.Helper()
	var list []string
	must(t, d.View(t.Context(), func(tx *db.Tx) (err error) {
		list, err = db.List(t.Context(), tx, db.Single[string], query, args...)
		return err
	}))
	return list
}

func TestInLists(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			return errors.Join(put(ctx, tx, "a"), put(ctx, tx, "b"), put(ctx, tx, "c"))
		})
		for _, list := range [][]journal.TagID{nil, {}, {"b"}, {"c", "a"}, {"a", "a", "x"}, {"') OR TRUE --"}} {
			args := []any{0}
			query := `SELECT id FROM probe WHERE n = $1 AND id IN ` + db.In(&args, list) + ` ORDER BY id`
			got := ids(t, d, query, args...)
			want := []string{}
			for _, id := range []journal.TagID{"a", "b", "c"} {
				if slices.Contains(list, id) {
					want = append(want, string(id))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("IN %q (-want +got):\n%s", list, diff)
			}
		}
	})
}

// TestLongKeyLists reads and deletes by more keys than a statement names.
func TestLongKeyLists(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		var keys []string
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			for i := range 300 {
				keys = append(keys, fmt.Sprintf("%03d", i))
				if err := put(ctx, tx, keys[i]); err != nil {
					return err
				}
			}
			return nil
		})
		read := func() []string {
			found, err := db.Get(t.Context(), d.View, func(tx *db.Tx) ([]string, error) {
				return db.ListIn(t.Context(), tx, keys, db.Single[string], `SELECT id FROM probe WHERE n = $1 AND id IN $keys ORDER BY id`, 0)
			})
			must(t, err)
			return found
		}
		if diff := cmp.Diff(keys, read()); diff != "" {
			t.Error(diff)
		}
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			return db.QueueIn(ctx, tx, keys[1:], `DELETE FROM probe WHERE n = $1 AND id IN $keys`, 0)
		})
		if diff := cmp.Diff(keys[:1], read()); diff != "" {
			t.Error(diff)
		}
		for name, run := range map[string]func(tx *db.Tx) error{
			"read": func(tx *db.Tx) error {
				_, err := db.ListIn(t.Context(), tx, keys, db.Single[string], `SELECT id FROM nowhere WHERE id IN $keys`)
				return err
			},
			"write": func(tx *db.Tx) error {
				return db.QueueIn(t.Context(), tx, keys, `DELETE FROM nowhere WHERE id IN $keys`)
			},
		} {
			if d.Update(t.Context(), run) == nil {
				t.Errorf("%s: a wrong statement succeeds", name)
			}
		}
	})
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	if err := db.NotFound(db.ErrNoRows, "tag"); !journal.IsKind(err, journal.KindNotFound) || !errors.Is(db.NotFound(other, "tag"), other) {
		t.Errorf("got %v", err)
	}
}

func TestInsertManyCountsWhatItInserted(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		columns := []string{"id", "label", "n"}
		insert := func(from, to int, suffix string) (n int64, err error) {
			var rows [][]any
			for i := from; i < to; i++ {
				id := fmt.Sprintf("%04d", i)
				rows = append(rows, []any{id, id, i})
			}
			err = d.Update(t.Context(), func(tx *db.Tx) error {
				n, err = tx.InsertMany(t.Context(), "probe", columns, suffix, rows)
				return err
			})
			return n, err
		}
		for _, step := range []struct {
			from, to int
			want     int64
		}{{0, 0, 0}, {10, 11, 1}, {0, 100, 99}, {0, 100, 0}, {50, 457, 357}, {457, 657, 200}} {
			n, err := insert(step.from, step.to, "ON CONFLICT (id) DO NOTHING")
			if err != nil || n != step.want {
				t.Errorf("rows %d to %d: inserted %d, %v, want %d", step.from, step.to, n, err, step.want)
			}
		}
		for _, to := range []int{659, 1800} { // few rows, and so many they are copied
			if _, err := insert(656, to, ""); !errors.Is(err, db.ErrConflict) {
				t.Errorf("rows 656 to %d without ON CONFLICT: %v, want ErrConflict", to, err)
			}
		}
		if n := count(t, d, "probe"); n != 657 {
			t.Errorf("%d rows, want 657", n)
		}
		if n, err := insert(657, 1800, ""); err != nil || n != 1143 {
			t.Errorf("rows 657 to 1800: inserted %d, %v", n, err)
		}
		if last := ids(t, d, `SELECT id FROM probe ORDER BY id DESC LIMIT 1`); !slices.Equal(last, []string{"1799"}) || count(t, d, "probe") != 1800 {
			t.Errorf("the last row is %s", last)
		}
	})
}

func TestErrorsMeanTheSame(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			must(t, errors.Join(put(ctx, tx, "a"), put(ctx, tx, "b")))
			_, err := tx.Exec(ctx, `INSERT INTO probe_anchor (probe_id) VALUES ($1)`, "a")
			must(t, err)
			_, err = tx.Exec(ctx, `INSERT INTO probe_brake (probe_id) VALUES ($1)`, "b")
			return err
		})
		for statement, want := range map[string]error{
			`INSERT INTO probe (id, label, n) VALUES ('a', 'new', 1)`:     db.ErrConflict, // primary key
			`INSERT INTO probe (id, label, n) VALUES ('new', 'a', 1)`:     db.ErrConflict, // unique column
			`UPDATE probe SET id = 'a' WHERE id = 'b'`:                    db.ErrConflict,
			`INSERT INTO probe_part (probe_id, part) VALUES ('none', 1)`:  db.ErrMissing,
			`DELETE FROM probe WHERE id = 'a'`:                            db.ErrMissing, // referred to
			`DELETE FROM probe WHERE id = 'b'`:                            db.ErrMissing, // referred to, RESTRICT
			`UPDATE probe_anchor SET probe_id = 'c' WHERE probe_id = 'a'`: db.ErrMissing,
		} {
			err := d.Update(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), statement)
				return err
			})
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", statement, err, want)
			}
		}
		err := d.View(t.Context(), func(tx *db.Tx) error {
			var id string
			return tx.QueryRow(t.Context(), `SELECT id FROM probe WHERE id = $1`, "none").Scan(&id)
		})
		if !errors.Is(err, db.ErrNoRows) {
			t.Errorf("no row: %v, want ErrNoRows", err)
		}
	})
}

// To find no row is an answer and not a failure: the transaction goes on.
func TestNoRowDoesNotSpoilTheTransaction(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			var id string
			err := tx.QueryRow(ctx, `SELECT id FROM probe WHERE id = $1`, "a").Scan(&id)
			if !errors.Is(err, db.ErrNoRows) {
				t.Errorf("no row: %v", err)
			}
			return put(ctx, tx, "a")
		})
		if n := count(t, d, "probe"); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
	})
}

func TestStatementCacheOverflows(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			must(t, put(ctx, tx, "a"))
			for i := range 2*db.MaxStatements + 10 {
				var n int
				must(t, tx.QueryRow(ctx, fmt.Sprintf(`SELECT n + %d FROM probe WHERE id = $1`, i), "a").Scan(&n))
				if n != i {
					t.Fatalf("text %d gave %d", i, n)
				}
			}
			return put(ctx, tx, "b")
		})
		if n := count(t, d, "probe"); n != 2 {
			t.Errorf("%d rows, want 2", n)
		}
	})
}
