package tradeview

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/rulebook"
)

// Service reads trades, each method in one snapshot. It is safe for concurrent
// use.
type Service struct {
	db     *db.DB
	ledger *ledger.Service
	rank   Ranker
	judge  Judge
}

// New returns a Service.
func New(d *db.DB, l *ledger.Service, rank Ranker, judge Judge) *Service {
	return &Service{db: d, ledger: l, rank: rank, judge: judge}
}

// AddRules adds the verdicts of trading rules to a trade read in the same transaction. It
// must not be called after a write in it: judgements are cached.
func (s *Service) AddRules(ctx context.Context, tx *db.Tx, owner journal.UserID, v *View) error {
	verdicts, err := s.judge(ctx, tx, owner)
	if err == nil && verdicts != nil {
		v.TradingRules = verdicts(v.ID)
	}
	return err
}

// HasRules reports whether the owner has trading rules. It is a step.
func (s *Service) HasRules(ctx context.Context, tx *db.Tx, owner journal.UserID) (bool, error) {
	list, err := rulebook.ListRules(ctx, tx, owner)
	return len(list) > 0, err
}

// AddRulesAfter is [Service.AddRules] after a write was committed.
func (s *Service) AddRulesAfter(ctx context.Context, owner journal.UserID, v *View) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return s.AddRules(ctx, tx, owner, v) })
}

func prefetchRules(ctx context.Context, tx *db.Tx, owner journal.UserID) {
	tx.Prefetch(func(tx *db.Tx) { _, _ = rulebook.ListRules(ctx, tx, owner) })
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
		if q.Judged {
			prefetchRules(ctx, tx, owner)
		}
		collect := func(v *View) error {
			page.Rows = append(page.Rows, *v)
			return nil
		}
		unjudged := q
		unjudged.Judged = false
		total, counted, err := s.each(ctx, tx, owner, unjudged, collect)
		if err == nil && !counted {
			total, err = s.ledger.CountTradesIn(ctx, tx, owner, q.ledgerQuery(owner))
		}
		page.Total = total
		if err != nil || !q.Judged || len(page.Rows) == 0 {
			return err
		}
		verdicts, err := s.judge(ctx, tx, owner)
		for i := range page.Rows {
			if verdicts != nil {
				page.Rows[i].TradingRules = verdicts(page.Rows[i].ID)
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
	if q.Judged {
		verdicts, err := s.judge(ctx, tx, owner)
		if err != nil {
			return 0, false, err
		}
		if emit := fn; verdicts != nil {
			fn = func(v *View) error {
				v.TradingRules = verdicts(v.ID)
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
		prefetchRules(ctx, tx, owner)
		if detail, err = ReadDetail(ctx, tx, owner, id); err != nil {
			return err
		}
		return s.AddRules(ctx, tx, owner, &detail.View)
	})
	return detail, err
}
