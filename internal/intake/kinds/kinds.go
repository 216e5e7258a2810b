// Package kinds stores users' kinds for words in imported files unexplained by any
// preset.
package kinds

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/intake/statement"
)

// WordKind is a user's kind for a word in a layout. Later imports with the layout use it.
type WordKind struct {
	ID        journal.WordKindID `json:"id"`
	Layout    string             `json:"layout" doc:"The export that the word is from: broker/export."`
	Word      string             `json:"word" doc:"The word in lower case."`
	Kind      statement.Kind     `json:"kind"`
	CreatedAt time.Time          `json:"created_at"`
}

// maxWordLength bounds a word, in characters.
const maxWordLength = 200

// Check returns an error if a word is invalid, or if a user cannot choose its kind.
func Check(word, kind string) error {
	if key := statement.WordKey(word); key == "" || utf8.RuneCountInString(key) > maxWordLength {
		return journal.InvalidField("kinds", "A word in kinds must have 1 to %d characters.", maxWordLength)
	}
	if !slices.Contains(statement.Kinds(), statement.Kind(kind)) {
		return journal.InvalidField("kinds", "%q is not a kind. Use one of %s.", kind, listNames())
	}
	return nil
}

func listNames() string {
	var names []string
	for _, kind := range statement.Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

const selectKinds = `SELECT id, layout, word, kind, created_at FROM import_kinds`

func scan(row db.Scanner) (k WordKind, err error) {
	err = row.Scan(&k.ID, &k.Layout, &k.Word, &k.Kind, db.Instant(&k.CreatedAt))
	return k, err
}

// List returns the owner's choices by layout and word.
func List(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]WordKind, error) {
	return db.List(ctx, tx, scan, selectKinds+` WHERE user_id = $1 ORDER BY layout, word`, owner)
}

// Load returns the owner's kinds for the words in a layout.
func Load(ctx context.Context, tx *db.Tx, owner journal.UserID, layout string) (map[string]statement.Kind, error) {
	byWord := map[string]statement.Kind{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		k, err := scan(row)
		byWord[k.Word] = k.Kind
		return err
	}, selectKinds+` WHERE user_id = $1 AND layout = $2 ORDER BY word`, owner, layout)
	return byWord, err
}

// Store stores choices, which replace earlier ones for the same layout and word.
func Store(ctx context.Context, tx *db.Tx, owner journal.UserID, list []WordKind) error {
	if len(list) == 0 {
		return nil
	}
	err := insert(ctx, tx, owner, list)
	if err != nil {
		return err
	}
	var total int
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM import_kinds WHERE user_id = $1`, owner).Scan(&total)
	if err == nil && total > limits.ImportKinds.Max {
		return journal.InvalidField("kinds", "At most %d kinds of words can be stored. Delete some of them first.", limits.ImportKinds.Max)
	}
	return err
}

// insert stores choices and records them.
func insert(ctx context.Context, tx *db.Tx, owner journal.UserID, list []WordKind) error {
	stored, err := List(ctx, tx, owner)
	if err != nil {
		return err
	}
	known := map[[2]string]WordKind{}
	for _, k := range stored {
		known[[2]string{k.Layout, k.Word}] = k
	}
	rows := make([][]any, len(list))
	for i, k := range list {
		before, isKnown := known[[2]string{k.Layout, k.Word}]
		if isKnown {
			k.ID = before.ID
			kindHistory.Updated(tx, owner, &before, &k)
		} else {
			k.ID = journal.NewID[journal.WordKindID]()
			kindHistory.Created(tx, owner, &k)
		}
		rows[i] = []any{owner, k.ID, k.Layout, k.Word, string(k.Kind), db.Micros(k.CreatedAt)}
	}
	_, err = tx.InsertMany(ctx, "import_kinds", []string{"user_id", "id", "layout", "word", "kind", "created_at"},
		"ON CONFLICT (user_id, layout, word) DO UPDATE SET kind = excluded.kind", rows)
	return err
}

// Clean returns a choice from a backup in its stored form, or an error if it is invalid.
func Clean(k WordKind) (WordKind, error) {
	if err := Check(k.Word, string(k.Kind)); err != nil {
		return WordKind{}, err
	}
	layout, err := journal.CleanRequiredName("layout", k.Layout)
	if err != nil {
		return WordKind{}, err
	}
	k.Layout, k.Word = layout, statement.WordKey(k.Word)
	return k, nil
}

// Restore stores choices from [Clean] the owner has not made, and returns how many. The
// refusals are for single choices; the others are stored.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, list []WordKind) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored, err := List(ctx, tx, owner)
	if err != nil {
		return 0, nil, err
	}
	known := map[[2]string]bool{}
	for _, k := range stored {
		known[[2]string{k.Layout, k.Word}] = true
	}
	refusals = make([]error, len(list))
	var missing []WordKind
	for i, k := range list {
		switch key := [2]string{k.Layout, k.Word}; {
		case known[key]:
		case len(known) >= limits.ImportKinds.Max:
			refusals[i] = limits.ImportKinds.Reached()
		default:
			missing, known[key] = append(missing, k), true
		}
	}
	return len(missing), refusals, insert(ctx, tx, owner, missing)
}

// Delete deletes a choice: later imports skip the word again. check, which may be
// nil, receives the stored choice and may reject the deletion.
func Delete(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.WordKindID, check func(WordKind) error) error {
	k, err := scan(tx.QueryRow(ctx, selectKinds+` WHERE user_id = $1 AND id = $2`+tx.Lock(), owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return journal.NotFound("kind")
	}
	if err == nil && check != nil {
		err = check(k)
	}
	if err != nil {
		return err
	}
	history.Describe(tx, owner, history.Description{Action: history.Settings})
	kindHistory.Deleted(tx, owner, &k)
	if err := history.Keep(ctx, tx, owner, "import_kinds", `id = $2`, id); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM import_kinds WHERE user_id = $1 AND id = $2`, owner, id)
	return err
}
