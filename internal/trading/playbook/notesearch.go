package playbook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lru"
	"fillbook/internal/base/textindex"
)

// noteMemory is the memory limit for note indexes, in bytes.
const noteMemory = 64 << 20

// indexedNote is what a search tests besides the words.
type indexedNote struct {
	at      int64 // in microseconds
	kind    NoteType
	account journal.AccountID // empty for a note without an account
}

// noteIndex is a user's note index at one revision. It never changes.
type noteIndex struct {
	revision int64
	texts    *textindex.Index[journal.NoteID, indexedNote]
}

// noteCache has users' indexes.
type noteCache = lru.Cache[journal.UserID, *noteIndexes]

// keptIndexes is how many revisions are cached for a user: a query that began before a
// write needs an older one.
const keptIndexes = 3

// noteIndexes are a user's cached indexes, the newest first. Queries needing one wait
// while another loads it.
type noteIndexes struct {
	mu       sync.Mutex
	versions []*noteIndex
}

// ReadNotePage lists notes, newest first, and returns how many the filter has in
// all. It is a step.
func (s *noteStore) ReadNotePage(
	ctx context.Context, tx *db.Tx, owner journal.UserID, filter NoteFilter, page Page,
) (notes []Note, total int, err error) {
	_, limited := journal.AllowedAccounts(ctx)
	switch {
	case len(filter.Words) == 0:
		return listNotes(ctx, tx, owner, filter, page)
	case filter.Trade != "" || limited: // there are few; the index does not have trade accounts
		return testNotes(ctx, tx, owner, filter, page)
	}
	index, err := s.loadNoteIndex(ctx, tx, owner)
	if err != nil {
		return nil, 0, err
	}
	ids, total := index.find(filter, page)
	notes, err = readNotes(ctx, tx, owner, ids)
	return notes, total, err
}

// testNotes tests the words in notes that pass the other conditions.
func testNotes(
	ctx context.Context, tx *db.Tx, owner journal.UserID, filter NoteFilter, page Page,
) (notes []Note, total int, err error) {
	notes = []Note{}
	err = EachNote(ctx, tx, owner, filter, Page{}, func(note Note) error {
		if !note.hasWords(filter.Words) {
			return nil
		}
		total++
		if page.After.precedes(db.Micros(note.OccurredAt.At), note.ID) && (page.Limit == 0 || len(notes) < page.Limit) {
			notes = append(notes, note)
		}
		return nil
	})
	return notes, total, err
}

// hasWords reports whether each folded word begins a word in the note.
func (n Note) hasWords(words []string) bool {
	texts := []string{n.Title, n.Body}
	for _, item := range n.Symbols {
		texts = append(texts, item.Symbol, item.Body)
	}
	return !slices.ContainsFunc(words, func(word string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return textindex.HasWord(text, word) })
	})
}

// precedes reports whether a note comes after the position in a list. All do after
// the zero value.
func (p Position) precedes(at int64, id journal.NoteID) bool {
	return p.ID == "" || cmp.Or(cmp.Compare(at, db.Micros(p.At)), strings.Compare(string(id), p.ID)) < 0
}

// find returns a page with notes that pass a filter, newest first, and how many do in
// all.
func (x *noteIndex) find(filter NoteFilter, page Page) (ids []journal.NoteID, total int) {
	type match struct {
		at int64
		id journal.NoteID
	}
	newestFirst := func(a, b match) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.id, a.id)) }
	var matches []match
	sorted := 0 // how many matches are a sorted page
	for id, note := range x.texts.Find(filter.Words...) {
		if !filter.passes(note) {
			continue
		}
		total++
		m := match{note.at, id}
		if !page.After.precedes(note.at, id) || sorted > 0 && newestFirst(m, matches[sorted-1]) > 0 {
			continue
		}
		if matches = append(matches, m); page.Limit > 0 && len(matches) >= 2*page.Limit {
			slices.SortFunc(matches, newestFirst)
			matches, sorted = matches[:page.Limit], page.Limit
		}
	}
	slices.SortFunc(matches, newestFirst)
	if page.Limit > 0 && len(matches) > page.Limit {
		matches = matches[:page.Limit]
	}
	ids = make([]journal.NoteID, len(matches))
	for i, m := range matches {
		ids[i] = m.id
	}
	return ids, total
}

// passes reports whether a note passes the conditions on its time, type and account.
func (f *NoteFilter) passes(n indexedNote) bool {
	return (f.Period.From == nil || n.at >= db.Micros(*f.Period.From)) && (f.Period.To == nil || n.at <= db.Micros(*f.Period.To)) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, n.kind)) && (len(f.Account) == 0 || slices.Contains(f.Account, n.account))
}

// readNotes returns the notes with some ids, in their order.
func readNotes(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.NoteID) ([]Note, error) {
	found := make(map[journal.NoteID]Note, len(ids))
	err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
		note, err := scanNote(row)
		found[note.ID] = note
		return err
	}, selectNotes+` WHERE n.user_id = $1 AND n.id IN $keys ORDER BY n.id`, owner)
	if err != nil {
		return nil, err
	}
	notes := make([]Note, len(ids))
	for i, id := range ids {
		notes[i] = found[id]
	}
	return notes, nil
}

// loadNoteIndex returns the note index for the transaction's snapshot.
func (s *noteStore) loadNoteIndex(ctx context.Context, tx *db.Tx, owner journal.UserID) (*noteIndex, error) {
	const entryBytes = 200
	revision, err := noteRevision(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	cached := s.indexes.GetOrAdd(owner, entryBytes, func() *noteIndexes { return &noteIndexes{} })
	cached.mu.Lock()
	defer cached.mu.Unlock()
	var index *noteIndex
	for _, old := range cached.versions {
		switch {
		case old.revision == revision:
			return old, nil
		case index == nil && old.revision < revision:
			if index, err = updateNoteIndex(ctx, tx, owner, old, revision); err != nil {
				return nil, err
			}
		}
	}
	if index == nil {
		if index, err = readNoteIndex(ctx, tx, owner, revision); err != nil {
			return nil, err
		}
	}
	s.indexes.Resize(owner, cached, entryBytes+cached.add(index))
	return index, nil
}

// add adds an index, drops the oldest, and returns the total size.
func (c *noteIndexes) add(index *noteIndex) (size int) {
	c.versions = append(c.versions, index)
	slices.SortFunc(c.versions, func(a, b *noteIndex) int { return cmp.Compare(b.revision, a.revision) })
	if len(c.versions) > keptIndexes {
		c.versions = c.versions[:keptIndexes]
	}
	for i, version := range c.versions {
		if i == 0 {
			size = version.texts.UnsharedBytes(nil)
		} else {
			size += version.texts.UnsharedBytes(c.versions[i-1].texts)
		}
	}
	return size
}

// readNoteIndex reads all notes.
func readNoteIndex(ctx context.Context, tx *db.Tx, owner journal.UserID, revision int64) (*noteIndex, error) {
	b := newNoteBuilder()
	err := b.add(ctx, tx, owned("user_id", owner))
	return &noteIndex{revision, b.Build()}, err
}

// updateNoteIndex reads the notes that changed since an older index. It returns nil if
// the log does not contain its revision.
func updateNoteIndex(ctx context.Context, tx *db.Tx, owner journal.UserID, old *noteIndex, revision int64) (*noteIndex, error) {
	ids, known, err := notesChangedSince(ctx, tx, owner, old.revision)
	if err != nil || !known {
		return nil, err
	}
	b := newNoteBuilder()
	for chunk := range slices.Chunk(ids, idChunk) {
		w := owned("user_id", owner)
		andIn(w, "id", chunk)
		if err := b.add(ctx, tx, w); err != nil {
			return nil, err
		}
	}
	return &noteIndex{revision, old.texts.Replace(ids, b.Build())}, nil
}

// noteBuilder builds an index. Types and accounts repeat, so each is in memory once.
type noteBuilder struct {
	*textindex.Builder[journal.NoteID, indexedNote]
	repeated map[string]string
}

func newNoteBuilder() noteBuilder {
	return noteBuilder{textindex.NewBuilder[journal.NoteID, indexedNote](), map[string]string{}}
}

// add adds the notes that a condition selects.
func (b noteBuilder) add(ctx context.Context, tx *db.Tx, w *where) error {
	once := func(text string) string {
		if known, ok := b.repeated[text]; ok {
			return known
		}
		b.repeated[text] = text
		return text
	}
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.NoteID
		var at int64
		var kind, account, title, body, symbols string
		if err := row.Scan(&id, &at, &kind, &account, &title, &body, &symbols); err != nil {
			return err
		}
		texts, err := noteTexts(title, body, symbols)
		b.Add(id, indexedNote{at: at, kind: NoteType(once(kind)), account: journal.AccountID(once(account))}, texts...)
		return err
	}, `SELECT id, occurred_at, type, COALESCE(account_id, ''), title, body, symbols FROM notes`+w.text.String()+` ORDER BY id`, w.args...)
}

// noteTexts returns a note's texts as they are searched. symbols is the stored form.
func noteTexts(title, body, symbols string) ([]string, error) {
	texts := []string{title, body}
	if symbols == "[]" {
		return texts, nil
	}
	var list []SymbolNote
	if err := json.Unmarshal([]byte(symbols), &list); err != nil {
		return nil, err
	}
	for _, item := range list {
		texts = append(texts, item.Symbol, item.Body)
	}
	return texts, nil
}

// Note revisions grow by random steps, as account revisions do: a database restored to an
// earlier state and written again does not reach a revision that it had before with other
// notes. The log has about the last thousand.
const (
	maxNoteStep = 1 << 32
	loggedNotes = 1000 * maxNoteStep / 2
)

// noteRevision returns the owner's note revision; 0 if none was written since there are
// revisions.
func noteRevision(ctx context.Context, tx *db.Tx, owner journal.UserID) (revision int64, err error) {
	err = tx.QueryRow(ctx, `SELECT revision FROM note_revisions WHERE user_id = $1`, owner).Scan(&revision)
	if errors.Is(err, db.ErrNoRows) {
		return 0, nil
	}
	return revision, err
}

// recordNotes raises the owner's note revision and logs which notes this transaction
// changed; without ids they are unknown. It must be called once in each transaction that
// changes the text, the time, the type or the account in a note, or deletes one, and
// last, because the owner's other note writers wait from here on.
func recordNotes(ctx context.Context, tx *db.Tx, owner journal.UserID, ids ...journal.NoteID) error {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails: the program ends instead
	step := 1 + int64(binary.LittleEndian.Uint64(random[:])%maxNoteStep)
	var revision int64
	err := tx.QueryRow(ctx, `
		INSERT INTO note_revisions (user_id, revision) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET revision = note_revisions.revision + excluded.revision RETURNING revision`,
		owner, step).Scan(&revision)
	if err != nil {
		return err
	}
	since := revision - loggedNotes
	if len(ids) == 0 {
		since, ids = revision, []journal.NoteID{""} // each logged revision has a row
	}
	if err := tx.Queue(ctx, `DELETE FROM note_log WHERE user_id = $1 AND revision < $2`, owner, since); err != nil {
		return err
	}
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{owner, revision, id}
	}
	return tx.QueueRows(ctx, "note_log", []string{"user_id", "revision", "note_id"}, "", rows)
}

// notesChangedSince returns the notes that changed after a revision, sorted. known is
// false if the log does not contain that revision.
func notesChangedSince(ctx context.Context, tx *db.Tx, owner journal.UserID, revision int64) (ids []journal.NoteID, known bool, err error) {
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var at int64
		var id journal.NoteID
		err := row.Scan(&at, &id)
		if at == revision {
			known = true
		} else {
			ids = append(ids, id)
		}
		return err
	}, `SELECT revision, note_id FROM note_log WHERE user_id = $1 AND revision >= $2 ORDER BY revision, note_id`, owner, revision)
	slices.Sort(ids)
	return slices.Compact(ids), known, err
}
