package backup

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// zipFiles packs files in the order given: name, content, name, content.
func zipFiles(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		entry, err := w.Create(files[i])
		must(t, err)
		_, err = io.WriteString(entry, files[i+1])
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func openZip(content []byte, limit int64) (*Archive, error) {
	return OpenZip(bytes.NewReader(content), int64(len(content)), limit)
}

func TestZipsAreRefused(t *testing.T) {
	t.Parallel()
	good := zipFiles(t, backupEntry, emptyBackup)
	flipped := bytes.Clone(good)
	flipped[bytes.Index(good, []byte(backupEntry))+len(backupEntry)+5] ^= 0xff
	many := make([]string, 0, 2*maxEntries+2)
	for range maxEntries + 1 {
		many = append(many, "x", "")
	}
	for name, c := range map[string]struct {
		content []byte
		limit   int64
		words   string
	}{
		"no zip":         {[]byte("PK\x03\x04 not really"), 1 << 20, "not a zip archive"},
		"nothing":        {nil, 1 << 20, "not a zip archive"},
		"a spreadsheet":  {zipFiles(t, "xl/workbook.xml", "<x/>"), 1 << 20, `no file "backup.json"`},
		"a folder deep":  {zipFiles(t, "a/backup.json", emptyBackup), 1 << 20, `no file "backup.json"`},
		"two backups":    {zipFiles(t, backupEntry, emptyBackup, backupEntry, emptyBackup), 1 << 20, `"backup.json" twice`},
		"too large":      {zipFiles(t, backupEntry, emptyBackup+strings.Repeat(" ", 100)), 100, `"backup.json" in the archive is too large`},
		"a bomb":         {zipFiles(t, backupEntry, emptyBackup+strings.Repeat(" ", 4<<20)), 1 << 30, "too large"},
		"too many files": {zipFiles(t, many...), 1 << 30, "more than 25000 files"},
		"damaged":        {flipped, 1 << 20, "is damaged"},
		"no backup":      {zipFiles(t, backupEntry, `{"format":"fillbook","version":9}`), 1 << 20, "format version 9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := openZip(c.content, c.limit)
			wantRefusal(t, err, c.words)
		})
	}
	if _, err := openZip(good, int64(len(emptyBackup))); err != nil {
		t.Errorf("of just the size: %v", err)
	}
}

func TestIsZip(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{
		string(zipFiles(t, backupEntry, "")): true, string(zipFiles(t, "xl/workbook.xml", "")): false, "PK": false, "": false, emptyBackup: false,
	} {
		if got := IsZip(strings.NewReader(content), int64(len(content))); got != want {
			t.Errorf("IsZip(%.20q) = %v", content, got)
		}
	}
}

// newIllustratedJournal is a journal with a picture on a trade and two on a note.
func newIllustratedJournal(t *testing.T, h *fixture) journal.UserID {
	t.Helper()
	owner := h.user(t)
	account := h.account(t, owner, "Main")
	trade := h.fill(t, owner, account, matching.Buy, "1", "10", 0).TradeIDs[0]
	note, err := h.playbook.CreateNote(t.Context(), owner, playbook.NoteChange{Body: journal.Some("see the charts")})
	must(t, err)
	for i, target := range []playbook.Target{{Trade: trade}, {Note: note.ID}, {Note: note.ID}} {
		_, err := h.playbook.Attach(t.Context(), owner, target, playbook.Upload{Name: "chart.png", Content: bytes.NewReader(picture(i / 2))})
		must(t, err)
	}
	return owner
}

// rezip packs a zip again, with some parts changed or left out.
func rezip(t *testing.T, content []byte, change func(name string, content []byte) ([]byte, bool)) []byte {
	t.Helper()
	var files []string
	for name, part := range unzip(t, content) {
		if part, keep := change(name, part); keep {
			files = append(files, name, string(part))
		}
	}
	return zipFiles(t, files...)
}

func TestAttachedFiles(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		good := h.exportZip(t, newIllustratedJournal(t, h), "")
		for name, c := range map[string]struct {
			change   func(name string, content []byte) ([]byte, bool)
			attached int
			problems []string
		}{
			"whole": {func(_ string, content []byte) ([]byte, bool) { return content, true }, 3, nil},
			"one is missing": {func(name string, content []byte) ([]byte, bool) {
				return content, name != "attachments/00002.png"
			}, 2, []string{`Attachment 2: The archive holds no file "attachments/00002.png".`}},
			"one is another": {func(name string, content []byte) ([]byte, bool) {
				if name == "attachments/00003.png" {
					content = picture(5)
				}
				return content, true
			}, 2, []string{`Attachment 3: The file "attachments/00003.png" in the archive does not agree with its checksum.`}},
			"one is no picture": {func(name string, content []byte) ([]byte, bool) {
				switch name {
				case "attachments/00001.png":
					return []byte("<html>"), true
				case backupEntry: // by hand, without checksums
					return removeSums(t, content), true
				}
				return content, true
			}, 2, []string{"Attachment 1: Only PNG, JPEG, GIF and WebP images and PDF documents can be attached."}},
		} {
			t.Run(name, func(t *testing.T) {
				to := h.user(t)
				result, attached := h.restoreZip(t, to, rezip(t, good, c.change))
				var got []string
				for _, p := range result.Errors {
					got = append(got, p.Message)
				}
				expect(t, got, c.problems...)
				if attached != c.attached {
					t.Errorf("%d files were attached, want %d", attached, c.attached)
				}
				// The whole zip brings what the other did not.
				if _, more := h.restoreZip(t, to, good); more != 3-c.attached {
					t.Errorf("%d more came with the whole zip, want %d", more, 3-c.attached)
				}
			})
		}
	})
}

// removeSums removes the checksums from a backup, its own and its files'.
func removeSums(t *testing.T, content []byte) []byte {
	t.Helper()
	var doc map[string]any
	must(t, json.Unmarshal(content, &doc))
	delete(doc, "checksums")
	for _, file := range doc["attachments"].([]any) {
		delete(file.(map[string]any), "sha256")
	}
	text, err := json.Marshal(doc)
	must(t, err)
	return text
}

// A plain backup reports its missing files; nothing is attached.
func TestPlainBackupsCarryNoFiles(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	from, to := newIllustratedJournal(t, h), h.user(t)
	result := h.restore(t, to, h.export(t, from, ""))
	wantComplete(t, result)
	attached, err := AttachFiles(t.Context(), h.playbook, to, nil, &result)
	must(t, err)
	if attached != 0 || len(result.Files) != 3 || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "(3)") {
		t.Errorf("%d files, %+v", attached, result)
	}
}

// A missing file on disk does not keep the rest from being saved, and the zip says so.
func TestLostFiles(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.SQLite)
	h := newFixture(t, d)
	dir := t.TempDir()
	files, err := playbook.OpenFiles(dir)
	must(t, err)
	t.Cleanup(func() { _ = files.Close() })
	h.playbook = playbook.New(d, h.clock.Now, playbook.Options{Known: h.known(), Files: files})
	owner := newIllustratedJournal(t, h)
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	must(t, err)
	must(t, os.Remove(paths[0]))
	var b bytes.Buffer
	var missing []FileEntry
	must(t, d.View(t.Context(), func(tx *db.Tx) error {
		missing, err = WriteZip(t.Context(), tx, h.playbook, owner, Scope{At: exportedAt}, &b)
		return err
	}))
	parts := unzip(t, b.Bytes())
	if len(missing) != 1 || len(parts) != 4 || !strings.Contains(string(parts[manifestEntry]), `"missing":[{"path":"`+missing[0].Path+`"}]`) {
		t.Errorf("missing %v, the manifest says %s", missing, parts[manifestEntry])
	}
	result, attached := h.restoreZip(t, h.user(t), b.Bytes())
	if attached != 2 || len(result.Errors) != 1 {
		t.Errorf("%d files came back, problems %v", attached, result.Errors)
	}
}
