package bars

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
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

// ForgetMarks deletes the entered prices for deleted trades. It runs inside a
// transaction.
func ForgetMarks(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) error {
	rows := make([][]any, len(trades))
	for i, id := range trades {
		rows[i] = []any{int64(owner), id}
	}
	return tx.DeleteMany(ctx, "position_marks", []string{"user_id", "trade_id"}, rows)
}
