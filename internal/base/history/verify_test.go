package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

const owner journal.UserID = 1

// engines returns the engines to test.
func engines() []db.Engine {
	if os.Getenv("SVC_TEST_POSTGRES") == "" {
		return []db.Engine{db.SQLite}
	}
	return []db.Engine{db.SQLite, db.PostgreSQL}
}

// newHistory returns a database with a user and some changes of two accounts.
func newHistory(t *testing.T, engine db.Engine) (*db.DB, *history.Service, *testkit.Clock) {
	t.Helper()
	d := testkit.Open(t, engine)
	s, clock := fillHistory(t, d)
	return d, s, clock
}

// fillHistory adds a user and some changes of two accounts.
func fillHistory(t *testing.T, d *db.DB) (*history.Service, *testkit.Clock) {
	t.Helper()
	s, clock := newService(t, d, 30)
	for i, account := range []journal.AccountID{"", "a", "b", "a", ""} {
		record(t, d, history.Object{
			Type: "note", ID: fmt.Sprint("note-", i), Label: "Größe <&> \u2028 😀", Action: history.Created, Account: account,
			Fields: []history.Field{history.NewField("body", nil, "text "+fmt.Sprint(i))},
		})
		clock.Advance(time.Second)
	}
	return s, clock
}

// newService adds a user and returns a service that keeps the content of deletions for some
// days.
func newService(t *testing.T, d *db.DB, undoDays int) (*history.Service, *testkit.Clock) {
	t.Helper()
	clock := testkit.NewClock()
	s := history.New(d, clock.Now, undoDays, func(context.Context, *db.Tx, journal.UserID) (journal.PublicID, error) { return "user-1", nil })
	run(t, d, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO users (number, id, email, email_key, password_hash, is_admin, created_at)
			VALUES (1, 'user-1', 'a@example.org', 'a@example.org', '', FALSE, 0)`)
		return err
	})
	return s, clock
}

func run(t *testing.T, d *db.DB, fn func(*db.Tx) error) {
	t.Helper()
	if err := d.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func record(t *testing.T, d *db.DB, o history.Object) {
	t.Helper()
	run(t, d, func(tx *db.Tx) error {
		history.Record(tx, owner, o)
		return nil
	})
}

func export(t *testing.T, d *db.DB, s *history.Service) []byte {
	t.Helper()
	var out bytes.Buffer
	err := d.View(t.Context(), func(tx *db.Tx) error { return s.Export(t.Context(), tx, owner, "", &out) })
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func problems(t *testing.T, s *history.Service) (list []string) {
	t.Helper()
	if err := s.Check(t.Context(), owner, func(p string) { list = append(list, p) }); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestExportVerifies exports a history, and verifies it with the package and with the
// program in the documentation.
func TestExportVerifies(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		d, s, _ := newHistory(t, engine)
		heads, all, err := s.Heads(t.Context(), owner)
		if err != nil || len(heads) != 3 {
			t.Fatalf("heads %v, %v", heads, err)
		}
		file := export(t, d, s)
		for _, head := range []string{"", all.String(), heads[0].Hash.String(), heads[2].Hash.String()} {
			if verified, err := history.Verify(bytes.NewReader(file), head); verified.Changes != 5 || err != nil {
				t.Errorf("head %q: verified %+v, %v", head, verified, err)
			}
		}
		if _, err := history.Verify(bytes.NewReader(file), strings.Repeat("1", 64)); !isBroken(err) {
			t.Errorf("a foreign head: %v", err)
		}
		if _, err := history.Verify(strings.NewReader("{}\n"), ""); !errors.Is(err, history.ErrUnreadable) {
			t.Errorf("another file: %v", err)
		}
		verifyByPython(t, file)
	}
}

// verifyByPython runs the program in docs/history.md.
func verifyByPython(t *testing.T, file []byte) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("there is no Python")
		return
	}
	text, err := os.ReadFile("../../../docs/history.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(text), "```python\n")
	program, _, _ = strings.Cut(program, "```")
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, "-c", program, path).CombinedOutput()
	if err != nil || string(out) != "verified\n" {
		t.Errorf("Python says %s, %v", out, err)
	}
}

func isBroken(err error) bool {
	_, ok := errors.AsType[*history.BrokenError](err)
	return ok
}

// TestEraseAndExpiry erases a change and lets another expire: the chain still verifies.
func TestEraseAndExpiry(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		d, s, clock := newHistory(t, engine)
		record(t, d, history.Object{
			Type: "note", ID: "note-0", Label: "secret", Action: history.Deleted, Fields: []history.Field{history.NewField("body", "text 0", nil)},
		})
		deletion := newest(t, s)
		if deletion.NotUndoable != "" || deletion.ExpiresAt == nil {
			t.Errorf("a deletion is %+v", deletion)
		}
		got, err := s.Get(t.Context(), owner, deletion.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []history.Change{got, deletion} {
			if len(c.Objects[0].Fields) != 1 || string(c.Objects[0].Fields[0].Before) != `"text 0"` {
				t.Errorf("its values are %+v", c.Objects)
			}
		}
		clock.Advance(31 * 24 * time.Hour)
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err = s.Get(t.Context(), owner, deletion.ID)
		if err != nil || got.NotUndoable != history.NotUndoableExpired || len(got.Objects[0].Fields) != 0 {
			t.Errorf("after its time it is %+v, %v", got, err)
		}
		if err := s.Erase(t.Context(), owner, deletion.ID); err != nil {
			t.Fatal(err)
		}
		erased, err := s.Get(t.Context(), owner, deletion.ID)
		if err != nil || erased.NotUndoable != history.NotUndoableErased || erased.Hash != deletion.Hash || erased.Objects[0].Label != "" {
			t.Errorf("erased it is %+v, %v", erased, err)
		}
		file := export(t, d, s)
		if verified, err := history.Verify(bytes.NewReader(file), deletion.Hash.String()); verified.Changes != 7 || err != nil {
			t.Errorf("verified %+v, %v", verified, err)
		}
		if bytes.Contains(file, []byte("secret")) {
			t.Error("the export has the erased label")
		}
		if found := problems(t, s); len(found) > 0 {
			t.Errorf("check says %v", found)
		}
		verifyByPython(t, file)
	}
}

// TestLongTexts updates a text of more than 4 KiB: it is shown while it is kept, in changes
// and in lists, and the update expires as a deletion does, at once if nothing is kept.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		for _, undoDays := range []int{30, 0} {
			d := testkit.Open(t, engine)
			s, clock := newService(t, d, undoDays)
			long := strings.Repeat("words ", 1000)
			want := history.NewField("body", long, "few words")
			record(t, d, history.Object{Type: "note", ID: "note-0", Label: "Plan", Action: history.Updated, Fields: []history.Field{want}})
			listed := newest(t, s)
			got, err := s.Get(t.Context(), owner, listed.ID)
			if err != nil {
				t.Fatal(err)
			}
			if undoDays == 0 {
				if got.NotUndoable != history.NotUndoableExpired || listed.NotUndoable != history.NotUndoableExpired {
					t.Errorf("%s: nothing is kept, and the change is %+v", engine, got)
				}
				continue
			}
			for _, c := range []history.Change{got, listed} {
				if c.NotUndoable != "" || c.ExpiresAt == nil {
					t.Errorf("%s: the change is %+v", engine, c)
				}
				if diff := cmp.Diff(want, c.Objects[0].Fields[0]); diff != "" {
					t.Errorf("%s: the field is not shown (-want +got):\n%s", engine, diff)
				}
			}
			clock.Advance(31 * 24 * time.Hour)
			if listed = newest(t, s); listed.NotUndoable != history.NotUndoableExpired || len(listed.Objects[0].Fields[0].Before) > 200 {
				t.Errorf("%s: after its time the change is %+v", engine, listed)
			}
		}
	}
}

func newest(t *testing.T, s *history.Service) history.Change {
	t.Helper()
	page, err := s.List(t.Context(), owner, history.Query{Limit: 1})
	if err != nil || len(page.Changes) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	return page.Changes[0]
}

// TestConcurrentChangesAreOrdered writes from several goroutines, in both ways of taking a
// place: the positions are dense, the instants never decrease, and the chains verify.
func TestConcurrentChangesAreOrdered(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		d, s, _ := newHistory(t, engine)
		const writers, each = 4, 10
		done := make(chan error)
		for i := range writers {
			go func() {
				account := journal.AccountID([]string{"", "a", "b", "c"}[i])
				for n := range each {
					err := d.Update(t.Context(), func(tx *db.Tx) error {
						if n%2 == 0 {
							history.Prefetch(t.Context(), tx, owner, account)
							var one int
							if err := tx.QueryRow(t.Context(), `SELECT 1`).Scan(&one); err != nil {
								return err
							}
						}
						history.Record(tx, owner, history.Object{Type: "tag", ID: fmt.Sprint(i, n), Action: history.Created, Account: account})
						return nil
					})
					if err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range writers {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if found := problems(t, s); len(found) > 0 {
			t.Errorf("check says %v", found)
		}
		if verified, err := history.Verify(bytes.NewReader(export(t, d, s)), ""); verified.Changes != 5+writers*each || err != nil {
			t.Errorf("verified %+v, %v", verified, err)
		}
	}
}
