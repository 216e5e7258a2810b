package bars

import (
	"context"
	"maps"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Mark is an open position's price at an instant.
type Mark struct {
	Price decimal.Decimal
	At    time.Time
}

// SetMark stores a position's price entered by the trader, or deletes it if it is nil. An
// entered price is out of date after a day, so backups do not have it. The trade must be
// the owner's. It runs inside a transaction.
func SetMark(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID, mark *Mark) error {
	if mark == nil {
		_, err := tx.Exec(ctx, `DELETE FROM position_marks WHERE user_id = $1 AND trade_id = $2`, owner, trade)
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO position_marks (user_id, trade_id, price, marked_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, trade_id) DO UPDATE SET price = excluded.price, marked_at = excluded.marked_at`,
		owner, trade, mark.Price, db.Micros(mark.At))
	return err
}

// Marks returns the prices entered by the trader. It runs inside a transaction.
func Marks(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.TradeID]Mark, error) {
	marks := map[journal.TradeID]Mark{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.TradeID
		var m Mark
		err := row.Scan(&id, &m.Price, db.Instant(&m.At))
		marks[id] = m
		return err
	}, `SELECT trade_id, price, marked_at FROM position_marks WHERE user_id = $1`, owner)
	return marks, err
}

// ForgetMarks deletes the entered prices for an account's deleted trades. It runs inside
// a transaction.
func ForgetMarks(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, trades []journal.TradeID) error {
	if len(trades) == 0 {
		return nil
	}
	marks, err := Marks(ctx, tx, owner) // a user has few
	if err != nil || len(marks) == 0 {
		return err
	}
	for _, id := range trades {
		mark, found := marks[id]
		if !found {
			continue
		}
		RecordMark(tx, owner, account, id, "", &mark, nil)
		if err := SetMark(ctx, tx, owner, id, nil); err != nil {
			return err
		}
	}
	return nil
}

// ForgetAccountMarks deletes the entered prices for a deleted account's trades and keeps
// them for an undo. It runs inside a transaction. inAccount returns those of some trades
// that are in the account.
func ForgetAccountMarks(
	ctx context.Context, tx *db.Tx, owner journal.UserID, inAccount func([]journal.TradeID) ([]journal.TradeID, error),
) error {
	marks, err := Marks(ctx, tx, owner)
	if err != nil || len(marks) == 0 {
		return err
	}
	trades, err := inAccount(slices.Sorted(maps.Keys(marks)))
	if err != nil {
		return err
	}
	for _, id := range trades {
		if err := history.Keep(ctx, tx, owner, "position_marks", `trade_id = $2`, id); err != nil {
			return err
		}
		if err := SetMark(ctx, tx, owner, id, nil); err != nil {
			return err
		}
	}
	return nil
}

// RestoreMarks restores the entered prices for a restored account's trades.
func RestoreMarks(ctx context.Context, u *history.Undoing, _ journal.AccountID) error {
	return u.Insert(ctx, "position_marks", "")
}

// RecordMark records that an entered price changes, comes or goes.
func RecordMark(tx *db.Tx, owner journal.UserID, account journal.AccountID, trade journal.TradeID, symbol string, before, after *Mark) {
	show := func(m *Mark) (price, at any) {
		if m == nil {
			return nil, nil
		}
		return m.Price.String(), journal.FormatInstant(m.At)
	}
	price, at := show(before)
	nextPrice, nextAt := show(after)
	history.Record(tx, owner, history.Object{
		Type: "position_mark", ID: string(trade), Label: symbol, Action: history.Updated, Account: account,
		Fields:  []history.Field{history.NewField("price", price, nextPrice), history.NewField("at", at, nextAt)},
		Related: []history.Key{{Type: "trade", ID: string(trade)}},
	})
}
