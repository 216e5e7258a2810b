package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// ErrNoSecret is returned if no server was ever started on the database, so nothing is
// encrypted in it.
var ErrNoSecret = errors.New("no server was ever started on this database, so there is no secret to change")

// SecretIs reports whether the database was created with this secret. It
// returns [ErrNoSecret] if it has none.
func SecretIs(ctx context.Context, d *db.DB, keys *secrets.Keys) (same bool, err error) {
	var stored []byte
	err = d.Peek(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT fingerprint FROM instance_secret WHERE id = 1`).Scan(&stored)
	})
	if errors.Is(err, db.ErrNoRows) {
		return false, ErrNoSecret
	}
	return bytes.Equal(stored, keys.Fingerprint()), err
}

// RotateSecret re-encrypts this package's values with the new secret and stores its
// fingerprint, within a transaction. It returns [ErrOtherSecret] if the old secret is not
// the database's. Refresh tokens and personal access tokens are hashes without a secret
// and stay valid. Access tokens signed with the old secret become invalid, and clients
// get new ones with their refresh token.
func RotateSecret(ctx context.Context, tx *db.Tx, at time.Time, from, to *secrets.Keys) error {
	n, err := tx.Exec(ctx, `UPDATE instance_secret SET fingerprint = $2 WHERE id = 1 AND fingerprint = $1`,
		from.Fingerprint(), to.Fingerprint())
	if err != nil {
		return fmt.Errorf("storing the fingerprint of the new secret: %w", err)
	}
	if n != 1 {
		return ErrOtherSecret
	}
	type holder struct {
		id     journal.PublicID
		sealed []byte
	}
	holders, err := db.List(ctx, tx, func(row db.Scanner) (h holder, err error) {
		err = row.Scan(&h.id, &h.sealed)
		return h, err
	}, `SELECT id, totp_secret FROM users WHERE totp_secret IS NOT NULL ORDER BY id`)
	if err != nil {
		return err
	}
	for _, h := range holders {
		sealed, err := secrets.Reseal(from, to, totpLabel, totpContext(h.id), h.sealed)
		if err != nil {
			return fmt.Errorf("second factor of user %s: %w", h.id, err)
		}
		if _, err := tx.Exec(ctx, `UPDATE users SET totp_secret = $2 WHERE id = $1`, h.id, sealed); err != nil {
			return err
		}
	}
	return RecordAudit(ctx, tx, NewAuditEvent(at, operatorPrincipal(), Client{}, ActionSecretRotate, ""))
}
