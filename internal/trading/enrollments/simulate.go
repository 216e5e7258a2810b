package enrollments

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/programs"
)

// The most trades and fills that a simulation takes. They bound its time to a few seconds.
const (
	maxSimulatedTrades = 4_000
	maxSimulatedFills  = 16_000
)

// SimulationQuery selects what to simulate.
type SimulationQuery struct {
	ProgramID journal.ProgramID
	// Accounts are all in the program's currency if there are none.
	Accounts []journal.AccountID
	// From and To are instants in microseconds since 1970, both inclusive, by the program's
	// days.
	Range func(*programs.Program) (from, to int64, err error)
	// Below returns a random number from 0 to n − 1.
	Below func(n int) int
}

// Simulate returns how attempts at a program would have ended with the owner's trades.
func (s *Service) Simulate(ctx context.Context, owner journal.UserID, q SimulationQuery) (programs.Simulation, error) {
	var program Program
	trades, err := db.Get(ctx, s.db.View, func(tx *db.Tx) (list []programs.Trade, err error) {
		program, err = readProgram(ctx, tx, owner, q.ProgramID, "")
		if isNotFound(err) {
			return nil, journal.InvalidField("program_id", "program_id is not a program.")
		}
		if err != nil {
			return nil, err
		}
		return s.loadSimulated(ctx, tx, owner, &program.Program, q)
	})
	if err != nil {
		return programs.Simulation{}, err
	}
	select {
	case s.simulating <- struct{}{}:
		defer func() { <-s.simulating }()
	case <-ctx.Done():
		return programs.Simulation{}, ctx.Err()
	}
	return programs.Simulate(ctx, &program.Program, trades, q.Below)
}

// loadSimulated returns the trades that were opened in a range, with the fills until its end.
func (s *Service) loadSimulated(ctx context.Context, tx *db.Tx, owner journal.UserID, p *programs.Program, q SimulationQuery) ([]programs.Trade, error) {
	from, to, err := q.Range(p)
	if err != nil {
		return nil, err
	}
	accounts, err := simulatedAccounts(ctx, tx, owner, p.Currency, q.Accounts)
	if err != nil {
		return nil, err
	}
	tooMany := journal.InvalidField("from", "The range has more than %d trades or %d fills. Choose a shorter one.", maxSimulatedTrades, maxSimulatedFills)
	var list []programs.Trade
	fills := 0
	for _, account := range accounts {
		n, err := ledger.CountTradesOpened(ctx, tx, owner, account, from, to)
		if err != nil {
			return nil, err
		}
		if len(list)+n > maxSimulatedTrades {
			return nil, tooMany
		}
		trades, err := s.loadTrades(ctx, tx, owner, account, from, to)
		if err != nil {
			return nil, err
		}
		for _, t := range trades {
			t.Excursion = nil
			t.Fills = slices.DeleteFunc(t.Fills, func(f programs.Fill) bool { return f.At > to })
			if fills += len(t.Fills); fills > maxSimulatedFills {
				return nil, tooMany
			}
			if len(t.Fills) > 0 {
				list = append(list, t)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b programs.Trade) int { return programs.CompareFills(&a.Fills[0], &b.Fills[0]) })
	return list, nil
}

// simulatedAccounts returns the accounts with the ids, or all in a currency.
func simulatedAccounts(ctx context.Context, tx *db.Tx, owner journal.UserID, currency string, ids []journal.AccountID) ([]ledger.Account, error) {
	accounts, err := ledger.ResolveScope(ctx, tx, owner, ids, ledger.ToList)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(slices.Clone(accounts), func(a ledger.Account) bool { return a.BaseCurrency != currency })
	if len(ids) > 0 && len(own) < len(accounts) {
		return nil, journal.InvalidField("account_id", "The program is in %s, the account is not.", currency)
	}
	return own, nil
}
