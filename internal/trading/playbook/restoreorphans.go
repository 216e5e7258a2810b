package playbook

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// maxFillKey bounds a fill key that an orphan waits for, in bytes.
const maxFillKey = 4 << 10

// RestoreOrphans stores annotations waiting for an account's fills, under new ids, unless
// the same are stored: trades in one symbol that lose their fills together share all but
// their fills. The account, tags and setups must be the owner's. It is a step.
func RestoreOrphans(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []StoredOrphan,
) ([]Restored[journal.TradeID], error) {
	if len(list) == 0 {
		return nil, nil
	}
	stored, err := findOrphans(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	room, err := limits.Orphans.Room(ctx, tx, owner, `SELECT COUNT(*) FROM orphaned_annotations WHERE user_id = $1`)
	if err != nil {
		return nil, err
	}
	out := make([]Restored[journal.TradeID], len(list))
	var fresh []StoredOrphan
	for i, o := range list {
		o.FillKeys = cleanFillKeys(o.FillKeys)
		if id, found := stored.take(orphanKey(db.Micros(o.OrphanedAt), o.Symbol, o.FillKeys)); found {
			out[i].ID = id
			continue
		}
		if len(fresh) == room {
			out[i].Err = limits.Orphans.Reached()
			continue
		}
		o.Trade, o.Account, o.UpdatedAt = journal.NewID[journal.TradeID](), account, o.OrphanedAt
		out[i].ID, out[i].Changed = o.Trade, true
		fresh = append(fresh, o)
	}
	for part := range slices.Chunk(fresh, 1000) {
		if err := insertOrphans(ctx, tx, owner, part); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// orphanKey returns the key that finds a file's orphan again.
func orphanKey(orphanedAt int64, symbol string, fillKeys []string) recordKey {
	return newRecordKey("%d|%s|%q", orphanedAt, symbol, fillKeys)
}

// findOrphans returns an account's stored orphans.
func findOrphans(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) (claims[journal.TradeID], error) {
	found := claims[journal.TradeID]{}
	var last StoredOrphan
	add := func() {
		if last.Trade != "" {
			key := orphanKey(db.Micros(last.OrphanedAt), last.Symbol, cleanFillKeys(last.FillKeys))
			found[key] = append(found[key], last.Trade)
		}
	}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var next StoredOrphan
		var key *string
		err := row.Scan(&next.Trade, &next.Symbol, db.Instant(&next.OrphanedAt), &key)
		if next.Trade != last.Trade {
			add()
			last = next
		}
		if key != nil {
			last.FillKeys = append(last.FillKeys, *key)
		}
		return err
	}, `SELECT o.trade_id, o.symbol, o.orphaned_at, f.fill_key FROM orphaned_annotations o
		LEFT JOIN orphaned_fills f ON f.user_id = o.user_id AND f.trade_id = o.trade_id
		WHERE o.user_id = $1 AND o.account_id = $2 ORDER BY o.trade_id`, owner, account)
	add()
	return found, err
}

// insertOrphans stores orphans with the fill keys they wait for.
func insertOrphans(ctx context.Context, tx *db.Tx, owner journal.UserID, list []StoredOrphan) error {
	annotations, rows := make([]Annotations, len(list)), make([][]any, len(list))
	var keys [][]any
	for i, o := range list {
		annotations[i] = o.Annotations
		rows[i] = []any{owner, o.Trade, o.Account, o.Symbol, db.NullMicros(o.OpenedAt), db.Micros(o.OrphanedAt)}
		for _, key := range o.FillKeys {
			keys = append(keys, []any{owner, o.Account, key, o.Trade})
		}
	}
	if err := saveAnnotations(ctx, tx, owner, annotations...); err != nil {
		return err
	}
	_, err := tx.InsertMany(ctx, "orphaned_annotations",
		[]string{"user_id", "trade_id", "account_id", "symbol", "opened_at", "orphaned_at"}, "", rows)
	if err != nil {
		return err
	}
	_, err = tx.InsertMany(ctx, "orphaned_fills", []string{"user_id", "account_id", "fill_key", "trade_id"},
		`ON CONFLICT (user_id, account_id, fill_key, trade_id) DO NOTHING`, keys)
	return err
}

// cleanFillKeys returns the keys a fill can have, each once and sorted.
func cleanFillKeys(keys []string) []string {
	clean := []string{}
	for _, key := range keys {
		if _, err := journal.CheckText("fill_keys", key); err == nil && key != "" && len(key) <= maxFillKey {
			clean = append(clean, key)
		}
	}
	slices.Sort(clean)
	return slices.Compact(clean)
}
