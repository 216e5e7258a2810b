package imports

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/kinds"
	"fillbook/internal/intake/statement"
)

// UnknownKind is a file's unknown word for a row's kind. Rows with the word are skipped
// until the user chooses a kind for it.
type UnknownKind struct {
	Word    string // as it is in the file
	Rows    int
	Example string         // the cells in the first row with the word
	Kind    statement.Kind // the user's choice, empty for none
}

// maxWords bounds how many words an upload may explain.
const maxWords = 100

// checkKinds returns an error if a choice names an unknown kind or an invalid
// word.
func checkKinds(sent map[string]string) error {
	if len(sent) > maxWords {
		return journal.InvalidField("kinds", "kinds must have at most %d words.", maxWords)
	}
	for _, word := range slices.Sorted(maps.Keys(sent)) {
		if err := kinds.Check(word, sent[word]); err != nil {
			return err
		}
	}
	return nil
}

// mergeKinds returns the stored kinds for a layout's words, replaced by those in an
// upload.
func (s *choices) mergeKinds(
	ctx context.Context, owner journal.UserID, layout string, sent map[string]string,
) (merged map[string]statement.Kind, err error) {
	if layout == "" {
		return map[string]statement.Kind{}, nil
	}
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		merged, err = kinds.Load(ctx, tx, owner, layout)
		return err
	})
	if err != nil {
		return nil, err
	}
	for word, kind := range sent {
		merged[statement.WordKey(word)] = statement.Kind(kind)
	}
	return merged, nil
}

// storeKinds stores the kinds sent for words in the file, as a step in the commit. Words
// missing from the file are not stored.
func (s *choices) storeKinds(ctx context.Context, tx *db.Tx, owner journal.UserID, c *content, sent map[string]string) error {
	keys := map[string]bool{}
	for word := range sent {
		keys[statement.WordKey(word)] = true
	}
	var list []kinds.WordKind
	for _, u := range c.statement.UnknownKinds {
		if word := statement.WordKey(u.Word); keys[word] && u.Kind != "" {
			list = append(list, kinds.WordKind{Layout: c.layout, Word: word, Kind: u.Kind, CreatedAt: s.clock()})
		}
	}
	return kinds.Store(ctx, tx, owner, list)
}

// usedKinds returns the kinds used for words in the file, whether they were sent or
// stored before.
func (c *content) usedKinds() map[string]string {
	used := map[string]string{}
	for _, u := range c.statement.UnknownKinds {
		if u.Kind != "" {
			used[statement.WordKey(u.Word)] = string(u.Kind)
		}
	}
	return used
}

// WordKinds lists the owner's kinds for words, by layout and word.
func (s *choices) WordKinds(ctx context.Context, owner journal.UserID) (list []kinds.WordKind, err error) {
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		list, err = kinds.List(ctx, tx, owner)
		return err
	})
	return list, err
}

// DeleteWordKind deletes a stored choice: later imports skip the word again.
// check, which may be nil, receives the stored choice and may reject the
// deletion.
func (s *choices) DeleteWordKind(ctx context.Context, owner journal.UserID, id journal.WordKindID, check func(kinds.WordKind) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error { return kinds.Delete(ctx, tx, owner, id, check) })
}

// unknownKinds lists a file's words that need, or have, the user's choice.
func unknownKinds(st *statement.Statement) []UnknownKind {
	list := []UnknownKind{}
	for _, u := range st.UnknownKinds {
		list = append(list, UnknownKind(u))
	}
	return list
}
