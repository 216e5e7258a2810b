package httpapi

import (
	"context"
	"net/http"

	"fillbook/internal/trading/ledger"
)

// tradedSymbols are the names of traded instruments.
type tradedSymbols struct {
	Roots        []string `json:"roots" doc:"Roots of futures, underlyings of options, and other symbols."`
	GroupedRoots []string `json:"grouped_roots" doc:"Roots of several instruments, such as contracts of a future."`
	Symbols      []string `json:"symbols" doc:"Symbols of instruments other than options."`
}

// symbolAPI has the operations on traded symbols.
type symbolAPI struct {
	ledger *ledger.Service
}

func (a symbolAPI) register(api *API) {
	register(api, journalRoute(readJournal, http.MethodGet, "/symbols", "listSymbols", "Trades", "List the roots and symbols that you have traded"),
		func(ctx context.Context, _ *struct{}) (*body[tradedSymbols], error) {
			list, err := a.ledger.ListSymbols(ctx, caller(ctx).UserID)
			return answer(tradedSymbols(list), err)
		})
}
