package ledger

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Expiring is an open option trade.
type Expiring struct {
	Trade   journal.TradeID
	Account journal.AccountID
	Symbol  string
	Expiry  journal.Day
}

// ListExpiring returns the owner's open option trades that expire from one day to another.
// It is a step.
func ListExpiring(ctx context.Context, tx *db.Tx, owner journal.UserID, from, to journal.Day) ([]Expiring, error) {
	return db.List(ctx, tx, func(row db.Scanner) (e Expiring, err error) {
		err = row.Scan(&e.Trade, &e.Account, &e.Symbol, &e.Expiry)
		return e, err
	}, `SELECT t.id, a.id, s.symbol, s.expiry FROM streams AS s`+tx.Using("streams_expiry")+` CROSS JOIN trades AS t CROSS JOIN accounts AS a
		WHERE s.user_id = $1 AND s.expiry <> '' AND s.expiry >= $2 AND s.expiry <= $3 AND s.instrument_type = 'option'
		AND t.user_id = $1 AND t.stream = s.number AND t.is_open AND a.user_id = $1 AND a.number = s.account ORDER BY s.expiry, t.id`, owner, string(from), string(to))
}
