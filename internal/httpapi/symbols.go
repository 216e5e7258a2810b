package httpapi

import (
	"context"
	"net/http"
)

// tradedSymbols are the names of what the user has traded.
type tradedSymbols struct {
	Roots        []string `json:"roots" doc:"Roots of futures, underlyings of options, and other symbols."`
	GroupedRoots []string `json:"grouped_roots" doc:"Roots of several instruments, such as contracts of a future."`
	Symbols      []string `json:"symbols" doc:"Symbols of instruments other than options."`
}

func (a *API) registerSymbolRoutes() {
	register(a, journalRoute(readJournal, http.MethodGet, "/symbols", "listSymbols", "Trades", "List the roots and symbols that you have traded"),
		func(ctx context.Context, _ *struct{}) (*body[tradedSymbols], error) {
			list, err := a.Ledger.ListSymbols(ctx, caller(ctx).UserID)
			return answer(tradedSymbols(list), err)
		})
}
