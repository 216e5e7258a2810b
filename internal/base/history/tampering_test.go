package history_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// tampering is a history whose rows a test alters.
type tampering struct {
	t *testing.T
	d *db.DB
	s *history.Service
	// rows are the rows of history_changes, by position - 1.
	rows []map[string]any
}

// The positions in the history of newTampering.
const (
	firstOfA = 2 // the first change of account a
	lastOfA  = 7 // undoes firstOfA
	lastOfB  = 3
	deletion = 6 // in the user's own stream, with a kept block
	erased   = 8
	erasure  = 9 // the last change

	// unchanged is an account whose stream has no change: only one in the user's own names it.
	unchanged journal.AccountID = "c"
)

// newTampering returns a history with changes of two accounts, a deletion, an undo and an
// erasure.
func newTampering(t *testing.T, engine db.Engine) *tampering {
	t.Helper()
	d, s, _ := newHistory(t, engine)
	write := func(ctx context.Context, o history.Object, more history.Description) {
		t.Helper()
		err := d.Update(ctx, func(tx *db.Tx) error {
			history.Describe(tx, owner, more)
			history.Record(tx, owner, o)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	byToken := history.WithActor(t.Context(), history.Actor{Kind: history.ByToken, ID: "token-1", Name: "Script"})
	body := history.NewField("body", "text 0", nil)
	write(t.Context(), history.Object{Type: "note", ID: "note-0", Action: history.Deleted, SeenIn: unchanged, Fields: []history.Field{body}},
		history.Description{})
	write(byToken, history.Object{Type: "note", ID: "note-1", Action: history.Updated, Account: "a", Fields: []history.Field{body}},
		history.Description{Action: history.Undo, Undoes: firstOfA})
	write(byToken, history.Object{Type: "tag", ID: "tag-1", Action: history.Created, Fields: []history.Field{body}}, history.Description{})
	if err := s.Erase(t.Context(), owner, newest(t, s).ID); err != nil {
		t.Fatal(err)
	}
	h := &tampering{t: t, d: d, s: s}
	err := d.View(t.Context(), func(tx *db.Tx) error {
		return tx.EachRow(t.Context(), "history_changes", `user_id = $1`, []any{owner}, func(columns []string, row []any) error {
			values := map[string]any{}
			for i, column := range columns {
				values[column] = row[i]
				if raw, isRaw := row[i].([]byte); isRaw {
					values[column] = bytes.Clone(raw)
				}
			}
			h.rows = append(h.rows, values)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(h.rows, func(a, b map[string]any) int { return int(a["position"].(int64) - b["position"].(int64)) })
	if len(h.rows) != erasure {
		t.Fatalf("the history has %d changes", len(h.rows))
	}
	h.wantWhole()
	return h
}

func (h *tampering) wantWhole() {
	h.t.Helper()
	if found := problems(h.t, h.s); len(found) > 0 {
		h.t.Fatalf("the check finds %q", found)
	}
}

func (h *tampering) exec(statement string, args ...any) {
	h.t.Helper()
	run(h.t, h.d, func(tx *db.Tx) error {
		n, err := tx.Exec(h.t.Context(), statement, args...)
		if n == 0 && err == nil {
			h.t.Errorf("%s affects no row", statement)
		}
		return err
	})
}

func (h *tampering) set(position int64, column string, value any) {
	h.t.Helper()
	h.exec(`UPDATE history_changes SET `+column+` = $1 WHERE user_id = $2 AND position = $3`, value, owner, position)
}

// put stores a row's values, without those that are its place.
func (h *tampering) put(position int64, row map[string]any, without ...string) {
	h.t.Helper()
	for _, column := range slices.Sorted(maps.Keys(row)) {
		if column != "user_id" && column != "position" && !slices.Contains(without, column) {
			h.set(position, column, row[column])
		}
	}
}

var changeIDs = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// named returns the positions of the changes that problems name first.
func named(found []string) (positions []int64) {
	for _, problem := range found {
		if _, _, position, ok := journal.UnpackID(changeIDs.FindString(problem)); ok {
			positions = append(positions, position)
		}
	}
	slices.Sort(positions)
	return slices.Compact(positions)
}

// wantNamed checks that the check names exactly some changes.
func (h *tampering) wantNamed(what string, positions ...int64) {
	h.t.Helper()
	found := problems(h.t, h.s)
	if got := named(found); len(found) == 0 || !slices.Equal(got, positions) {
		h.t.Errorf("%s: the check names the changes %v, want %v: %q", what, got, positions, found)
	}
}

// eachTampering runs a test with each engine.
func eachTampering(t *testing.T, fn func(h *tampering)) {
	t.Helper()
	for _, engine := range engines() {
		fn(newTampering(t, engine))
	}
}

// TestCheckNamesAlteredChange alters each byte of the texts, contents and hashes of every
// stored change, and each number and instant: the check names the change, and no other.
func TestCheckNamesAlteredChange(t *testing.T) {
	t.Parallel()
	eachTampering(t, func(h *tampering) {
		file, meaningless := export(t, h.d, h.s), 0
		for i, row := range h.rows {
			position := int64(i + 1)
			for _, column := range []string{"content", "rest", "hash", "actor_id", "actor_name"} {
				value, _ := row[column].([]byte)
				text, isText := row[column].(string)
				if isText {
					value = []byte(text)
				}
				for at := range value {
					altered := bytes.Clone(value)
					altered[at] ^= 1
					if isText {
						h.set(position, column, string(altered))
					} else {
						h.set(position, column, altered)
					}
					if (column == "content" || column == "rest") && len(problems(t, h.s)) == 0 && bytes.Equal(file, export(t, h.d, h.s)) {
						meaningless++ // a bit after the end of compressed or encoded data
						continue
					}
					h.wantNamed(fmt.Sprintf("byte %d of the %s of change %d", at, column, position), position)
				}
				if len(value) > 0 {
					h.set(position, column, row[column])
				}
			}
			h.alterNumbers(position, row)
		}
		if meaningless > 2*len(h.rows) {
			t.Errorf("%d bytes can be altered without effect", meaningless)
		}
		h.wantWhole()
	})
}

// alterNumbers alters each number of a change.
func (h *tampering) alterNumbers(position int64, row map[string]any) {
	h.t.Helper()
	for _, column := range []string{"seq", "previous", "at", "action", "actor_kind", "objects", "undoes", "undone_by"} {
		value, known := row[column].(int64)
		if !known {
			continue
		}
		h.set(position, column, value+1)
		h.wantNamed(fmt.Sprintf("the %s of change %d", column, position), position)
		h.set(position, column, row[column])
	}
	h.set(position, "types", row["types"].(int64)^2)
	if found := problems(h.t, h.s); len(found) != 1 || !strings.Contains(found[0], fmt.Sprintf("at position %d is listed under other types", position)) {
		h.t.Errorf("other types of change %d: the check finds %q", position, found)
	}
	h.set(position, "types", row["types"])
}

// TestCheckNamesMovedChange removes, swaps and adds changes, and moves them to another stream.
func TestCheckNamesMovedChange(t *testing.T) {
	t.Parallel()
	eachTampering(t, func(h *tampering) {
		// Two changes of one stream are swapped, with and without their numbers.
		for _, without := range [][]string{nil, {"seq", "previous"}} {
			h.put(firstOfA, h.rows[lastOfA-1], without...)
			h.put(lastOfA, h.rows[firstOfA-1], without...)
			h.wantNamed("swapped changes", firstOfA)
			h.put(firstOfA, h.rows[firstOfA-1])
			h.put(lastOfA, h.rows[lastOfA-1])
		}
		// Two changes of two streams are swapped: each stream has one.
		h.put(lastOfB, h.rows[3])
		h.put(4, h.rows[lastOfB-1])
		h.wantNamed("swapped changes of two streams", lastOfB, 4)
		h.put(lastOfB, h.rows[lastOfB-1])
		h.put(4, h.rows[3])
		h.set(lastOfB, "stream", h.rows[firstOfA-1]["stream"])
		h.wantNamed("a change moved to another stream", lastOfB)
		h.set(lastOfB, "stream", h.rows[lastOfB-1]["stream"])
		h.wantWhole()
		h.set(firstOfA, "stream", 99)
		if found := problems(h.t, h.s); !strings.Contains(found[0], "at position 2 cannot be read") {
			t.Errorf("a change in an unknown stream: %q", found)
		}
		h.set(firstOfA, "stream", h.rows[firstOfA-1]["stream"])
	})
	eachTampering(t, func(h *tampering) {
		h.exec(`INSERT INTO history_changes (user_id, position, stream, seq, previous, at, action, actor_kind, types, objects, actor_id, actor_name, hash, content)
			SELECT user_id, 10, stream, seq + 1, 7, at, action, actor_kind, types, objects, actor_id, actor_name, hash, content
			FROM history_changes WHERE position = 7`)
		h.wantNamed("a change added at the end", 10)
		h.exec(`UPDATE history_streams SET changes = changes + 1, last = 10 WHERE account_id = 'a'`)
		h.exec(`UPDATE history_streams SET position = 10 WHERE account_id = ''`)
		h.wantNamed("a change added at the end, and the head", 10)
	})
	eachTampering(t, func(h *tampering) { // between others, which move
		for position := erasure; position >= 4; position-- {
			h.exec(`UPDATE history_changes SET position = position + 1 WHERE position = $1`, position)
		}
		h.exec(`INSERT INTO history_changes (user_id, position, stream, seq, previous, at, action, actor_kind, types, objects, actor_id, actor_name, hash, content)
			SELECT user_id, 4, stream, seq, previous, at, action, actor_kind, types, objects, actor_id, actor_name, hash, content
			FROM history_changes WHERE position = 3`)
		found := problems(t, h.s)
		if got := named(found[:1]); !slices.Equal(got, []int64{4}) {
			t.Errorf("a change added between others: %q", found)
		}
	})
}

// TestCheckNamesRemovedChange removes each change, and rolls heads back.
func TestCheckNamesRemovedChange(t *testing.T) {
	t.Parallel()
	// The change by which each one is missed: the next of its stream, or the last before it.
	missedBy := []int64{0, 5, 4, 0, 7, 6, 8, 4, 9, 8}
	for position := int64(1); position <= erasure; position++ {
		eachTampering(t, func(h *tampering) {
			h.exec(`DELETE FROM history_changes WHERE position = $1`, position)
			found := problems(t, h.s)
			if position < erasure && !strings.Contains(found[0], fmt.Sprintf("no changes at the positions %d to %d", position, position)) {
				t.Errorf("change %d was removed: %q", position, found)
			}
			want := []int64{missedBy[position]}
			if want[0] == 0 {
				want = nil // account b has no other change
				if !strings.Contains(strings.Join(found, "\n"), "account b: changes after the beginning were removed") {
					t.Errorf("change %d was removed: %q", position, found)
				}
			}
			h.wantNamed(fmt.Sprintf("change %d was removed", position), want...)
		})
	}
	eachTampering(t, func(h *tampering) {
		h.exec(`UPDATE history_streams SET hash = (SELECT hash FROM history_changes WHERE position = 4), changes = 2, last = 4 WHERE account_id = 'a'`)
		h.wantNamed("the head of account a was rolled back", lastOfA)
		h.exec(`UPDATE history_streams SET hash = (SELECT hash FROM history_changes WHERE position = 7), changes = 3, last = 7 WHERE account_id = 'a'`)
		h.wantWhole()
		h.exec(`UPDATE history_streams SET hash = (SELECT hash FROM history_changes WHERE position = 4) WHERE account_id = 'a'`)
		h.wantNamed("the head of account a has another hash", lastOfA)
		h.exec(`UPDATE history_streams SET hash = (SELECT hash FROM history_changes WHERE position = 7), at = at + 1 WHERE account_id = 'a'`)
		h.wantNamed("the head of account a has another instant", lastOfA)
		h.exec(`DELETE FROM history_streams WHERE account_id = 'a'`)
		if found := problems(t, h.s); len(found) != 3 || !strings.Contains(found[0], "at position 2 cannot be read: ") {
			t.Errorf("the head of account a was removed: %q", found)
		}
	})
	eachTampering(t, func(h *tampering) {
		h.exec(`UPDATE history_streams SET position = 8 WHERE account_id = ''`)
		if found := problems(t, h.s); len(found) != 1 || !strings.Contains(found[0], "has 9 changes, but its head says 8") {
			t.Errorf("the last position was rolled back: %q", found)
		}
	})
}

// TestCheckNamesAlteredBlock alters each byte of what a deletion removed, removes it, moves it
// to another change, and drops the content of a change without saying so.
func TestCheckNamesAlteredBlock(t *testing.T) {
	t.Parallel()
	eachTampering(t, func(h *tampering) {
		var data []byte
		err := h.d.View(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT data FROM history_blocks WHERE position = $1`, deletion).Scan(&data)
		})
		if err != nil {
			t.Fatal(err)
		}
		set := func(data []byte) {
			h.exec(`UPDATE history_blocks SET data = $1 WHERE position = $2`, data, deletion)
		}
		for at := range data {
			altered := bytes.Clone(data)
			altered[at] ^= 1
			set(altered)
			h.wantNamed(fmt.Sprintf("byte %d of the removed content", at), deletion)
		}
		_, err = h.s.Get(t.Context(), owner, newestAt(t, h.s, deletion))
		if err == nil {
			t.Error("an altered block is shown")
		}
		set(data)
		h.wantWhole()
		h.exec(`UPDATE history_blocks SET position = 5 WHERE position = $1`, deletion)
		found := problems(t, h.s)
		if len(found) != 2 || !strings.Contains(found[0], "at position 5, which names none") || !slices.Equal(named(found), []int64{deletion}) {
			t.Errorf("a moved block: %q", found)
		}
		h.exec(`UPDATE history_blocks SET position = $1 WHERE position = 5`, deletion)
		h.exec(`INSERT INTO history_blocks (user_id, position, part, data) SELECT user_id, position, part + 1, data FROM history_blocks`)
		h.wantNamed("another part", deletion)
		h.exec(`DELETE FROM history_blocks`)
		h.wantNamed("a removed block", deletion)
	})
	eachTampering(t, func(h *tampering) { // a removed content, with what the hash needs
		sum := regexp.MustCompile(`"content_sha256":"([0-9a-f]+)"`).FindAllSubmatch(export(t, h.d, h.s), -1)[4][1]
		h.set(5, "content", nil)
		h.set(5, "rest", fmt.Appendf(nil, `{"content":"%s","objects":[{"action":"created","id":"note-4","type":"note"}]}`, sum))
		h.wantNamed("a removed content", 5)
	})
	eachTampering(t, func(h *tampering) {
		h.set(erased, "erased_at", nil)
		h.wantNamed("an erasure without its instant", erased)
		h.set(erased, "erased_at", h.rows[erased-1]["erased_at"])
		h.set(5, "erased_at", h.rows[erased-1]["erased_at"])
		h.wantNamed("an instant without an erasure", 5)
		h.set(5, "erased_at", nil)
		h.set(5, "undone_by", lastOfA)
		h.wantNamed("a change that nothing undid", 5)
		h.set(5, "undone_by", nil)
		h.set(firstOfA, "undone_by", nil)
		h.wantNamed("an undone change that does not say so", firstOfA)
	})
}

// newestAt returns the id of the change at a position.
func newestAt(t *testing.T, s *history.Service, position int64) journal.ChangeID {
	t.Helper()
	page, err := s.List(t.Context(), owner, history.Query{Limit: 1, Before: position + 1})
	if err != nil || len(page.Changes) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	return page.Changes[0].ID
}

// wantBroken checks that an export is broken at one of some lines, and that the error names
// the line's change.
func wantBroken(t *testing.T, what string, file []byte, head string, lines ...int) {
	t.Helper()
	_, err := history.Verify(bytes.NewReader(file), head)
	broken, _ := errors.AsType[*history.BrokenError](err)
	switch {
	case broken == nil && errors.Is(err, history.ErrUnreadable):
		if len(lines) == 0 || !strings.HasSuffix(err.Error(), fmt.Sprintf("line %d cannot be read", lines[0])) {
			t.Errorf("%s: %v, want line %v", what, err, lines)
		}
	case broken == nil:
		t.Errorf("%s: %v, want line %v", what, err, lines)
	case len(lines) == 0 && broken.Line == 0 && broken.Change == "":
	case !slices.Contains(lines, broken.Line):
		t.Errorf("%s: %v, want line %v", what, err, lines)
	default:
		line := strings.Split(string(file), "\n")[broken.Line-1]
		if broken.Change != "" && !strings.Contains(line, `"id":"`+broken.Change+`"`) || !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d: ", broken.Line)) {
			t.Errorf("%s: %v, but the line is %s", what, err, line)
		}
	}
}

// exportedLine is what the order of an export's lines depends on.
type exportedLine struct {
	text     []byte
	account  string
	seq      int64
	position int64
}

// splitExport returns an export's first line and its changes.
func splitExport(t *testing.T, file []byte) (first []byte, lines []exportedLine) {
	t.Helper()
	for text := range bytes.Lines(file) {
		if first == nil {
			first = text
			continue
		}
		var line struct {
			Header struct {
				Account *string `json:"account_id"`
				Seq     int64
				ID      string
			}
		}
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		_, _, position, _ := journal.UnpackID(line.Header.ID)
		one := exportedLine{text: text, seq: line.Header.Seq, position: position}
		if line.Header.Account != nil {
			one.account = *line.Header.Account
		}
		lines = append(lines, one)
	}
	return first, lines
}

// wantOrder verifies a file with other lines than the export: the first line that does not
// follow the one before it in its stream, or in the file, is named.
func wantOrder(t *testing.T, what string, first []byte, lines []exportedLine) {
	t.Helper()
	file, want := bytes.Clone(first), 0
	seqs, last := map[string]int64{}, int64(0)
	for i, line := range lines {
		file = append(file, line.text...)
		if want == 0 && (line.seq != seqs[line.account]+1 || line.position < last) {
			want = i + 2
		}
		seqs[line.account], last = line.seq, line.position
	}
	if want == 0 {
		wantBroken(t, what, file, "") // a last change is missing
	} else {
		wantBroken(t, what, file, "", want)
	}
}

// TestVerifyNamesTamperedLine alters each byte of an export, removes, repeats, swaps and
// adds lines, and rolls the head back: the verification names the line and its change.
func TestVerifyNamesTamperedLine(t *testing.T) {
	t.Parallel()
	h := newTampering(t, db.SQLite)
	file := export(t, h.d, h.s)
	first, lines := splitExport(t, file)
	at := len(first)
	for i, line := range lines {
		for range line.text {
			altered := bytes.Clone(file)
			altered[at] ^= 1
			wantBroken(t, fmt.Sprintf("byte %d of line %d", at, i+2), altered, "", i+2)
			at++
		}
	}
	exportedAt := regexp.MustCompile(`"exported_at":"[^"]*"`).FindIndex(first) // nothing depends on it
	for at := range first {
		altered := bytes.Clone(file)
		altered[at] ^= 1
		_, err := history.Verify(bytes.NewReader(altered), "")
		if err == nil && (at < exportedAt[0] || at >= exportedAt[1]) {
			t.Errorf("byte %d of the first line can be altered: %s", at, altered[:len(first)])
		}
	}
	for i := range lines {
		wantOrder(t, fmt.Sprintf("line %d was removed", i+2), first, slices.Concat(lines[:i], lines[i+1:]))
		for j := range lines {
			if j != i {
				swapped := slices.Clone(lines)
				swapped[i], swapped[j] = swapped[j], swapped[i]
				wantOrder(t, fmt.Sprintf("lines %d and %d were swapped", i+2, j+2), first, swapped)
			}
			wantOrder(t, fmt.Sprintf("line %d was added before line %d", i+2, j+2), first, slices.Insert(slices.Clone(lines), j, lines[i]))
		}
	}
}

// TestVerifyNamesMissingHead verifies a history that was rolled back, with its heads: the
// export agrees with itself, and only a head that was written down shows it.
func TestVerifyNamesMissingHead(t *testing.T) {
	t.Parallel()
	eachTampering(t, func(h *tampering) {
		d, s, _ := newHistory(t, h.d.Engine()) // the same without the last changes
		rolledBack := export(t, d, s)
		if verified, err := history.Verify(bytes.NewReader(rolledBack), ""); err != nil || verified.Changes != 5 {
			t.Fatalf("verified %+v, %v", verified, err)
		}
		heads, all, err := h.s.Heads(t.Context(), owner)
		if err != nil {
			t.Fatal(err)
		}
		file := export(t, h.d, h.s)
		for head, isKnown := range map[history.Hash]bool{all: false, heads[0].Hash: false, heads[1].Hash: false, heads[2].Hash: true} {
			if verified, err := history.Verify(bytes.NewReader(file), head.String()); err != nil || verified.Changes != erasure {
				t.Errorf("verified %+v, %v", verified, err)
			}
			if isKnown { // account b has the same changes
				continue
			}
			wantBroken(t, "a rolled back history", rolledBack, head.String())
		}
		_, earlier, err := s.Heads(t.Context(), owner)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := history.Verify(bytes.NewReader(file), earlier.String()); err != nil {
			t.Errorf("a head of an earlier moment: %v", err)
		}
	})
}
