package playbook_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/playbook"
)

// picture is a PNG with that size.
func picture(width, height int) io.Reader {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err)
	}
	return &b
}

func bytesOf(r io.Reader) []byte {
	content, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return content
}

// files are the files on the disk, as paths inside the directory.
func (w *world) files() []string {
	w.t.Helper()
	list := []string{}
	must(w.t, filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(w.dir, path)
			list = append(list, name)
		}
		return err
	}))
	return list
}

func (w *world) read(id journal.AttachmentID) []byte {
	w.t.Helper()
	_, content, err := w.OpenAttachment(w.ctx, w.ann, id)
	must(w.t, err)
	defer func() { must(w.t, content.Close()) }()
	return bytesOf(content)
}

func TestAttachments(t *testing.T) {
	each(t, func(w *world) {
		content := bytesOf(picture(30, 20))
		sum := sha256.Sum256(content)
		note := w.note(playbook.NoteChange{Body: journal.Some("x")})
		onTrade, err := w.Attach(w.ctx, w.ann, playbook.Target{Trade: w.annTrade}, playbook.Upload{
			Name: `C:\Users\ann\entry chart.PNG`, MediaType: "image/png", Content: bytes.NewReader(content),
		})
		must(w.t, err)
		w.clock.Advance(time.Second)
		onNote, err := w.Attach(w.ctx, w.ann, playbook.Target{Note: note.ID}, playbook.Upload{Name: "../plan", Content: strings.NewReader("%PDF-1.7 …")})
		must(w.t, err)
		want := playbook.Attachment{
			ID: onTrade.ID, Trade: &w.annTrade, Name: "entry chart.PNG", MediaType: "image/png", Size: int64(len(content)), SHA256: sum[:],
			CreatedAt: w.clock.Now().Add(-time.Second),
		}
		list := w.attachments(w.ann, playbook.Target{Trade: w.annTrade})
		if diff := cmp.Diff([]playbook.Attachment{want}, list); diff != "" {
			w.t.Error(diff)
		}
		if onNote.Name != "plan.pdf" || onNote.MediaType != "application/pdf" || onNote.Note == nil || *onNote.Note != note.ID {
			w.t.Errorf("on the note is %+v", onNote)
		}
		if !bytes.Equal(w.read(onTrade.ID), content) || string(w.read(onNote.ID)) != "%PDF-1.7 …" {
			w.t.Error("the content has changed")
		}
		broken, err := w.CheckFiles(w.ctx, w.ann)
		must(w.t, err)
		if len(broken) != 0 {
			w.t.Errorf("broken are %+v", broken)
		}
		must(w.t, w.DeleteAttachment(w.ctx, w.ann, onTrade.ID, nil))
		must(w.t, w.DeleteNote(w.ctx, w.ann, note.ID, nil))
		for _, id := range []journal.AttachmentID{onTrade.ID, onNote.ID} {
			_, _, err = w.OpenAttachment(w.ctx, w.ann, id)
			refused(w.t, err, journal.KindNotFound, "")
		}
		if w.dir != "" && len(w.files()) != 2 {
			w.t.Errorf("%d files are kept for an undo, want 2", len(w.files()))
		}
		must(w.t, w.DropKeptFiles(w.ctx, time.Now().AddDate(1, 0, 0)))
		if w.dir != "" && len(w.files()) != 0 {
			w.t.Errorf("files are left: %v", w.files())
		}
	})
}

func TestAttachmentRefusals(t *testing.T) {
	each(t, func(w *world) {
		target := playbook.Target{Trade: w.annTrade}
		kept := w.attach(target)
		try := func(target playbook.Target, name string) error {
			_, err := w.Attach(w.ctx, w.ann, target, playbook.Upload{Name: name, Content: picture(1, 1)})
			return err
		}
		refused(w.t, try(playbook.Target{Trade: w.bobTrade}, "a.png"), journal.KindNotFound, "")
		refused(w.t, try(playbook.Target{Note: "nope"}, "a.png"), journal.KindNotFound, "")
		refused(w.t, try(playbook.Target{}, "a.png"), journal.KindNotFound, "")
		refused(w.t, try(target, "a\nb.png"), journal.KindInvalid, "name")
		refused(w.t, try(target, strings.Repeat("x", 201)), journal.KindInvalid, "name")
		hisNote, err := w.CreateNote(w.ctx, w.bob, playbook.NoteChange{Body: journal.Some("x")})
		must(w.t, err)
		refused(w.t, try(playbook.Target{Note: hisNote.ID}, "a.png"), journal.KindNotFound, "")

		_, _, err = w.OpenAttachment(w.ctx, w.bob, kept.ID)
		refused(w.t, err, journal.KindNotFound, "")
		refused(w.t, w.DeleteAttachment(w.ctx, w.bob, kept.ID, nil), journal.KindNotFound, "")
		refused(w.t, w.DeleteAttachment(w.ctx, w.ann, kept.ID, func(playbook.Attachment) error { return journal.Stale() }), journal.KindStale, "")
		list := w.attachments(w.bob, target)
		if len(list) != 0 {
			w.t.Errorf("bob sees %+v", list)
		}
		if w.dir != "" && len(w.files()) != 1 {
			w.t.Errorf("after refusals the files are %v", w.files())
		}
	})
}

func TestAttachmentLimits(t *testing.T) {
	t.Parallel()
	size := int64(len(bytesOf(picture(3, 2))))
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, playbook.Options{MaxFileBytes: size, MaxUserBytes: 2*size + 1})
		target := playbook.Target{Trade: w.annTrade}
		large := io.MultiReader(picture(3, 2), strings.NewReader("x"))
		_, err := w.Attach(w.ctx, w.ann, target, playbook.Upload{Content: large})
		refused(t, err, journal.KindTooLarge, "")
		w.attach(target)
		w.attach(target)
		_, err = w.Attach(w.ctx, w.ann, target, playbook.Upload{Content: picture(3, 2)})
		refused(t, err, journal.KindTooLarge, "")
		_, err = w.Attach(w.ctx, w.bob, playbook.Target{Trade: w.bobTrade}, playbook.Upload{Content: picture(3, 2)})
		must(t, err) // the room is each user's own
		fault := errors.New("the line is dead")
		_, err = w.Attach(w.ctx, w.ann, target, playbook.Upload{Content: io.MultiReader(picture(1, 1), broken{fault})})
		if !errors.Is(err, fault) {
			t.Errorf("a broken upload gives %v", err)
		}
		few := newWorld(t, testkit.Open(t, d.Engine()), playbook.Options{MaxUserFiles: 1})
		few.attach(playbook.Target{Trade: few.annTrade})
		_, err = few.Attach(few.ctx, few.ann, playbook.Target{Trade: few.annTrade}, playbook.Upload{Content: picture(3, 2)})
		refused(t, err, journal.KindTooLarge, "")
	})
}

type broken struct{ fault error }

func (b broken) Read([]byte) (int, error) { return 0, b.fault }

func TestAttachmentTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite), playbook.Options{})
	var jpg, gifImage bytes.Buffer
	must(t, jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 4, 4)), nil))
	must(t, gif.Encode(&gifImage, image.NewGray(image.Rect(0, 0, 4, 4)), nil))
	pngImage := string(bytesOf(picture(4, 4)))
	for _, test := range []struct {
		name, claimed, content string
		wantName, wantType     string
		kind                   journal.Kind
	}{
		{name: "a.png", claimed: "image/png", content: pngImage, wantName: "a.png", wantType: "image/png"},
		{name: "", content: pngImage, wantName: "attachment.png", wantType: "image/png"},
		{name: ".png", content: pngImage, wantName: "attachment.png", wantType: "image/png"},
		{name: "chart v2.1", claimed: "application/octet-stream", content: pngImage, wantName: "chart v2.1.png", wantType: "image/png"},
		{name: "page.html", content: pngImage, wantName: "page.html.png", wantType: "image/png"},
		{name: "b.JPEG", claimed: "image/jpg", content: jpg.String(), wantName: "b.JPEG", wantType: "image/jpeg"},
		{name: "c.gif", claimed: "image/gif; x=y", content: gifImage.String(), wantName: "c.gif", wantType: "image/gif"},
		{name: "d.webp", content: webp("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x10\x00\x10\x00"), wantName: "d.webp", wantType: "image/webp"},
		{name: "e.webp", content: webp("VP8L", "\x2f\x0f\xc0\x03\x00\x00\x00\x00\x00\x00"), wantName: "e.webp", wantType: "image/webp"},
		{name: "f.webp", content: webp("VP8X", "\x00\x00\x00\x00\x0f\x00\x00\x0f\x00\x00"), wantName: "f.webp", wantType: "image/webp"},
		{name: "g.pdf", claimed: "application/pdf", content: "%PDF-1.4\n", wantName: "g.pdf", wantType: "application/pdf"},

		{name: "a.png", claimed: "image/jpeg", content: pngImage, kind: journal.KindUnsupported},
		{name: "a.jpg", content: pngImage, kind: journal.KindUnsupported},
		{name: "a.pdf", content: pngImage, kind: journal.KindUnsupported},
		{name: "a.png", claimed: "text/html", content: pngImage, kind: journal.KindUnsupported},
		{name: "a.png", claimed: "image/jpg", content: pngImage, kind: journal.KindUnsupported},
		{name: "a.png", claimed: "image/png", content: "<html>", kind: journal.KindUnsupported},
		{name: "a.svg", claimed: "image/svg+xml", content: "<svg/>", kind: journal.KindUnsupported},
		{name: "a.png", content: "", kind: journal.KindUnsupported},
		{name: "a.png", content: pngImage[:12], kind: journal.KindUnsupported},
		{name: "a.webp", content: webp("VP8 ", "")[:20], kind: journal.KindUnsupported},
		{name: "a.webp", content: webp("VP8 ", "0123456789"), kind: journal.KindUnsupported},
		{name: "a.webp", content: webp("VP8L", "0123456789"), kind: journal.KindUnsupported},
		{name: "a.webp", content: webp("ABCD", "0123456789"), kind: journal.KindUnsupported},
		{name: "a.webp", content: webp("VP8X", "\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff"), kind: journal.KindTooLarge},
		{name: "a.png", content: giant(), kind: journal.KindTooLarge},
	} {
		got, err := w.Attach(w.ctx, w.ann, playbook.Target{Trade: w.annTrade}, playbook.Upload{
			Name: test.name, MediaType: test.claimed, Content: strings.NewReader(test.content),
		})
		switch {
		case test.kind != 0 && err == nil:
			t.Errorf("%q as %q was taken", test.name, test.claimed)
		case test.kind != 0:
			refused(t, err, test.kind, "")
		case err != nil || got.Name != test.wantName || got.MediaType != test.wantType:
			t.Errorf("%q as %q is %+v, %v", test.name, test.claimed, got, err)
		}
	}
}

// webp is the beginning for a WebP file with one chunk.
func webp(chunk, body string) string {
	return "RIFF\x00\x00\x00\x00WEBP" + chunk + "\x0a\x00\x00\x00" + body
}

// giant is a small PNG that says that it is 50000 pixels wide and high.
func giant() string {
	content := bytesOf(picture(1, 1))
	// The header chunk: length, name, width, height, five bytes, checksum.
	header := content[12:29]
	copy(header[4:], "\x00\x00\xc3\x50\x00\x00\xc3\x50")
	binary.BigEndian.PutUint32(content[29:], crc32.ChecksumIEEE(header))
	return string(content)
}

// TestFilesOnDisk checks the files in the directory.
func TestFilesOnDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite), playbook.Options{})
	kept := w.attach(playbook.Target{Trade: w.annTrade})
	path := filepath.Join(w.dir, string(w.public[w.ann]), string(kept.ID))
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}

	// What crashes leave: a file without a row, half a file, a user that is gone.
	old, young := w.clock.Now().Add(-2*time.Hour), w.clock.Now().Add(-time.Minute)
	stray := func(name string, modified time.Time) {
		name = filepath.Join(w.dir, name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must(t, os.WriteFile(name, []byte("x"), 0o600))
		must(t, os.Chtimes(name, modified, modified))
	}
	must(t, os.Chtimes(path, old, old))
	stray(filepath.Join(string(w.public[w.ann]), "stray"), old)
	stray(filepath.Join(string(w.public[w.ann]), "half.part"), old)
	stray(filepath.Join(string(w.public[w.ann]), "uploading"), young)
	stray(filepath.Join("gone", "a"), old)
	stray("not-ours", old)
	removed, err := w.SweepFiles(w.ctx)
	must(t, err)
	want := []string{filepath.Join(string(w.public[w.ann]), string(kept.ID)), filepath.Join(string(w.public[w.ann]), "uploading"), "not-ours"}
	if got := w.files(); removed != 3 || !slices.Equal(got, want) {
		t.Errorf("swept %d, left are %v", removed, got)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty directory is there: %v", err)
	}

	must(t, os.WriteFile(path, nil, 0o600))
	bad, err := w.CheckFiles(w.ctx, w.ann)
	must(t, err)
	if len(bad) != 1 || bad[0].ID != kept.ID {
		t.Errorf("broken are %+v", bad)
	}
	must(t, w.RemoveFilesOf(w.public[w.ann]))
	if got := w.files(); !slices.Equal(got, []string{"not-ours"}) {
		t.Errorf("left are %v", got)
	}
	_, _, err = w.OpenAttachment(w.ctx, w.ann, kept.ID)
	var refusal *journal.Error
	if err == nil || errors.As(err, &refusal) {
		t.Errorf("a missing file is told as %v", err)
	}
}

// TestNoFilesInDatabase ensures that nothing is done to a disk where the
// content is kept in the database.
func TestNoFilesInDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.PostgreSQL), playbook.Options{})
	w.attach(playbook.Target{Trade: w.annTrade})
	n, err := w.SweepFiles(w.ctx)
	bad, err2 := w.CheckFiles(w.ctx, w.ann)
	if n != 0 || err != nil || err2 != nil || len(bad) != 0 || w.RemoveFilesOf(w.public[w.ann]) != nil {
		t.Errorf("swept %d, %v; broken %v, %v", n, err, bad, err2)
	}
}
