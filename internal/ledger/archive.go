package ledger

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// What a backup needs beyond the lists: steps that read and write what no
// other caller sees.

// Overrides is the step of [Service.Overrides].
func Overrides(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) ([]Override, error) {
	a, err := findAccount(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	return overridesOf(ctx, tx, owner, a)
}

// AddOverrides adds the overrides of roots that the account has none for and
// tells how many those were. What is set stays as it is. It is a step; a list
// that breaks a rule is refused before anything is written.
func AddOverrides(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []Override) (int, error) {
	list, err := cleanOverrides(list)
	if err != nil {
		return 0, err
	}
	a, err := lockAccount(ctx, tx, owner, account)
	if err != nil {
		return 0, err
	}
	stored, err := overridesOf(ctx, tx, owner, a)
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

// Origins gives the keys of what edited fills of an account said when they
// arrived, by which an import knows them again. It is a step.
func Origins(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID,
) (map[journal.ExecutionID]string, error) {
	a, err := findAccount(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	found := map[journal.ExecutionID]string{}
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.ExecutionID
		var origin string
		err := row.Scan(&id, &origin)
		found[id] = origin
		return err
	}, `SELECT id, origin FROM executions WHERE user_id = $1 AND account = $2 AND origin IS NOT NULL ORDER BY id`, owner, a.number)
	return found, err
}

// maxOrigin bounds a key of an origin, in bytes.
const maxOrigin = 4 << 10

// ArchivedFill is what a fill of a backup has that no import gives to a fill.
type ArchivedFill struct {
	// Origin is what the fill said when it arrived, for one that was edited.
	Origin string
	// ExternalID is an id of the broker's that another fill has too. The
	// owner may have asked for that; an import would skip the second.
	ExternalID string
}

// RestoreArchivedFills gives fills that a restore has just inserted what they had
// beyond an import. It is a step; an origin that cannot be one is passed over,
// because it would never be looked for.
func RestoreArchivedFills(ctx context.Context, tx *db.Tx, owner journal.UserID, fills map[journal.ExecutionID]ArchivedFill) error {
	for _, id := range slices.Sorted(maps.Keys(fills)) {
		external, err := journal.CleanName("external_id", fills[id].ExternalID)
		if err != nil {
			return err
		}
		origin := cleanOrigin(fills[id].Origin)
		_, err = tx.Exec(ctx, `
			UPDATE executions SET origin = COALESCE($1, origin), external_id = COALESCE($2, external_id)
			WHERE user_id = $3 AND id = $4`, orNull(origin), orNull(external), owner, id)
		if err == nil && external != "" {
			err = orderByExternal(ctx, tx, owner, id, external)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cleanOrigin returns an origin of a backup, or nothing for one that cannot be a
// key, because it would never be looked for.
func cleanOrigin(text string) string {
	origin, err := journal.CheckText("origin", text)
	if err != nil || len(origin) > maxOrigin {
		return ""
	}
	return origin
}

// orderByExternal gives the trade that a fill opens the fill's external id to be
// ordered by. The trade was made in the same transaction, so no other has read it.
func orderByExternal(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ExecutionID, external string) error {
	var account, at, seq int64
	err := tx.QueryRow(ctx, `SELECT account, executed_at, seq FROM executions WHERE user_id = $1 AND id = $2`, owner, id).
		Scan(&account, &at, &seq)
	if errors.Is(err, db.ErrNoRows) {
		return nil // not the owner's
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE trades SET first_external = $1 WHERE user_id = $2 AND account = $3 AND opened_at = $4 AND first_seq = $5`,
		external, owner, account, at, seq)
	return err
}

// Check tells whether a cash transaction could be stored in an account of that
// currency, so that an import can name the rows it must leave out before it
// begins. Whether the trade exists is not its business.
func (n NewCash) Check(currency string) error {
	_, err := n.cleanFor(currency)
	return err
}

func (n NewCash) cleanFor(currency string) (Cash, error) {
	if n.Currency == "" {
		n.Currency = currency
	}
	c := Cash{
		Type: n.Type, Amount: n.Amount, Currency: n.Currency, Note: n.Note,
		OccurredAt: n.OccurredAt.UTC().Truncate(time.Microsecond),
	}
	b := &book{account: Account{BaseCurrency: currency}}
	err := b.checkCash(context.Background(), &c) // it asks the database about the trade only, and there is none
	c.arriveWith(n.Archived)
	return c, err
}

// CashDuplicates tells for each cash row whether InsertCash would skip it, as
// one reading step. Every row must have passed [NewCash.Check].
func CashDuplicates(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []NewCash,
) ([]bool, error) {
	b, err := readBook(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	rows := make([]Cash, len(list))
	for i, in := range list {
		if rows[i], err = in.cleanFor(b.account.BaseCurrency); err != nil {
			return nil, err
		}
	}
	return b.repeatedCash(ctx, rows, list)
}
