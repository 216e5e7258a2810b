package ledger

import (
	"context"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// CashCursor is a position in cash lists, which are ordered by instant and id.
type CashCursor struct {
	At int64 // microseconds since 1970
	ID journal.CashID
}

// CashPage lists at most limit of a scope's cash transactions (0 means all), oldest
// first, after a position or from the beginning if after is nil. total counts the whole
// scope.
func (s *Service) CashPage(
	ctx context.Context, owner journal.UserID, scope journal.Scope, after *CashCursor, limit int,
) (list []Cash, total int, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		accounts, err := resolveList(ctx, tx, owner, scope)
		if err != nil || len(accounts) == 0 {
			return err
		}
		var f filter
		all := selection{table: "cash_transactions", owner: owner, accounts: accounts, head: "SELECT 1 FROM cash_transactions", where: func(f *filter) {
			f.addPeriod("occurred_at", scope.Period)
		}}
		if total, err = countRows(ctx, tx, all.unionQuery(&f), f.args); err != nil {
			return err
		}
		list, err = cashPage(ctx, tx, owner, accounts, scope.Period, after, limit)
		return err
	})
	return list, total, err
}

func cashPage(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []Account, period journal.Period, after *CashCursor, limit int,
) ([]Cash, error) {
	var f filter
	page := selection{table: "cash_transactions", owner: owner, accounts: accounts, head: cashSelect, where: func(f *filter) {
		f.addPeriod("occurred_at", period)
		if after != nil {
			f.terms = append(f.terms, fmt.Sprintf("(occurred_at, id) > (%s, %s)", f.arg(after.At), f.arg(after.ID)))
		}
	}}
	text := page.orderedQuery(tx, &f, "occurred_at, id", limit)
	known := indexByNumber(accounts)
	return db.List(ctx, tx, func(row db.Scanner) (Cash, error) {
		return scanCashOf(known, row)
	}, text, f.args...)
}
