package identity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// AddTokenOwner stores whose token has a hash, within a transaction. deleteAfter
// is when the token cannot be used any more; nil means never.
func AddTokenOwner(ctx context.Context, tx *db.Tx, hash []byte, owner journal.UserID, deleteAfter *time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO token_owners (hash, user_id, delete_after) VALUES ($1, $2, $3)`,
		hash, owner, db.NullMicros(deleteAfter))
	if err != nil {
		return fmt.Errorf("storing the owner of a token: %w", explainDeleted(err))
	}
	return nil
}

// FindTokenOwner returns whose token has a hash. It returns [db.ErrNoRows] if
// there is none. The token may have been revoked since.
func FindTokenOwner(ctx context.Context, tx *db.Tx, hash []byte) (owner journal.UserID, err error) {
	err = tx.QueryRow(ctx, `SELECT user_id FROM token_owners WHERE hash = $1`, hash).Scan(&owner)
	return owner, err
}

// DeleteTokenOwner deletes a revoked token's owner, within a transaction.
func DeleteTokenOwner(ctx context.Context, tx *db.Tx, hash []byte) error {
	_, err := tx.Exec(ctx, `DELETE FROM token_owners WHERE hash = $1`, hash)
	return err
}

// maxCachedOwners bounds the owner cache to a few MiB.
const maxCachedOwners = 50_000

// ownerCache keeps the owners of access tokens in use, so a request needs one statement.
// A token's owner never changes.
type ownerCache struct {
	mu     sync.RWMutex
	owners map[string]journal.UserID // by hash
}

func (c *ownerCache) find(hash []byte) (journal.UserID, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	owner, ok := c.owners[string(hash)]
	return owner, ok
}

func (c *ownerCache) add(hash []byte, owner journal.UserID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners == nil || len(c.owners) >= maxCachedOwners {
		c.owners = map[string]journal.UserID{}
	}
	c.owners[string(hash)] = owner
}

// withOwner calls read with a token's owner. It calls read again if the cached owner has
// no such token, because the database may have been replaced by another one.
func (c *ownerCache) withOwner(ctx context.Context, tx *db.Tx, hash []byte, read func(journal.UserID) error) error {
	cached, ok := c.find(hash)
	if ok {
		if err := read(cached); !errors.Is(err, db.ErrNoRows) {
			return err
		}
	}
	owner, err := FindTokenOwner(ctx, tx, hash)
	if err != nil {
		return err
	}
	if err := read(owner); err != nil {
		return err
	}
	c.add(hash, owner)
	return nil
}
