package httpapi

import (
	"context"
	"net/http"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/kinds"
	"fillbook/internal/intake/statement"
	"fillbook/internal/transport"
)

// unknownKind is a word from a file with the user's kind for it.
type unknownKind struct {
	Word    string          `json:"word" doc:"The word as it is in the file."`
	Rows    int             `json:"rows" doc:"How many rows have the word."`
	Example string          `json:"example" doc:"The cells of the first row with the word."`
	Kind    *statement.Kind `json:"kind" doc:"The kind that kinds or an earlier import chose; null for none."`
}

func shapeUnknownKind(u imports.UnknownKind) unknownKind {
	shaped := unknownKind{Word: u.Word, Rows: u.Rows, Example: u.Example}
	if u.Kind != "" {
		shaped.Kind = &u.Kind
	}
	return shaped
}

// wordKindOperations registers the operations on stored word kinds.
func (a importAPI) wordKindOperations(api *API, route func(needs permission, method, path, id, summary string) route) {
	register(api, route(readJournal, http.MethodGet, "/kinds", "listImportKinds", "List the kinds chosen for words of imported files"),
		func(ctx context.Context, _ *struct{}) (*body[[]kinds.WordKind], error) {
			list, err := a.imports.WordKinds(ctx, caller(ctx).UserID)
			return answer(list, err)
		})
	register(api, route(writeJournal, http.MethodDelete, "/kinds/{id}", "deleteImportKind", "Delete the kind chosen for a word"),
		func(ctx context.Context, in *DeleteOf[journal.WordKindID]) (*nothing, error) {
			check := transport.IfMatch(in.IfMatch, func(k kinds.WordKind) any { return k })
			return nil, a.imports.DeleteWordKind(ctx, caller(ctx).UserID, in.ID, check)
		})
}
