package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// findOverrideAccount returns the account of an override if it is gone.
func findOverrideAccount(ctx context.Context, u *history.Undoing, id string) (history.Key, error) {
	account, _, _ := strings.Cut(id, " ")
	return history.FindMissing(ctx, u, "account", "accounts", account)
}

// findOverride locks an override's account and returns the override, without values if it
// is not stored.
func findOverride(ctx context.Context, u *history.Undoing, id string) (Account, overrideOf, bool, error) {
	account, root, _ := strings.Cut(id, " ")
	a, err := LockAccount(ctx, u.Tx, u.Owner, journal.AccountID(account))
	if err != nil {
		return Account{}, overrideOf{}, false, err
	}
	stored, err := loadOverrides(ctx, u.Tx, u.Owner, a)
	at := slices.IndexFunc(stored, func(o Override) bool { return o.Root == root })
	if err != nil || at < 0 {
		return a, overrideOf{Override{Root: root}, a.ID}, false, err
	}
	return a, overrideOf{stored[at], a.ID}, true, nil
}

// loadShownOverride returns the values of an override.
func loadShownOverride(ctx context.Context, u *history.Undoing, id string) (map[string]jsontext.Value, error) {
	_, override, found, err := findOverride(ctx, u, id)
	if err != nil || !found {
		return nil, err
	}
	values := map[string]jsontext.Value{}
	for _, f := range overrideHistory.Fields() {
		values[f.Name] = f.Show(&override)
	}
	return values, nil
}

// storeShownOverride sets the values of an override, or deletes it.
func storeShownOverride(ctx context.Context, u *history.Undoing, id string, values map[string]jsontext.Value) error {
	a, override, _, err := findOverride(ctx, u, id)
	if err != nil {
		return err
	}
	for name, value := range values {
		if f, known := overrideHistory.Fields().Find(name); known {
			if err := f.Set(&override, value); err != nil {
				return err
			}
		}
	}
	if override.Multiplier.IsZero() {
		_, err := u.Tx.Exec(ctx, `DELETE FROM instrument_overrides WHERE user_id = $1 AND account = $2 AND root = $3`, u.Owner, a.number, override.Root)
		return err
	}
	_, err = u.Tx.Exec(ctx, `INSERT INTO instrument_overrides (user_id, account, root, multiplier, tick_size) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (user_id, account, root) DO UPDATE SET multiplier = excluded.multiplier, tick_size = excluded.tick_size`,
		u.Owner, a.number, override.Root, override.Multiplier, override.TickSize)
	return err
}
