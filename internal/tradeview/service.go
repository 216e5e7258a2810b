package tradeview

import (
	"context"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// Service reads trades, each method in one snapshot. It is safe for concurrent
// use.
type Service struct {
	db     *db.DB
	ledger *ledger.Service
}

// New returns a Service.
func New(d *db.DB, l *ledger.Service) *Service { return &Service{db: d, ledger: l} }

// Page is a part of a list, and how many trades the whole list has.
type Page struct {
	Rows  []View
	Total int
}

// Page reads the trades of a query and counts those that it selects without its
// limit and cursor, both in one snapshot.
func (s *Service) Page(ctx context.Context, owner journal.UserID, q Query) (page Page, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		page = Page{}
		err := Each(ctx, tx, owner, q, func(v *View) error {
			page.Rows = append(page.Rows, *v)
			return nil
		})
		if err != nil {
			return err
		}
		page.Total, err = s.ledger.CountTradesIn(ctx, tx, owner, q.ledgerQuery(owner))
		return err
	})
	return page, err
}

// Each is the step of that name in a snapshot of its own.
func (s *Service) Each(ctx context.Context, owner journal.UserID, q Query, fn func(*View) error) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return Each(ctx, tx, owner, q, fn) })
}

// Detail reads one trade of the owner.
func (s *Service) Detail(ctx context.Context, owner journal.UserID, id journal.TradeID) (detail Detail, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		detail, err = ReadDetail(ctx, tx, owner, id)
		return err
	})
	return detail, err
}
