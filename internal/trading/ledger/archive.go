package ledger

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Backup and restore steps for values no other caller reads or writes.

// Overrides is [Service.Overrides] as a step.
func Overrides(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) ([]Override, error) {
	a, err := findAccount(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	return loadOverrides(ctx, tx, owner, a)
}

// AddOverrides adds overrides for roots without one in the account and returns their
// number. Existing ones stay as they are. It is a step; an invalid list is rejected
// before anything is written.
func AddOverrides(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []Override) (int, error) {
	list, err := cleanOverrides(list)
	if err != nil {
		return 0, err
	}
	a, err := LockAccount(ctx, tx, owner, account)
	if err != nil {
		return 0, err
	}
	stored, err := loadOverrides(ctx, tx, owner, a)
	if err != nil {
		return 0, err
	}
	fresh := slices.DeleteFunc(list, func(o Override) bool {
		return slices.ContainsFunc(stored, func(s Override) bool { return s.Root == o.Root })
	})
	if _, err := cleanOverrides(slices.Concat(stored, fresh)); err != nil {
		return 0, err
	}
	rows := make([][]any, len(fresh))
	for i, o := range fresh {
		rows[i] = []any{owner, a.number, o.Root, o.Multiplier, o.TickSize}
	}
	_, err = tx.InsertMany(ctx, "instrument_overrides",
		[]string{"user_id", "account", "root", "multiplier", "tick_size"}, "", rows)
	return len(fresh), err
}

// Origins returns the content keys with which an account's edited fills arrived. An
// import finds them by these keys. It is a step.
func Origins(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID,
) (map[journal.ExecutionID]string, error) {
	a, err := findAccount(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	found := map[journal.ExecutionID]string{}
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var f fill
		err := row.Scan(&f.at, &f.seq, &f.id, &f.origin)
		f.setID(&a)
		found[f.id] = f.origin
		return err
	}, `SELECT executed_at, seq, id, origin FROM executions WHERE user_id = $1 AND account = $2 AND origin IS NOT NULL ORDER BY origin`, owner, a.number)
	return found, err
}

// maxOrigin limits an origin's bytes.
const maxOrigin = 4 << 10

// ArchivedFill contains the values that only a backup fill has.
type ArchivedFill struct {
	// Origin is the content key with which an edited fill arrived.
	Origin string
	// ExternalID is a broker's id another fill has too. The owner may have allowed that;
	// an import would skip the second fill.
	ExternalID string
}

// RestoreArchivedFills sets the values that only a backup has in the fills a restore has
// inserted. It is a step; an invalid origin is ignored, because it would never match.
func RestoreArchivedFills(ctx context.Context, tx *db.Tx, owner journal.UserID, fills map[journal.ExecutionID]ArchivedFill) error {
	places, err := findFills(ctx, tx, owner, slices.Sorted(maps.Keys(fills)))
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(fills)) {
		at, known := places[id]
		if !known {
			continue // not the owner's
		}
		external, err := journal.CleanName("external_id", fills[id].ExternalID)
		if err != nil {
			return err
		}
		origin := cleanOrigin(fills[id].Origin)
		_, err = tx.Exec(ctx, `
			UPDATE executions SET origin = COALESCE($1, origin), external_id = COALESCE($2, external_id)
			WHERE user_id = $3 AND account = $4 AND executed_at = $5 AND seq = $6`,
			nullIfEmpty(origin), nullIfEmpty(external), owner, at.account.number, at.At, at.Seq)
		if err == nil && external != "" {
			err = setFirstExternal(ctx, tx, owner, at, external)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cleanOrigin returns a backup's origin, or an empty string if it is invalid.
func cleanOrigin(text string) string {
	origin, err := journal.CheckText("origin", text)
	if err != nil || len(origin) > maxOrigin {
		return ""
	}
	return origin
}

// setFirstExternal sets the external id that orders the trade opened by a fill. The trade
// was created in the same transaction, so no reader has seen it.
func setFirstExternal(ctx context.Context, tx *db.Tx, owner journal.UserID, at place, external string) error {
	_, err := tx.Exec(ctx, `
		UPDATE trades SET first_external = $1 WHERE user_id = $2 AND account = $3 AND opened_at = $4 AND first_seq = $5`,
		external, owner, at.account.number, at.At, at.Seq)
	return err
}

// Check returns an error if the cash transaction cannot be stored in an account with that
// currency, so an import can report invalid rows before it writes. It does not check
// whether the linked trade exists.
func (n NewCash) Check(currency string) error {
	c := Cash{CashValues: CashValues(n)}
	c.Trade = nil
	if c.Currency == "" {
		c.Currency = currency
	}
	l := &cashLedger{accountRows: &accountRows{account: Account{BaseCurrency: currency}}}
	return l.checkCash(context.Background(), &c) // only a linked trade needs the database, and there is none
}

// PreviewCash returns the result that [Service.InsertCash] would have. It is a step
// that only reads. Every row must have passed [NewCash.Check].
func PreviewCash(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []NewCash, options CashOptions,
) (CashResult, error) {
	b, err := readBook(ctx, tx, owner, account)
	if err != nil {
		return CashResult{}, err
	}
	unlinked := slices.Clone(list)
	for i := range unlinked {
		unlinked[i].Trade = nil
	}
	plan, err := b.cash().planInsert(ctx, unlinked, options)
	return plan.CashResult, err
}
