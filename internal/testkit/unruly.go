package testkit

import (
	"context"

	"fillbook/internal/base/db"
)

// RunUnruly runs a statement without the id of a user, as a mistake in the
// program would, for the test that such a mistake is found.
func RunUnruly(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, `SELECT id FROM trades`)
	return err
}
