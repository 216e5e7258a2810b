package enrollments

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/programs"
)

// Evaluated is an enrollment with its result.
type Evaluated struct {
	Enrollment
	Result *programs.Result
}

// PresentState returns the stored state, or while that is active the one that
// follows from the trades.
func (e *Evaluated) PresentState() programs.State {
	if e.Enrollment.State != programs.Active {
		return e.Enrollment.State
	}
	return e.Result.State
}

// Evaluate evaluates an enrollment with what is known at an instant.
func (s *Service) Evaluate(ctx context.Context, owner journal.UserID, id journal.EnrollmentID, at time.Time) (Evaluated, error) {
	return db.Get(ctx, s.db.View, func(tx *db.Tx) (Evaluated, error) {
		e, err := read(ctx, tx, owner, id, "")
		if err != nil {
			return Evaluated{}, err
		}
		result, err := s.evaluate(ctx, tx, owner, &e, at)
		return Evaluated{e, result}, err
	})
}

// EvaluateAll returns the owner's enrollments, newest first, with what is known now.
func (s *Service) EvaluateAll(ctx context.Context, owner journal.UserID) ([]Evaluated, error) {
	return db.Get(ctx, s.db.View, func(tx *db.Tx) ([]Evaluated, error) {
		list, err := List(ctx, tx, owner)
		if err != nil {
			return nil, err
		}
		out := make([]Evaluated, len(list))
		for i := range list {
			out[i].Enrollment = list[i]
			if out[i].Result, err = s.evaluate(ctx, tx, owner, &list[i], s.clock()); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

func (s *Service) evaluate(ctx context.Context, tx *db.Tx, owner journal.UserID, e *Enrollment, at time.Time) (*programs.Result, error) {
	p, err := e.program()
	if err != nil {
		return nil, err
	}
	if e.EndedAt != nil && e.EndedAt.Before(at) {
		at = *e.EndedAt
	}
	facts := programs.Facts{StartedAt: db.Micros(e.StartedAt), Until: db.Micros(at), Start: e.StartingBalance}
	for _, d := range e.Decisions {
		if d.Decision == Continue {
			facts.SetAside = append(facts.SetAside, programs.Breach{Kind: d.Kind, At: db.Micros(d.BreachAt)})
		}
	}
	for _, payout := range e.Payouts {
		if payout.PaidAt != nil {
			facts.Payouts = append(facts.Payouts, programs.Payout{At: db.Micros(*payout.PaidAt), Gross: payout.Gross})
		}
	}
	if facts.Trades, err = s.loadTrades(ctx, tx, owner, e.AccountID, facts.StartedAt, facts.Until); err != nil {
		return nil, err
	}
	period := journal.Period{From: &e.StartedAt, To: &at}
	facts.Cash, err = loadCash(ctx, tx, owner, journal.Scope{Accounts: []journal.AccountID{e.AccountID}, Period: period})
	if err != nil {
		return nil, err
	}
	return programs.Evaluate(&p, &facts), nil
}

// loadTrades returns an account's trades that were opened between two instants, with the
// bounds that bars give.
func (s *Service) loadTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID, from, to int64,
) ([]programs.Trade, error) {
	account, err := ledger.ReadAccount(ctx, tx, owner, id)
	if err != nil {
		return nil, err
	}
	flows, err := ledger.ListTradeFlows(ctx, tx, owner, account, from, to)
	if err != nil {
		return nil, err
	}
	list, ids := make([]programs.Trade, len(flows)), make([]journal.TradeID, len(flows))
	for i := range flows {
		list[i], ids[i] = toTrade(&flows[i]), flows[i].ID
	}
	if s.bounds == nil || len(ids) == 0 {
		return list, nil
	}
	bounds, err := s.bounds(ctx, tx, owner, ids)
	for i := range list {
		if b, known := bounds[list[i].ID]; known {
			list[i].Excursion = &b
		}
	}
	return list, err
}

// toTrade converts a trade's steps.
func toTrade(f *ledger.TradeFlow) programs.Trade {
	t := programs.Trade{ID: f.ID, Size: contractSize(f.Instrument), Fills: make([]programs.Fill, len(f.Parts))}
	for i, p := range f.Parts {
		t.Fills[i] = programs.Fill{At: p.At, Seq: p.Seq, Quantity: p.Quantity.Neg(), Net: p.Net()}
	}
	return t
}

// contractSize returns how an instrument counts in a limit for contracts: shares, currencies
// and coins do not.
func contractSize(i ledger.Instrument) programs.ContractSize {
	switch i.Type {
	case instruments.TypeFuture, instruments.TypeOption:
		if instruments.IsMicro(i.Symbol) {
			return programs.MicroContract
		}
		return programs.FullContract
	}
	return programs.NoContract
}

// balanceTypes are the cash rows that change a program's balance. Deposits and withdrawals
// do not: the first is the starting balance, the second would count a payout twice.
var balanceTypes = []ledger.CashType{ledger.Fee, ledger.Dividend, ledger.Interest, ledger.Adjustment}

func loadCash(ctx context.Context, tx *db.Tx, owner journal.UserID, scope journal.Scope) (list []programs.Cash, err error) {
	err = ledger.EachCash(ctx, tx, owner, scope, func(c ledger.Cash) error {
		if slices.Contains(balanceTypes, c.Type) {
			list = append(list, programs.Cash{At: db.Micros(c.OccurredAt), Amount: c.Amount})
		}
		return nil
	})
	return list, err
}
