package routine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// ReadStoredTemplate returns the template a user has set; set is false if the user has
// the built-in one. It runs in the caller's transaction, for the backup.
func ReadStoredTemplate(ctx context.Context, tx *db.Tx, owner journal.UserID) (lines []string, set bool, err error) {
	var at int64
	err = tx.QueryRow(ctx, `SELECT updated_at FROM checklist_templates WHERE user_id = $1`, owner).Scan(&at)
	if errors.Is(err, db.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	lines, err = readTemplate(ctx, tx, owner)
	return lines, err == nil, err
}

// RestoreTemplate sets a user's template if none is set and reports whether it did. It
// runs in the caller's transaction.
func RestoreTemplate(ctx context.Context, tx *db.Tx, owner journal.UserID, lines []string, now time.Time) (bool, error) {
	clean, err := cleanTemplate(lines)
	if err != nil {
		return false, err
	}
	text, err := json.Marshal(clean)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(ctx, `
		INSERT INTO checklist_templates (user_id, items, updated_at) VALUES ($1, $2, $3)
		ON CONFLICT (user_id) DO NOTHING`, owner, string(text), db.Micros(now))
	if n == 1 && history.IsBundle(tx) {
		recordTemplate(tx, owner, builtInTemplate, clean)
	}
	return n == 1, err
}
