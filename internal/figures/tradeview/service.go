package tradeview

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/strategybook"
)

// Service reads trades, each method in one snapshot. It is safe for concurrent
// use.
type Service struct {
	db     *db.DB
	ledger *ledger.Service
	rank   Ranker
	finder Completer
}

// New returns a Service.
func New(d *db.DB, l *ledger.Service, rank Ranker, finder Completer) *Service {
	return &Service{db: d, ledger: l, rank: rank, finder: finder}
}

// Complete adds what depends on other trades to a trade read in the same transaction: the
// verdicts of trading rules, and the strategy. It must not be called after a write in it:
// both are cached.
func (s *Service) Complete(ctx context.Context, tx *db.Tx, owner journal.UserID, v *View) error {
	complete, err := s.finder(ctx, tx, owner)
	if err == nil && complete != nil {
		complete(v)
	}
	return err
}

// NeedsCompleting reports whether the owner has trading rules, or can have strategies. It is
// a step.
func (s *Service) NeedsCompleting(ctx context.Context, tx *db.Tx, owner journal.UserID) (bool, error) {
	list, err := rulebook.ListRules(ctx, tx, owner)
	if err != nil || len(list) > 0 {
		return err == nil, err
	}
	return strategybook.MayHaveUnits(ctx, tx, owner)
}

// CompleteAfter is [Service.Complete] after a write was committed.
func (s *Service) CompleteAfter(ctx context.Context, owner journal.UserID, v *View) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return s.Complete(ctx, tx, owner, v) })
}

func prefetchCompleting(ctx context.Context, tx *db.Tx, owner journal.UserID) {
	tx.Prefetch(func(tx *db.Tx) {
		_, _ = rulebook.ListRules(ctx, tx, owner)
		_, _ = strategybook.MayHaveUnits(ctx, tx, owner)
	})
}

// Page is a part of a list, and the whole list's trade count.
type Page struct {
	Rows  []View
	Total int
}

// Page reads a query's trades and counts all without its limit and cursor, both in one
// snapshot.
func (s *Service) Page(ctx context.Context, owner journal.UserID, q Query) (page Page, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		page = Page{}
		if q.Completed {
			prefetchCompleting(ctx, tx, owner)
		}
		collect := func(v *View) error {
			page.Rows = append(page.Rows, *v)
			return nil
		}
		incomplete := q
		incomplete.Completed = false
		total, counted, err := s.each(ctx, tx, owner, incomplete, collect)
		if err == nil && !counted {
			total, err = s.ledger.CountTradesIn(ctx, tx, owner, q.ledgerQuery(owner))
		}
		page.Total = total
		if err != nil || !q.Completed || len(page.Rows) == 0 {
			return err
		}
		complete, err := s.finder(ctx, tx, owner)
		for i := range page.Rows {
			if complete != nil {
				complete(&page.Rows[i])
			}
		}
		return err
	})
	return page, err
}

// Each calls fn with a query's trades, in its own snapshot. A View is valid until fn
// returns. Memory stays flat, except for a list sorted or filtered by columns, which
// keeps every trade's place.
func (s *Service) Each(ctx context.Context, owner journal.UserID, q Query, fn func(*View) error) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return s.EachIn(ctx, tx, owner, q, fn) })
}

// EachIn is the step in [Service.Each].
func (s *Service) EachIn(ctx context.Context, tx *db.Tx, owner journal.UserID, q Query, fn func(*View) error) error {
	_, _, err := s.each(ctx, tx, owner, q, fn)
	return err
}

// each calls fn with a query's trades. counted reports whether it knows their total.
func (s *Service) each(ctx context.Context, tx *db.Tx, owner journal.UserID, q Query, fn func(*View) error) (total int, counted bool, err error) {
	if q.Completed {
		complete, err := s.finder(ctx, tx, owner)
		if err != nil {
			return 0, false, err
		}
		if emit := fn; complete != nil {
			fn = func(v *View) error {
				complete(v)
				return emit(v)
			}
		}
	}
	if q.Sort == nil && !q.Filter.NeedsColumns() {
		return 0, false, EachInDatabase(ctx, tx, owner, q, fn)
	}
	ranking, err := s.rank(ctx, tx, owner, q)
	if err != nil {
		return 0, false, err
	}
	r := newReader(ctx, tx, owner)
	return ranking.Total, true, r.eachRanked(ranking.Trades, fn)
}

// Detail reads one of the owner's trades.
func (s *Service) Detail(ctx context.Context, owner journal.UserID, id journal.TradeID) (detail Detail, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		prefetchCompleting(ctx, tx, owner)
		if detail, err = ReadDetail(ctx, tx, owner, id); err != nil {
			return err
		}
		return s.Complete(ctx, tx, owner, &detail.View)
	})
	return detail, err
}
