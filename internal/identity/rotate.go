package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

// ErrNoSecret tells that no server was ever started on the database, so that
// nothing is sealed in it.
var ErrNoSecret = errors.New("no server was ever started on this database: there is no secret to change")

// SecretIs tells whether the database was made with this secret. It is
// [ErrNoSecret] where it was made with none.
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

// RotateSecret is one step of a transaction: what this package sealed with the
// old secret is sealed with the new one, and from then on the database belongs
// to the new one. It is [ErrOtherSecret] when the old one is not the
// database's. Refresh tokens and personal access tokens are hashes, which no
// secret is part of, so they go on; an access token of the old secret is
// refused from now on, and its client fetches the next with its refresh token.
func RotateSecret(ctx context.Context, tx *db.Tx, at time.Time, from, to *secrets.Keys) error {
	n, err := tx.Exec(ctx, `UPDATE instance_secret SET fingerprint = $2 WHERE id = 1 AND fingerprint = $1`,
		from.Fingerprint(), to.Fingerprint())
	if err != nil {
		return fmt.Errorf("naming the new secret: %w", err)
	}
	if n != 1 {
		return ErrOtherSecret
	}
	type holder struct {
		id     journal.UserID
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
		sealed, err := secrets.Reseal(from, to, totpLabel, totpPlace(h.id), h.sealed)
		if err != nil {
			return fmt.Errorf("the second factor of user %s: %w", h.id, err)
		}
		if _, err := tx.Exec(ctx, `UPDATE users SET totp_secret = $2 WHERE id = $1`, h.id, sealed); err != nil {
			return err
		}
	}
	return RecordAudit(ctx, tx, NewAuditEvent(at, operator(), Client{}, ActionSecretRotate, ""))
}
