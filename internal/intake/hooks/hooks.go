// Package hooks receives fills sent by programs: alerts, expert advisors, scripts.
//
// A hook is an address with a secret, for one account. A delivery is one fill or a list.
// Valid fills are imported; the others are kept in the hook's quarantine with the reason,
// because most senders show their user nothing. The deliveries on one day in UTC share an
// import, which can be reversed.
package hooks

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
)

// This package's audit actions.
const (
	ActionCreate identity.Action = "hook_create"
	ActionRotate identity.Action = "hook_rotate"
	ActionDelete identity.Action = "hook_delete"
)

// Counts are the results for the fills in a delivery.
type Counts struct {
	// Accepted fills are new, or completed or corrected a stored one.
	Accepted int
	// Skipped fills were stored before, or deleted by hand.
	Skipped int
	// Quarantined fills could not be stored.
	Quarantined int
}

// Delivery is what a hook received at one time.
type Delivery struct {
	At time.Time
	Counts
}

// Hook is an address to which a program sends fills.
type Hook struct {
	ID        journal.HookID
	Account   journal.AccountID
	Name      string
	CreatedAt time.Time
	// Last is the last delivery; nil if there was none.
	Last *Delivery
	// Quarantined counts what is in the quarantine.
	Quarantined int

	secretHash []byte
	// batch is the import for deliveries on batchDay; empty if none.
	batch    journal.BatchID
	batchDay journal.Day
}

// Service manages an installation's hooks. It is safe for concurrent use.
type Service struct {
	db      *db.DB
	imports *imports.Service
	clock   journal.Clock
}

// New returns a Service.
func New(d *db.DB, i *imports.Service, clock journal.Clock) *Service {
	return &Service{db: d, imports: i, clock: clock}
}

// Actor is an action's user and client, for the audit.
type Actor struct {
	identity.Principal
	Client identity.Client
}

const (
	secretBytes = 32
	// secretPrefix identifies the secret to people and programs searching for leaks.
	secretPrefix = "svc_hook_"
)

func newSecret() string {
	random := make([]byte, secretBytes)
	_, _ = rand.Read(random) // it never fails
	return secretPrefix + base64.RawURLEncoding.EncodeToString(random)
}

func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// ErrNotFound returns the error for an unknown hook, and for a wrong secret.
func ErrNotFound() error { return journal.NotFound("hook") }

// Create adds a hook for an account and returns it with its secret, which is not stored.
func (s *Service) Create(ctx context.Context, by Actor, account journal.AccountID, name string) (hook Hook, secret string, err error) {
	if name, err = journal.CleanRequiredName("name", name); err != nil {
		return Hook{}, "", err
	}
	secret = newSecret()
	hook = Hook{ID: journal.NewID[journal.HookID](), Account: account, Name: name, CreatedAt: s.clock(), secretHash: hashSecret(secret)}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if err := ledger.CheckAccountOwner(ctx, tx, by.UserID, account); err != nil {
			return err
		}
		if err := limits.Hooks.Check(ctx, tx, by.UserID, `SELECT COUNT(*) FROM hooks WHERE user_id = $1`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO hooks (user_id, id, account_id, name, secret_hash, batch_id, batch_day, accepted, skipped, quarantined, created_at)
			VALUES ($1, $2, $3, $4, $5, '', '', 0, 0, 0, $6)`,
			by.UserID, hook.ID, account, name, hook.secretHash, db.Micros(hook.CreatedAt))
		if err != nil {
			return err
		}
		if err := identity.AddTokenOwner(ctx, tx, hook.secretHash, by.UserID, nil); err != nil {
			return err
		}
		hookHistory.Created(tx, by.UserID, &hook)
		return s.audit(ctx, tx, by, ActionCreate, hook.ID)
	})
	return hook, secret, err
}

func (s *Service) audit(ctx context.Context, tx *db.Tx, by Actor, action identity.Action, id journal.HookID) error {
	return identity.RecordAudit(ctx, tx, identity.NewAuditEvent(s.clock(), by.Principal, by.Client, action, string(id)))
}

const selectHooks = `SELECT h.id, h.account_id, h.name, h.secret_hash, h.batch_id, h.batch_day, h.last_at, h.accepted, h.skipped, h.quarantined, h.created_at FROM hooks h`

func scanHook(row db.Scanner) (h Hook, err error) {
	var last *time.Time
	var counts Counts
	err = row.Scan(&h.ID, &h.Account, &h.Name, &h.secretHash, &h.batch, &h.batchDay, db.NullInstant(&last),
		&counts.Accepted, &counts.Skipped, &counts.Quarantined, db.Instant(&h.CreatedAt))
	if last != nil {
		h.Last = &Delivery{At: *last, Counts: counts}
	}
	return h, err
}

// List returns the owner's hooks, oldest first.
func (s *Service) List(ctx context.Context, owner journal.UserID) (list []Hook, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if list, err = db.List(ctx, tx, scanHook, selectHooks+` WHERE h.user_id = $1 ORDER BY h.id`, owner); err != nil {
			return err
		}
		counts, err := countQuarantined(ctx, tx, owner)
		for i := range list {
			list[i].Quarantined = counts[list[i].ID]
		}
		return err
	})
	return slices.DeleteFunc(list, func(h Hook) bool { return !journal.AllowsAccount(ctx, h.Account) }), err
}

// readHook returns one of the owner's hooks without its quarantine count. A hook for an
// account excluded by the context is not found.
func readHook(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.HookID, lock string) (Hook, error) {
	hook, err := scanHook(tx.QueryRow(ctx, selectHooks+` WHERE h.user_id = $1 AND h.id = $2`+lock, owner, id))
	if errors.Is(err, db.ErrNoRows) || err == nil && !journal.AllowsAccount(ctx, hook.Account) {
		return Hook{}, ErrNotFound()
	}
	return hook, err
}

// Rotate replaces a hook's secret and returns the new one. The old one ends at once.
func (s *Service) Rotate(ctx context.Context, by Actor, id journal.HookID) (secret string, err error) {
	secret = newSecret()
	return secret, s.db.Update(ctx, func(tx *db.Tx) error {
		hook, err := readHook(ctx, tx, by.UserID, id, tx.Lock())
		if err != nil {
			return err
		}
		if err := identity.DeleteTokenOwner(ctx, tx, hook.secretHash); err != nil {
			return err
		}
		hash := hashSecret(secret)
		if err := identity.AddTokenOwner(ctx, tx, hash, by.UserID, nil); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE hooks SET secret_hash = $1 WHERE user_id = $2 AND id = $3`, hash, by.UserID, id)
		if err != nil {
			return err
		}
		history.Describe(tx, by.UserID, history.Description{Action: history.Security, Summary: "Replaced the secret of hook " + hook.Name})
		history.Record(tx, by.UserID, history.Object{
			Type: "hook", ID: string(id), Label: hook.Name, Action: history.Updated, Account: hook.Account,
			Fields: []history.Field{history.NewField("secret", nil, "replaced")},
		})
		return s.audit(ctx, tx, by, ActionRotate, id)
	})
}

// Delete deletes a hook with its quarantine. Its fills stay. check, if not nil, is
// called with the stored hook first and may return an error.
func (s *Service) Delete(ctx context.Context, by Actor, id journal.HookID, check func(Hook) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		hook, err := readHook(ctx, tx, by.UserID, id, tx.Lock())
		if err != nil {
			return err
		}
		if check != nil {
			counts, err := countQuarantined(ctx, tx, by.UserID)
			if err != nil {
				return err
			}
			hook.Quarantined = counts[id]
			if err := check(hook); err != nil {
				return err
			}
		}
		hookHistory.Deleted(tx, by.UserID, &hook)
		if err := keepHook(ctx, tx, by.UserID, id); err != nil {
			return err
		}
		if err := deleteHook(ctx, tx, by.UserID, hook); err != nil {
			return err
		}
		return s.audit(ctx, tx, by, ActionDelete, id)
	})
}

// deleteHook deletes a hook; its bodies' tables follow.
func deleteHook(ctx context.Context, tx *db.Tx, owner journal.UserID, hook Hook) error {
	if _, err := tx.Exec(ctx, `DELETE FROM hooks WHERE user_id = $1 AND id = $2`, owner, hook.ID); err != nil {
		return err
	}
	return identity.DeleteTokenOwner(ctx, tx, hook.secretHash)
}

// DeleteAccountHooks deletes an account's hooks. It runs in the transaction that deletes
// the account.
func DeleteAccountHooks(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	list, err := db.List(ctx, tx, scanHook, selectHooks+` WHERE h.user_id = $1 AND h.account_id = $2`, owner, account)
	if err != nil {
		return err
	}
	for _, hook := range list {
		if err := keepHook(ctx, tx, owner, hook.ID); err != nil {
			return err
		}
		if err := deleteHook(ctx, tx, owner, hook); err != nil {
			return err
		}
	}
	history.Contain(tx, history.Key{Type: "account", ID: string(account)}, "hook", len(list))
	return nil
}

// hookTables have a hook's rows, in the order of insertion, with the column that names it.
var hookTables = []struct{ name, column string }{{"hooks", "id"}, {"hook_quarantine", "hook_id"}, {"hook_bodies", "hook_id"}}

// keepHook keeps the rows of a hook that is deleted.
func keepHook(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.HookID) error {
	for _, t := range hookTables {
		if err := history.Keep(ctx, tx, owner, t.name, t.column+` = $2`, id); err != nil {
			return err
		}
	}
	return nil
}

// RestoreAccount restores the hooks of an account that came back.
func RestoreAccount(ctx context.Context, u *history.Undoing, account journal.AccountID) error {
	for _, t := range hookTables {
		if err := u.Insert(ctx, t.name, ""); err != nil {
			return err
		}
	}
	list, err := db.List(ctx, u.Tx, scanHook, selectHooks+` WHERE h.user_id = $1 AND h.account_id = $2`, u.Owner, account)
	for _, hook := range list {
		if err := identity.AddTokenOwner(ctx, u.Tx, hook.secretHash, u.Owner, nil); err != nil {
			return err
		}
	}
	history.Contain(u.Tx, history.Key{Type: "account", ID: string(account)}, "hook", len(list))
	return err
}

// Sweep deletes body hashes after repeatTime, and quarantine entries after keepTime, for
// all users.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.clock()
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM hook_bodies WHERE received_at < $1`, db.Micros(now.Add(-repeatTime))); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM hook_quarantine WHERE received_at < $1`, db.Micros(now.Add(-keepTime)))
		return err
	})
}

var hookHistory = history.NewType("hook", fields.List[Hook]{
	fields.NewText("name", func(h *Hook) *string { return &h.Name }),
	fields.NewText("account_id", func(h *Hook) *journal.AccountID { return &h.Account }),
}, history.Of[Hook]{
	ID: func(h *Hook) string { return string(h.ID) }, Label: func(h *Hook) string { return h.Name },
	Account: func(h *Hook) *journal.AccountID { return &h.Account },
})
