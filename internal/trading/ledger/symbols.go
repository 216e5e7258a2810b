package ledger

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
)

// Symbols are the names of what a user has traded, sorted.
type Symbols struct {
	// Roots are those of futures, the underlyings of options, and other symbols.
	Roots []string
	// GroupedRoots are the roots of several instruments.
	GroupedRoots []string
	// Symbols are those of instruments other than options.
	Symbols []string
}

// ListSymbols returns the names of what a user has traded.
func (s *Service) ListSymbols(ctx context.Context, owner journal.UserID) (Symbols, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Symbols, error) { return ReadSymbols(ctx, tx, owner) })
}

// ReadSymbols is [Service.ListSymbols] as a step.
func ReadSymbols(ctx context.Context, tx *db.Tx, owner journal.UserID) (Symbols, error) {
	roots, grouped, symbols := map[string]bool{}, map[string]bool{}, map[string]bool{}
	condition, args := streamsOfAllowed(ctx, owner)
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var symbol, instrument string
		if err := row.Scan(&symbol, &instrument); err != nil {
			return err
		}
		root := instruments.RootOf(symbol, instrument)
		if roots[root] {
			grouped[root] = true
		}
		roots[root] = true
		if instrument != instruments.TypeOption {
			symbols[symbol] = true
		}
		return nil
	}, `SELECT DISTINCT symbol, instrument_type FROM streams WHERE user_id = $1`+condition, args...)
	return Symbols{Roots: sortedKeys(roots), GroupedRoots: sortedKeys(grouped), Symbols: sortedKeys(symbols)}, err
}

// streamsOfAllowed returns a condition for the streams of the accounts the context does
// not exclude, and the arguments of a query whose $1 is the owner. The condition is empty
// if it excludes none.
func streamsOfAllowed(ctx context.Context, owner journal.UserID) (condition string, args []any) {
	args = []any{owner}
	ids, limited := journal.AllowedAccounts(ctx)
	if !limited {
		return "", args
	}
	return " AND account IN (SELECT number FROM accounts WHERE user_id = $1 AND id IN " + db.In(&args, ids) + ")", args
}

// sortedKeys returns a set's keys, an empty list if it has none.
func sortedKeys(set map[string]bool) []string {
	keys := slices.Sorted(maps.Keys(set))
	if keys == nil {
		return []string{}
	}
	return keys
}
