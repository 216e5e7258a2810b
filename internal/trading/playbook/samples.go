package playbook

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Samples are the records that came with a demo account: its notes and missed trades from
// before it was added, and the setups and tags with the creation time Began.
type Samples struct {
	Account      journal.AccountID
	Added, Began time.Time
}

// ListNames returns the names of the owner's setups and tags. It is a step.
func ListNames(ctx context.Context, tx *db.Tx, owner journal.UserID) (setups, tags []string, err error) {
	if setups, err = db.List(ctx, tx, db.Single[string], `SELECT name FROM setups WHERE user_id = $1 ORDER BY name`, owner); err != nil {
		return nil, nil, err
	}
	tags, err = db.List(ctx, tx, db.Single[string], `SELECT name FROM tags WHERE user_id = $1 ORDER BY name`, owner)
	return setups, tags, err
}

// sampleTables have the samples' rows, in the order of insertion, with their conditions. A
// setup or tag that another trade uses stays.
func (s Samples) tables() []sampleTable {
	began, added := db.Micros(s.Began), db.Micros(s.Added)
	return []sampleTable{
		{"setups", `created_at = $2
			AND NOT EXISTS (SELECT 1 FROM trade_setups u WHERE u.user_id = $1 AND u.setup_id = setups.id)
			AND NOT EXISTS (SELECT 1 FROM missed_trades u WHERE u.user_id = $1 AND u.setup_id = setups.id)`, []any{began}},
		{"tags", `created_at = $2
			AND NOT EXISTS (SELECT 1 FROM trade_tags u WHERE u.user_id = $1 AND u.tag_id = tags.id)`, []any{began}},
		{"notes", `account_id = $2 AND created_at < $3`, []any{s.Account, added}},
		{"missed_trades", `account_id = $2 AND created_at < $3`, []any{s.Account, added}},
	}
}

type sampleTable struct {
	name, where string
	args        []any
}

// ForgetSampleNotes deletes the samples' notes and missed trades and keeps them for an
// undo. It is a step before [ForgetAccount], which records that notes changed.
func ForgetSampleNotes(ctx context.Context, tx *db.Tx, owner journal.UserID, s Samples) error {
	return forgetSamples(ctx, tx, owner, s.tables()[2:])
}

// ForgetSampleNames deletes the samples' setups and tags that no trade uses and keeps them
// for an undo. It is a step after [ForgetAccount].
func ForgetSampleNames(ctx context.Context, tx *db.Tx, owner journal.UserID, s Samples) error {
	if err := forgetSamples(ctx, tx, owner, s.tables()[:2]); err != nil {
		return err
	}
	return recordNotes(ctx, tx, owner)
}

func forgetSamples(ctx context.Context, tx *db.Tx, owner journal.UserID, tables []sampleTable) error {
	for _, t := range tables {
		if err := history.Keep(ctx, tx, owner, t.name, t.where, t.args...); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM `+t.name+` WHERE user_id = $1 AND `+t.where, append([]any{owner}, t.args...)...); err != nil {
			return err
		}
	}
	return nil
}

// RestoreSamples restores what [ForgetSampleNotes] and [ForgetSampleNames] deleted. It is a
// step in an undo, before [RestoreAccount].
func RestoreSamples(ctx context.Context, u *history.Undoing, s Samples) error {
	for _, t := range s.tables() {
		if err := u.Insert(ctx, t.name, ` ON CONFLICT DO NOTHING`); err != nil {
			return err
		}
	}
	return nil
}
