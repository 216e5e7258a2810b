package rates

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Service reads rates. It is safe for concurrent use.
type Service struct {
	db *db.DB
}

// New returns a Service.
func New(d *db.DB) *Service { return &Service{db: d} }

// Load is [Load] in its own transaction.
func (s *Service) Load(ctx context.Context, owner journal.UserID, currencies []string, day journal.Day) (table Table, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		table, err = Load(ctx, tx, owner, currencies, day)
		return err
	})
	return table, err
}
