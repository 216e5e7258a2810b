package ledger

import (
	"context"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// DeletedCash is a cash transaction the user deleted by hand, with the values with which
// it arrived. Connections and watched files do not bring it back.
type DeletedCash struct {
	Type       CashType
	Amount     decimal.Decimal
	OccurredAt time.Time
	DeletedAt  time.Time
}

// deletedCash is a row of deleted_cash.
type deletedCash struct {
	id        string
	content   string // the row's key without its instant
	at        int64
	deletedAt int64
}

// splitCashKey returns a cash key's type and amount, and its instant; see
// [Cash.contentKey].
func splitCashKey(key string) (content string, at int64, ok bool) {
	i := strings.LastIndexByte(key, '|')
	if i < 0 {
		return "", 0, false
	}
	at, err := strconv.ParseInt(key[i+1:], 10, 64)
	return key[:i], at, err == nil
}

// newDeletedCash returns the row for a cash transaction that arrived with a key.
func newDeletedCash(c *Cash, deletedAt int64) deletedCash {
	content, at, ok := splitCashKey(c.Origin)
	if !ok {
		content, at, _ = splitCashKey(c.contentKey())
	}
	return deletedCash{id: string(journal.NewID[journal.CashID]()), content: content, at: at, deletedAt: deletedAt}
}

// insertDeletedCash stores that the user deleted cash transactions, and drops the oldest
// beyond the limit.
func (l *cashLedger) insertDeletedCash(ctx context.Context, list []deletedCash) error {
	rows := make([][]any, len(list))
	for i, d := range list {
		rows[i] = []any{int64(l.owner), d.id, l.account.number, d.content, d.at, d.deletedAt}
	}
	err := l.tx.QueueRows(ctx, "deleted_cash", []string{"user_id", "id", "account", "content", "occurred_at", "deleted_at"}, "", rows)
	if err != nil {
		return err
	}
	return l.tx.Queue(ctx, `DELETE FROM deleted_cash WHERE user_id = $1 AND account = $2 AND id IN (
		SELECT id FROM deleted_cash WHERE user_id = $1 AND account = $2 ORDER BY id DESC`+db.Limit(3)+` OFFSET $4)`,
		l.owner, l.account.number, len(list), limits.DeletedCash.Max)
}

func scanDeletedCash(row db.Scanner) (d deletedCash, err error) {
	err = row.Scan(&d.id, &d.content, &d.at, &d.deletedAt)
	return d, err
}

const deletedCashSelect = `SELECT id, content, occurred_at, deleted_at FROM deleted_cash WHERE user_id = $1 AND account = $2 `

// matchDeletedCash returns for each row the deleted one it repeats, or nil. Stored rows
// repeat none, and each deleted one answers for one row.
func (l *cashLedger) matchDeletedCash(ctx context.Context, rows []Cash, known []bool) ([]*deletedCash, error) {
	found := make([]*deletedCash, len(rows))
	first, last, isAny := int64(0), int64(0), false
	for i := range rows {
		if at := db.Micros(rows[i].OccurredAt); !known[i] {
			first, last = min(first, at), max(last, at)
			if !isAny {
				first, last, isAny = at, at, true
			}
		}
	}
	if !isAny {
		return found, nil
	}
	list, err := db.List(ctx, l.tx, scanDeletedCash, deletedCashSelect+`AND occurred_at > $3 AND occurred_at < $4 ORDER BY occurred_at, id`,
		l.owner, l.account.number, first-second, last+second)
	if err != nil || len(list) == 0 {
		return found, err
	}
	type timedContent struct {
		content string
		at      int64
	}
	exact, bySecond := map[timedContent]*claimQueue[*deletedCash]{}, map[timedContent]*claimQueue[*deletedCash]{}
	for i := range list {
		d := &list[i]
		queueOf(exact, timedContent{d.content, d.at}).add(d)
		queueOf(bySecond, timedContent{d.content, d.at / second}).add(d)
	}
	claimed := map[*deletedCash]bool{}
	for _, isExact := range []bool{true, false} {
		for i := range rows {
			if known[i] || found[i] != nil {
				continue
			}
			content, at, _ := splitCashKey(rows[i].contentKey())
			queue := exact[timedContent{content, at}]
			if !isExact && at%second == 0 {
				queue = bySecond[timedContent{content, at / second}]
			} else if !isExact { // a fraction only equals a time without one
				queue = exact[timedContent{content, at - at%second}]
			}
			found[i], _ = queue.take(claimed)
		}
	}
	return found, nil
}

// forgetDeletedCash removes deleted ones stored again, which are kept for an undo.
func (l *cashLedger) forgetDeletedCash(ctx context.Context, found []*deletedCash) error {
	for _, d := range found {
		if d == nil {
			continue
		}
		if err := l.keepNumber(ctx); err != nil {
			return err
		}
		if err := history.Keep(ctx, l.tx, l.owner, "deleted_cash", `id = $2`, d.id); err != nil {
			return err
		}
		if _, err := l.tx.Exec(ctx, `DELETE FROM deleted_cash WHERE user_id = $1 AND id = $2`, l.owner, d.id); err != nil {
			return err
		}
	}
	return nil
}

// ListDeletedCash returns an account's deleted cash transactions, oldest first. It is a
// step.
func ListDeletedCash(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) (list []DeletedCash, err error) {
	b, err := readBook(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		d, err := scanDeletedCash(row)
		if err != nil {
			return err
		}
		kind, amount, _ := strings.Cut(d.content, "|")
		parsed, err := decimal.Parse(amount)
		list = append(list, DeletedCash{
			Type: CashType(kind), Amount: parsed, OccurredAt: db.FromMicros(d.at), DeletedAt: db.FromMicros(d.deletedAt),
		})
		return err
	}, deletedCashSelect+`ORDER BY id`, owner, b.account.number)
	return list, err
}

// AddDeletedCash adds deleted cash transactions to an account, except those that are
// stored or already in the list. With all it adds each one; see [Service.AddDeletedFills].
// It is a step; an invalid list is rejected before anything is written.
func (s *Service) AddDeletedCash(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []DeletedCash, all bool,
) error {
	if len(list) == 0 {
		return nil
	}
	return s.withBook(ctx, tx, owner, account, func(b *book) error {
		rows := make([]NewCash, len(list))
		for i, d := range list {
			rows[i] = NewCash{Type: d.Type, Amount: d.Amount, OccurredAt: d.OccurredAt}
		}
		var fresh []deletedCash
		if all {
			for i, row := range rows {
				clean, err := b.cash().cleanCash(ctx, row, nil)
				if err != nil {
					return err
				}
				fresh = append(fresh, newDeletedCash(&clean, db.Micros(list[i].DeletedAt)))
			}
			return b.cash().insertDeletedCash(ctx, fresh)
		}
		plan, err := b.cash().planInsert(ctx, rows, CashOptions{SkipDeleted: true})
		if err != nil || plan.Inserted == 0 {
			return err
		}
		for i := range rows {
			if !plan.Known[i] && !plan.Deleted[i] {
				fresh = append(fresh, newDeletedCash(&plan.fresh[len(fresh)], db.Micros(list[i].DeletedAt)))
			}
		}
		return b.cash().insertDeletedCash(ctx, fresh)
	})
}
