package playbook_test

import (
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/playbook"
)

// BenchmarkLoadAnnotations reads annotations for a thousand trades.
func BenchmarkLoadAnnotations(b *testing.B) {
	d := testkit.Open(b, db.SQLite)
	ctx := b.Context()
	err := d.Update(ctx, func(tx *db.Tx) error {
		for _, statement := range []string{
			`INSERT INTO users (number, id, email, email_key, password_hash, is_admin, created_at) VALUES (1, 'u', 'u', 'u', '', 1, 0)`,
			`INSERT INTO accounts (user_id, id, number, name, broker, account_type, base_currency, starting_balance, created_at, updated_at)
				VALUES (1, 'a', 1, 'a', '', '', 'USD', '0', 0, 0)`,
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		for range 1000 {
			_, err := tx.Exec(ctx, `INSERT INTO trade_annotations
				(user_id, trade_id, account_id, notes, initial_risk, stop_price, emotional_state, confidence, reviewed_at, updated_at)
				VALUES (1, $1, 'a', 'held too long', '100.5', '99.25', 'calm', 4, 1, 1)`, journal.NewID[journal.TradeID]())
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		err := d.View(ctx, func(tx *db.Tx) error {
			found, err := playbook.LoadAllAnnotations(ctx, tx, journal.UserID(1))
			if err == nil && len(found) != 1000 {
				b.Fatalf("%d of 1000 trades have annotations", len(found))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
