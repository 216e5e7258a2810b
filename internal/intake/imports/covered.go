package imports

import (
	"context"
	"fmt"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Covered is a period fully fetched by a connection into an account.
type Covered struct {
	// Name is the connection's.
	Name     string
	From, To time.Time
}

// CoveredFunc returns what connections have brought into an account. It is a step.
type CoveredFunc func(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) ([]Covered, error)

// warnCovered warns about a file in a covered period if less than half its fills match
// stored ones: its zone is wrong, or it has another kind of rows.
func (p *Preview) warnCovered(covered []Covered, planned *plan, known []bool) {
	for _, c := range covered {
		inside, matching := 0, 0
		for i, f := range planned.fills {
			if at := f.ExecutedAt(); at.Before(c.From) || !at.Before(c.To) {
				continue
			}
			if inside++; known[i] {
				matching++
			}
		}
		if 2*matching < inside {
			p.addWarningTexts([]string{fmt.Sprintf("The connection %s has brought everything of this time, but only %d of %d fills of the file match (%d%%). "+
				"Check the time zone, and that the file lists fills and not orders.", c.Name, matching, inside, 100*matching/inside)})
		}
	}
}
