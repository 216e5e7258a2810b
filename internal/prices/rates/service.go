package rates

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Service reads rates and stores typed ones. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	clock journal.Clock
}

// New returns a Service.
func New(d *db.DB, clock journal.Clock) *Service { return &Service{db: d, clock: clock} }

// NewConverter reads the rates from some currencies into one on a range of days.
func (s *Service) NewConverter(ctx context.Context, owner journal.UserID, from []string, to string, days DayRange) (*Converter, error) {
	return db.Get(ctx, s.db.View, func(tx *db.Tx) (*Converter, error) { return LoadConverter(ctx, tx, owner, from, to, days) })
}

// LoadConverter is [Service.NewConverter] as a step.
func LoadConverter(ctx context.Context, tx *db.Tx, owner journal.UserID, from []string, to string, days DayRange) (*Converter, error) {
	table, err := Load(ctx, tx, owner, append([]string{to}, from...), days)
	return NewConverter(table, to), err
}
