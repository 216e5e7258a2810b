package imports

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fillbook/internal/db"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
)

// UnknownKind is a word of a file for the kind of a row that is not known. Rows
// with the word are skipped until the user chooses a kind for it.
type UnknownKind struct {
	Word    string // as it is in the file
	Rows    int
	Example string         // the cells of the first row with the word
	Kind    statement.Kind // the user's choice, empty for none
}

// WordKind is the kind that a user chose for a word of a layout. Later imports
// of the layout use it.
type WordKind struct {
	ID        journal.WordKindID `json:"id"`
	Layout    string             `json:"layout" doc:"The export that the word is from: broker/export."`
	Word      string             `json:"word" doc:"The word in lower case."`
	Kind      statement.Kind     `json:"kind"`
	CreatedAt time.Time          `json:"created_at"`
}

const (
	// maxWords bounds how many words an upload may explain.
	maxWords = 100
	// maxWordLength bounds a word, in characters.
	maxWordLength = 200
	// maxWordKinds bounds how many choices are stored for one user.
	maxWordKinds = 2000
)

// checkKinds returns an error if a choice names an unknown kind or an invalid
// word.
func checkKinds(kinds map[string]string) error {
	if len(kinds) > maxWords {
		return journal.InvalidField("kinds", "kinds must have at most %d words.", maxWords)
	}
	for _, word := range slices.Sorted(maps.Keys(kinds)) {
		if key := statement.WordKey(word); key == "" || utf8.RuneCountInString(key) > maxWordLength {
			return journal.InvalidField("kinds", "A word in kinds must have 1 to %d characters.", maxWordLength)
		}
		if !slices.Contains(statement.Kinds(), statement.Kind(kinds[word])) {
			return journal.InvalidField("kinds", "%q is not a kind. Use one of %s.", kinds[word], listKinds())
		}
	}
	return nil
}

func listKinds() string {
	var names []string
	for _, kind := range statement.Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// mergeKinds returns the stored kinds of a layout's words, replaced by those of
// an upload.
func (s *Service) mergeKinds(
	ctx context.Context, owner journal.UserID, layout string, sent map[string]string,
) (map[string]statement.Kind, error) {
	kinds := map[string]statement.Kind{}
	if layout == "" {
		return kinds, nil
	}
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		return db.Each(ctx, tx, func(row db.Scanner) error {
			k, err := scanWordKind(row)
			kinds[k.Word] = k.Kind
			return err
		}, wordKindSelect+` WHERE user_id = $1 AND layout = $2 ORDER BY word`, owner, layout)
	})
	for word, kind := range sent {
		kinds[statement.WordKey(word)] = statement.Kind(kind)
	}
	return kinds, err
}

// storeKinds stores the kinds that an upload sent for words of its file, as a
// step of the commit. Words that the file does not contain are not stored.
func (s *Service) storeKinds(ctx context.Context, tx *db.Tx, owner journal.UserID, c *content, sent map[string]string) error {
	keys := map[string]bool{}
	for word := range sent {
		keys[statement.WordKey(word)] = true
	}
	var rows [][]any
	for _, u := range c.statement.UnknownKinds {
		if word := statement.WordKey(u.Word); keys[word] && u.Kind != "" {
			rows = append(rows, []any{
				owner, journal.NewID[journal.WordKindID](), c.layout, word, string(u.Kind), db.Micros(s.clock()),
			})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.InsertMany(ctx, "import_kinds", []string{"user_id", "id", "layout", "word", "kind", "created_at"},
		"ON CONFLICT (user_id, layout, word) DO UPDATE SET kind = excluded.kind, created_at = excluded.created_at", rows)
	if err != nil {
		return err
	}
	var total int
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM import_kinds WHERE user_id = $1`, owner).Scan(&total)
	if err == nil && total > maxWordKinds {
		return journal.InvalidField("kinds", "There are already %d stored kinds. Delete some of them first.", maxWordKinds)
	}
	return err
}

const wordKindSelect = `SELECT id, layout, word, kind, created_at FROM import_kinds`

func scanWordKind(row db.Scanner) (k WordKind, err error) {
	err = row.Scan(&k.ID, &k.Layout, &k.Word, &k.Kind, db.Instant(&k.CreatedAt))
	return k, err
}

// WordKinds lists the kinds that the owner chose for words, by layout and word.
func (s *Service) WordKinds(ctx context.Context, owner journal.UserID) (list []WordKind, err error) {
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		list, err = db.List(ctx, tx, scanWordKind, wordKindSelect+` WHERE user_id = $1 ORDER BY layout, word`, owner)
		return err
	})
	return list, err
}

// DeleteWordKind deletes a stored choice: later imports skip the word again.
// check, which may be nil, receives the stored choice and may reject the
// deletion.
func (s *Service) DeleteWordKind(ctx context.Context, owner journal.UserID, id journal.WordKindID, check func(WordKind) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		k, err := scanWordKind(tx.QueryRow(ctx, wordKindSelect+` WHERE user_id = $1 AND id = $2`+tx.Lock(), owner, id))
		if errors.Is(err, db.ErrNoRows) {
			return journal.NotFound("kind")
		}
		if err == nil && check != nil {
			err = check(k)
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM import_kinds WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}

// unknownKinds lists the words of a file that need, or have, the user's choice.
func unknownKinds(st *statement.Statement) []UnknownKind {
	list := []UnknownKind{}
	for _, u := range st.UnknownKinds {
		list = append(list, UnknownKind(u))
	}
	return list
}
