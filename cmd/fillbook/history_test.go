package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

// exportHistory returns the export of a history with some changes, and its head.
func exportHistory(t *testing.T) (file []byte, head string) {
	t.Helper()
	d := testkit.Open(t, db.SQLite)
	const owner journal.UserID = 1
	s := history.New(d, testkit.NewClock().Now, 30, func(context.Context, *db.Tx, journal.UserID) (journal.PublicID, error) { return "user-1", nil })
	update := func(fn func(*db.Tx) error) {
		t.Helper()
		if err := d.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO users (number, id, email, email_key, password_hash, is_admin, created_at)
			VALUES (1, 'user-1', 'a@example.org', 'a@example.org', '', FALSE, 0)`)
		return err
	})
	for i := range 4 {
		update(func(tx *db.Tx) error {
			history.Record(tx, owner, history.Object{Type: "note", ID: fmt.Sprint("note-", i), Action: history.Created})
			return nil
		})
	}
	var out bytes.Buffer
	if err := d.View(t.Context(), func(tx *db.Tx) error { return s.Export(t.Context(), tx, owner, "", &out) }); err != nil {
		t.Fatal(err)
	}
	_, all, err := s.Heads(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), all.String()
}

// TestHistoryVerify verifies an export, and tampered ones: the exit code says whether it is
// good, broken or not readable, and the message names the line.
func TestHistoryVerify(t *testing.T) {
	t.Parallel()
	file, head := exportHistory(t)
	lines := strings.SplitAfter(string(file), "\n")
	for name, c := range map[string]struct {
		file, head string
		code       int
		output     string
	}{
		"good":            {string(file), "", 0, "verified 4 changes\n"},
		"good, with head": {string(file), head, 0, "verified 4 changes\n"},
		"partial":         {strings.Replace(string(file), `"head"`, `"partial":true,"head"`, 1), head, 0, "verified 4 changes of a partial export: "},
		"altered":         {strings.Replace(string(file), "note-2", "note-7", 1), "", 1, "line 4: change 32"},
		"removed":         {lines[0] + lines[1] + lines[3] + lines[4], "", 1, "line 3: change 32"},
		"added":           {lines[0] + lines[1] + lines[1] + lines[2] + lines[3] + lines[4], "", 1, "line 3: change 32"},
		"cut off":         {lines[0] + lines[1], "", 1, "The last changes are missing"},
		"another head":    {string(file), strings.Repeat("0", 63) + "1", 1, "The given head does not occur"},
		"unreadable":      {string(file) + "x", "", 2, "line 6 cannot be read"},
		"another file":    {"Symbol,Side\n", "", 2, "the history cannot be verified"},
	} {
		path := filepath.Join(t.TempDir(), "history.jsonl")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments := []string{"history", "verify", path}
		if c.head != "" {
			arguments = append(arguments, "--head", c.head)
		}
		var stdout, stderr bytes.Buffer
		code := run(arguments, nil, &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String()+stderr.String(), c.output) {
			t.Errorf("%s: exit code %d, %s%s", name, code, &stdout, &stderr)
		}
	}
}
