package sharing

import (
	"context"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// RotateSecret seals all link tokens with a new secret. It runs in the caller's
// transaction. The links themselves do not change, because they are found by their
// token's hash.
func RotateSecret(ctx context.Context, tx *db.Tx, from, to *secrets.Keys) error {
	type row struct {
		owner  journal.UserID
		id     journal.ShareID
		sealed []byte
	}
	rows, err := db.List(ctx, tx, func(scan db.Scanner) (r row, err error) {
		err = scan.Scan(&r.owner, &r.id, &r.sealed)
		return r, err
	}, `SELECT user_id, id, token_sealed FROM share_links ORDER BY user_id, id`)
	if err != nil {
		return err
	}
	for _, r := range rows {
		sealed, err := secrets.Reseal(from, to, sealLabel, string(r.id), r.sealed)
		if err != nil {
			return fmt.Errorf("resealing the token of share link %s: %w", r.id, err)
		}
		_, err = tx.Exec(ctx, `UPDATE share_links SET token_sealed = $3 WHERE user_id = $1 AND id = $2`, r.owner, r.id, sealed)
		if err != nil {
			return err
		}
	}
	return nil
}
