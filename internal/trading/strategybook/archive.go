package strategybook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/strategies"
)

// EachRecord calls fn with an account's stored decisions. It is a step.
func EachRecord(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fn func(Record) error) error {
	return db.Each(ctx, tx, func(row db.Scanner) error {
		r, err := scanRecord(row)
		if err != nil {
			return err
		}
		return fn(r)
	}, selectRecords+` WHERE s.user_id = $1 AND s.account_id = $2 ORDER BY s.created_at, s.id`, owner, account)
}

// Restore stores a backup's decisions for an account, except those that are stored for the
// same fills. The refusals are those of single records; the others are restored. It is a
// step.
func Restore(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, now time.Time, list []Record,
) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored := map[string]bool{}
	err = EachRecord(ctx, tx, owner, account, func(r Record) error {
		stored[r.restoreKey()] = true
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	room, err := limits.Strategies.Room(ctx, tx, owner, `SELECT COUNT(*) FROM strategies WHERE user_id = $1`)
	if err != nil {
		return 0, nil, err
	}
	refusals = make([]error, len(list))
	var rows [][]any
	for i := range list {
		r := &list[i]
		if refusals[i] = r.checkRestored(); refusals[i] != nil || stored[r.restoreKey()] {
			continue
		}
		if len(rows) == room {
			refusals[i] = limits.Strategies.Reached()
			continue
		}
		stored[r.restoreKey()] = true
		r.ID, r.Account, r.UpdatedAt = journal.NewID[journal.StrategyID](), account, now
		rows = append(rows, table.Values(owner, r))
		recordHistory.Brought(tx, owner, r)
	}
	if len(rows) == 0 {
		return 0, refusals, nil
	}
	if _, err = tx.InsertMany(ctx, table.Name, table.Columns(), "", rows); err != nil {
		return 0, nil, err
	}
	return len(rows), refusals, ledger.TouchTrades(ctx, tx, owner, account) // strategies are computed again
}

// restoreKey returns what makes two decisions the same: their fills.
func (r *Record) restoreKey() string {
	var keys []string
	for _, m := range r.Members {
		keys = append(keys, m.Keys...)
	}
	slices.Sort(keys)
	return fmt.Sprintf("%s|%q", r.Underlying, keys)
}

// checkRestored reports the first value of a restored record that is invalid.
func (r *Record) checkRestored() (err error) {
	if r.Underlying, err = journal.CleanSymbol("underlying", r.Underlying); err != nil {
		return err
	}
	if r.Name, err = journal.CleanName("name", r.Name); err != nil {
		return err
	}
	states := []strategies.State{strategies.Proposed, strategies.Accepted, strategies.Manual, strategies.Alone}
	switch {
	case !slices.Contains(states, r.State):
		return journal.InvalidField("state", "state must be proposed, accepted, manual or alone.")
	case r.Kind != "" && !slices.Contains(strategies.Kinds(), r.Kind):
		return journal.InvalidField("kind", "kind must be one of the kinds of strategies.")
	case r.Evidence != "" && !slices.Contains(strategies.EvidenceNames(), r.Evidence):
		return journal.InvalidField("evidence", "evidence must be one of the names of evidence.")
	case len(r.Members) == 0 || len(r.Members) > maxTrades:
		return journal.InvalidField("members", "members must be 1 to %d.", maxTrades)
	}
	for _, m := range r.Members {
		if len(m.Keys) > maxKeys {
			return journal.InvalidField("members", "A member has at most %d keys.", maxKeys)
		}
		for _, key := range m.Keys {
			if _, err := journal.CheckText("members", key); err != nil {
				return err
			}
		}
	}
	return nil
}
