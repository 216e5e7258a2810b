package identity

import (
	"context"
	"fmt"

	"fillbook/internal/base/db"
)

// Check verifies the rules for users and credentials and reports each violation
// in one sentence. It changes nothing.
func (s *Service) Check(ctx context.Context, report func(string)) error {
	return s.db.View(ctx, func(tx *db.Tx) error {
		if err := checkOwners(ctx, tx, report); err != nil {
			return err
		}
		return db.Each(ctx, tx, func(row db.Scanner) error {
			var token string
			var uses int
			if err := row.Scan(&token, &uses); err != nil {
				return err
			}
			report(fmt.Sprintf("The access token %s has %d use rows; at most %d are kept.", token, uses, keptUses))
			return nil
		}, `SELECT token_id, COUNT(*) FROM access_token_uses GROUP BY user_id, token_id HAVING COUNT(*) > $1 ORDER BY token_id`, keptUses)
	})
}

// checkOwners checks that an installation with users has an owner and was set
// up once.
func checkOwners(ctx context.Context, tx *db.Tx, report func(string)) error {
	var users, owners, instances int
	for _, count := range []struct {
		into  *int
		query string
	}{
		{&users, `SELECT COUNT(*) FROM users`},
		{&owners, `SELECT COUNT(*) FROM users WHERE is_admin`},
		{&instances, `SELECT COUNT(*) FROM instance`},
	} {
		if err := tx.QueryRow(ctx, count.query).Scan(count.into); err != nil {
			return err
		}
	}
	if users > 0 && owners == 0 {
		report("There are users, but none of them is an owner.")
	}
	if users > 0 && instances != 1 {
		report("There are users, but the installation is not marked as set up.")
	}
	return nil
}
