package ledger

import (
	"context"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// currentRules is the version of the rules by which trades are computed from
// fills and streams get their order key. An account that was computed by older
// rules is computed again by [Service.Upgrade].
//
//	1  averages that terminate in full, rates of stated results, order keys
const currentRules = 1

// Upgrade recomputes the accounts computed by older rules, each in its own transaction,
// so it can be interrupted and run again. progress is called after each account and may
// be nil.
func (s *Service) Upgrade(ctx context.Context, progress func(done, total int)) error {
	outdated, err := listOwnedAccounts(ctx, s.db, currentRules)
	if err != nil {
		return err
	}
	for n, o := range outdated {
		err := s.db.Update(ctx, func(tx *db.Tx) error {
			return s.withBook(ctx, tx, o.user, o.account, func(b *book) error { return b.upgrade(ctx) })
		})
		if err != nil && !journal.IsKind(err, journal.KindNotFound) { // not found: deleted meanwhile
			return fmt.Errorf("recomputing the trades of account %s: %w", o.account, err)
		}
		if progress != nil {
			progress(n+1, len(outdated))
		}
	}
	return nil
}

// outdatedStreams selects the streams whose trades can differ by rules 1:
// averages of several fills or of prices with more than 12 decimals,
// multipliers that differ, stated results.
const outdatedStreams = `
	SELECT stream FROM trades WHERE user_id = $1 AND account = $2
		AND (execution_count > 2 OR is_open AND execution_count > 1)
	UNION SELECT stream FROM executions WHERE user_id = $1 AND account = $2
		AND (stated_pnl IS NOT NULL OR price LIKE '%.%_____________')
	ORDER BY stream`

func (b *book) upgrade(ctx context.Context) error {
	if err := b.updateOrderKeys(ctx); err != nil {
		return err
	}
	numbers, err := db.List(ctx, b.tx, db.Single[int64], outdatedStreams, b.owner, b.account.number)
	if err != nil {
		return err
	}
	if err := b.regroupStreams(ctx, numbers); err != nil {
		return err
	}
	_, err = b.tx.Exec(ctx, `UPDATE accounts SET rules = $1 WHERE user_id = $2 AND id = $3`, currentRules, b.owner, b.account.ID)
	return err
}

// updateOrderKeys writes the order key of every stream of the account.
func (a *accountRows) updateOrderKeys(ctx context.Context) error {
	var rows [][]any
	err := db.Each(ctx, a.tx, func(row db.Scanner) error {
		var number int64
		var key streamKey
		err := row.Scan(append([]any{&number}, key.scan()...)...)
		rows = append(rows, []any{key.orderKey(), int64(a.owner), number})
		return err
	}, `SELECT number, `+streamColumns+` FROM streams WHERE user_id = $1 AND account = $2 ORDER BY number`, a.owner, a.account.number)
	if err != nil {
		return err
	}
	return a.tx.UpdateMany(ctx, "streams", []string{"order_key"}, []string{"user_id", "number"}, rows)
}
