package testkit

import (
	"context"

	"fillbook/internal/base/db"
)

// RunUnruly runs a statement without a user id, as a mistake in the program would, for
// the test checking that such a mistake is found.
func RunUnruly(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, `SELECT id FROM trades`)
	return err
}
