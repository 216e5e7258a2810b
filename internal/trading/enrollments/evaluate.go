package enrollments

import (
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

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

// EvaluateActive returns the owner's active enrollments with what is known at an instant. It
// is a step.
func (s *Service) EvaluateActive(ctx context.Context, tx *db.Tx, owner journal.UserID, at time.Time) ([]Evaluated, error) {
	list, err := List(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	var out []Evaluated
	for i := range list {
		if list[i].State != programs.Active {
			continue
		}
		result, err := s.evaluate(ctx, tx, owner, &list[i], at)
		if err != nil {
			return nil, err
		}
		out = append(out, Evaluated{list[i], result})
	}
	return out, nil
}

// maxKept is how many days of kept results there are at most.
const maxKept = 200_000

// keptResult is an evaluated enrollment with what the result depends on.
type keptResult struct {
	revision int64  // the account's
	facts    string // the enrollment's
	from     int64
	result   *programs.Result
}

// holds reports whether the result is the same for other facts.
func (k *keptResult) holds(revision int64, facts string, at int64) bool {
	return k.revision == revision && k.facts == facts && k.from <= at && at <= k.result.ValidUntil
}

// factsKey identifies what an evaluation takes from the enrollment.
func (e *Enrollment) factsKey() (string, error) {
	text, err := json.Marshal([]any{e.StartedAt, e.EndedAt, e.StartingBalance, e.Overrides, e.Decisions, e.Payouts, e.definition})
	return string(text), err
}

// evaluate returns an enrollment's result, kept or computed.
func (s *Service) evaluate(ctx context.Context, tx *db.Tx, owner journal.UserID, e *Enrollment, at time.Time) (*programs.Result, error) {
	account, err := ledger.ReadAccount(ctx, tx, owner, e.AccountID)
	if err != nil {
		return nil, err
	}
	if e.EndedAt != nil && e.EndedAt.Before(at) {
		at = *e.EndedAt
	}
	key, err := e.factsKey()
	if err != nil {
		return nil, err
	}
	if kept, found := s.results.Get(e.ID); found && kept.holds(account.Revision, key, db.Micros(at)) {
		return kept.result, nil
	}
	unlock, err := s.evaluating.Lock(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if kept, found := s.results.Get(e.ID); found && kept.holds(account.Revision, key, db.Micros(at)) {
		return kept.result, nil
	}
	result, err := s.compute(ctx, tx, owner, e, account, key, at)
	if err == nil {
		s.results.Put(e.ID, &keptResult{revision: account.Revision, facts: key, from: db.Micros(at), result: result}, 1+len(result.Days))
	}
	return result, err
}

// compute evaluates an enrollment with what is known at an instant.
func (s *Service) compute(
	ctx context.Context, tx *db.Tx, owner journal.UserID, e *Enrollment, account ledger.Account, key string, at time.Time,
) (*programs.Result, error) {
	p, err := e.program()
	if err != nil {
		return nil, err
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
	period := journal.Period{From: &e.StartedAt}
	facts.Cash, err = loadCash(ctx, tx, owner, journal.Scope{Accounts: []journal.AccountID{e.AccountID}, Period: period})
	if err != nil {
		return nil, err
	}
	step := progressStep{service: s, tx: tx, owner: owner, account: account, enrollment: e.ID, key: key, program: &p, facts: &facts}
	return step.evaluate(ctx)
}

// loadTrades returns an account's trades that were opened between two instants, with the
// bounds that bars give.
func (s *Service) loadTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, from, to int64,
) ([]programs.Trade, error) {
	flows, err := ledger.ListTradeFlows(ctx, tx, owner, account, from, to)
	if err != nil {
		return nil, err
	}
	return s.toTrades(ctx, tx, owner, account, flows)
}

// toTrades converts trades, with the bounds that bars give.
func (s *Service) toTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, flows []ledger.TradeFlow,
) ([]programs.Trade, error) {
	list, ids := make([]programs.Trade, len(flows)), make([]journal.TradeID, len(flows))
	for i := range flows {
		list[i], ids[i] = toTrade(&flows[i]), flows[i].ID
	}
	if s.bounds == nil || len(ids) == 0 {
		return list, nil
	}
	bounds, err := s.bounds(ctx, tx, owner, account, ids)
	for i := range list {
		if b, known := bounds[list[i].ID]; known {
			list[i].Excursion = &b
		}
	}
	return list, err
}

// toTrade converts a trade's steps.
func toTrade(f *ledger.TradeFlow) programs.Trade {
	t := programs.Trade{ID: f.ID, OpenedAt: f.OpenedAt, Size: contractSize(f.Instrument), Fills: make([]programs.Fill, len(f.Parts))}
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
