package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// CashType is the reason for a cash transaction.
type CashType string

// The types. Deposits and withdrawals are flows; the others are results.
const (
	Deposit    CashType = "deposit"
	Withdrawal CashType = "withdrawal"
	Fee        CashType = "fee"
	Dividend   CashType = "dividend"
	Interest   CashType = "interest"
	Adjustment CashType = "adjustment"
)

var cashTypes = []CashType{Deposit, Withdrawal, Fee, Dividend, Interest, Adjustment}

// Cash is a cash transaction without a fill. Money received has a positive
// Amount.
type Cash struct {
	ID         journal.CashID
	Account    journal.AccountID
	Type       CashType
	Amount     decimal.Decimal
	Currency   string
	OccurredAt time.Time
	Note       string
	Trade      *journal.TradeID
	Batch      *journal.BatchID
	// Origin is the content key with which the row arrived, by which an import
	// finds it after an edit.
	Origin    string
	CreatedAt time.Time
}

// EditedOrigin returns the key with which an edited row arrived, and an empty
// string for an unedited row.
func (c *Cash) EditedOrigin() string {
	if c.Origin == c.contentKey() {
		return ""
	}
	return c.Origin
}

// NewCash contains the values of a new cash transaction. Deposits are stored as
// positive, withdrawals and fees as negative amounts, whatever the sign of
// Amount; the other types keep it.
type NewCash struct {
	Type       CashType
	Amount     decimal.Decimal
	Currency   string // the account's if empty, else it must be the account's
	OccurredAt time.Time
	Note       string
	Trade      *journal.TradeID
	// Archived is set for a row of a backup.
	Archived *ArchivedCash
}

// ArchivedCash contains the values that only a cash row of a backup has.
type ArchivedCash struct {
	// Origin is the key with which an edited row arrived; empty for an unedited
	// row.
	Origin string
	// CreatedAt is when the row was first stored; zero if unknown.
	CreatedAt time.Time
}

// CashChange is a partial change to a cash transaction.
type CashChange struct {
	Type       journal.Opt[CashType]
	Amount     journal.Opt[decimal.Decimal]
	Currency   journal.Opt[string]
	OccurredAt journal.Opt[time.Time]
	Note       journal.Opt[string]
	Trade      journal.Opt[journal.TradeID]
}

// EachCash calls fn for the cash transactions of a scope, oldest first.
func (s *Service) EachCash(ctx context.Context, owner journal.UserID, scope journal.Scope, fn func(Cash) error) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return EachCash(ctx, tx, owner, scope, fn) })
}

// EachCash is the step of [Service.EachCash]. fn must not run statements.
func EachCash(ctx context.Context, tx *db.Tx, owner journal.UserID, scope journal.Scope, fn func(Cash) error) error {
	accounts, err := resolveList(ctx, tx, owner, scope)
	if err != nil || len(accounts) == 0 {
		return err
	}
	var f filter
	all := selection{table: "cash_transactions", owner: owner, accounts: accounts, head: cashSelect, where: func(f *filter) {
		f.addPeriod("occurred_at", scope.Period)
	}}
	text := all.orderedQuery(tx, &f, "occurred_at, id", 0)
	known := indexByNumber(accounts)
	return db.Each(ctx, tx, func(row db.Scanner) error {
		c, number, err := scanCash(row)
		if err != nil {
			return err
		}
		c.Account = known[number].ID
		return fn(c)
	}, text, f.args...)
}

// CashTransaction returns one of the owner's cash transactions.
func (s *Service) CashTransaction(ctx context.Context, owner journal.UserID, id journal.CashID) (c Cash, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		account, err := findAccountID(ctx, tx, owner, "cash_transactions", id, "cash transaction")
		if err != nil {
			return err
		}
		b, err := readBook(ctx, tx, owner, account)
		if err != nil {
			return err
		}
		c, err = b.cashByID(ctx, id)
		return err
	})
	return c, err
}

// AddCash stores a cash transaction, even if an equal one is stored: the same
// amount can be paid twice.
func (s *Service) AddCash(ctx context.Context, owner journal.UserID, account journal.AccountID, in NewCash) (c Cash, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		return s.withBook(ctx, tx, owner, account, func(b *book) error {
			if c, err = b.cleanCash(ctx, in); err != nil {
				return err
			}
			return b.insertCash(ctx, []Cash{c})
		})
	})
	return c, err
}

// UpdateCash applies a partial change. A new type sets the sign of the amount
// again.
func (s *Service) UpdateCash(
	ctx context.Context, owner journal.UserID, id journal.CashID, change CashChange, check func(Cash) error,
) (c Cash, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		return s.withCash(ctx, tx, owner, id, check, func(b *book, was Cash) error {
			if c, err = b.changeCash(ctx, was, change); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `
				UPDATE cash_transactions SET type = $1, amount = $2, currency = $3, occurred_at = $4, note = $5, trade_id = $6
				WHERE user_id = $7 AND id = $8`,
				c.Type, c.Amount, c.Currency, db.Micros(c.OccurredAt), c.Note, c.Trade, owner, id)
			return err
		})
	})
	return c, err
}

// DeleteCash deletes a cash transaction.
func (s *Service) DeleteCash(ctx context.Context, owner journal.UserID, id journal.CashID, check func(Cash) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		return s.withCash(ctx, tx, owner, id, check, func(*book, Cash) error {
			_, err := tx.Exec(ctx, `DELETE FROM cash_transactions WHERE user_id = $1 AND id = $2`, owner, id)
			return err
		})
	})
}

// withCash runs check and fn with a cash transaction that is read under the
// lock of its account.
func (s *Service) withCash(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.CashID,
	check func(Cash) error, fn func(*book, Cash) error,
) error {
	account, err := findAccountID(ctx, tx, owner, "cash_transactions", id, "cash transaction")
	if err != nil {
		return err
	}
	return s.withBook(ctx, tx, owner, account, func(b *book) error {
		was, err := b.cashByID(ctx, id)
		if err != nil {
			return err
		}
		if err := runCheck(check, was); err != nil {
			return err
		}
		return fn(b, was)
	})
}

const cashSelect = `SELECT id, account, type, amount, currency, occurred_at, note, trade_id, import_batch_id, origin, created_at
	FROM cash_transactions`

func scanCash(row db.Scanner) (c Cash, account int64, err error) {
	err = row.Scan(&c.ID, &account, &c.Type, &c.Amount, &c.Currency, db.Instant(&c.OccurredAt), &c.Note,
		&c.Trade, &c.Batch, &c.Origin, db.Instant(&c.CreatedAt))
	return c, account, err
}

func (b *book) cashByID(ctx context.Context, id journal.CashID) (Cash, error) {
	c, _, err := scanCash(b.tx.QueryRow(ctx, cashSelect+` WHERE user_id = $1 AND id = $2 AND account = $3`,
		b.owner, id, b.account.number))
	c.Account = b.account.ID
	return c, mapNotFound(err, "cash transaction")
}

// cleanCash returns a new cash transaction in its stored form, or an error for
// invalid values.
func (b *book) cleanCash(ctx context.Context, in NewCash) (Cash, error) {
	c := Cash{
		ID: journal.NewID[journal.CashID](), Account: b.account.ID, Type: in.Type, Amount: in.Amount,
		Currency: in.Currency, OccurredAt: in.OccurredAt, Note: in.Note, Trade: in.Trade, CreatedAt: b.now,
	}
	if c.Currency == "" {
		c.Currency = b.account.BaseCurrency
	}
	err := b.checkCash(ctx, &c)
	c.setOrigin(in.Archived)
	return c, err
}

// setOrigin sets the origin of a new row, and for a row of a backup the time at
// which it was first stored.
func (c *Cash) setOrigin(archived *ArchivedCash) {
	c.Origin = c.contentKey()
	if archived == nil {
		return
	}
	if origin := cleanOrigin(archived.Origin); origin != "" {
		c.Origin = origin
	}
	if !archived.CreatedAt.IsZero() {
		c.CreatedAt = archived.CreatedAt.UTC().Truncate(time.Microsecond)
	}
}

// changeCash returns a cash transaction with the change applied.
func (b *book) changeCash(ctx context.Context, c Cash, change CashChange) (Cash, error) {
	err := cmp.Or(change.Type.NotNull("type"), change.Amount.NotNull("amount"), change.OccurredAt.NotNull("occurred_at"))
	if err != nil {
		return Cash{}, err
	}
	c.Type = change.Type.Or(c.Type)
	c.Amount = change.Amount.Or(c.Amount)
	c.Currency = change.Currency.Or(c.Currency)
	c.OccurredAt = change.OccurredAt.Or(c.OccurredAt)
	c.Note = change.Note.Or(c.Note)
	c.Trade = change.Trade.OrNil(c.Trade)
	if change.Currency.Null {
		c.Currency = b.account.BaseCurrency
	}
	err = b.checkCash(ctx, &c)
	return c, err
}

// checkCash brings a cash transaction into its stored form. It returns an error
// for invalid values.
func (b *book) checkCash(ctx context.Context, c *Cash) (err error) {
	if err := c.applySign(); err != nil {
		return err
	}
	if c.Currency, err = cleanCurrency("currency", c.Currency); err != nil {
		return err
	}
	if c.Currency != b.account.BaseCurrency {
		return journal.InvalidField("currency", "currency must be %s, the currency of the account.", b.account.BaseCurrency)
	}
	c.OccurredAt = c.OccurredAt.UTC().Truncate(time.Microsecond)
	if year := c.OccurredAt.Year(); year < 1970 || year > 2199 {
		return journal.InvalidField("occurred_at", "occurred_at must be between the years 1970 and 2199.")
	}
	if c.Note, err = journal.CheckText("note", c.Note); err != nil {
		return err
	}
	return b.checkCashTrade(ctx, c.Trade)
}

// applySign checks type and amount and sets the sign of the amount by its type.
func (c *Cash) applySign() error {
	c.Type = CashType(strings.ToLower(strings.TrimSpace(string(c.Type))))
	if !slices.Contains(cashTypes, c.Type) {
		return journal.InvalidField("type", "type must be deposit, withdrawal, fee, dividend, interest or adjustment.")
	}
	switch c.Type {
	case Deposit:
		c.Amount = c.Amount.Abs()
	case Withdrawal, Fee:
		c.Amount = c.Amount.Abs().Neg()
	case Dividend, Interest, Adjustment:
	}
	return checkAmount("amount", c.Amount)
}

// checkCashTrade returns an error if the trade is not in the account.
func (b *book) checkCashTrade(ctx context.Context, id *journal.TradeID) error {
	if id == nil {
		return nil
	}
	var known bool
	err := b.tx.QueryRow(ctx,
		`SELECT EXISTS (SELECT 1 FROM trades WHERE user_id = $1 AND id = $2 AND account = $3)`,
		b.owner, *id, b.account.number).Scan(&known)
	if err == nil && !known {
		return journal.InvalidField("trade_id", "trade_id must be a trade of the same account.")
	}
	return err
}

// sumDividends returns the sum of the dividends linked to a trade.
func sumDividends(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (total decimal.Decimal, err error) {
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var amount decimal.Decimal
		err := row.Scan(&amount)
		total = total.Add(amount)
		return err
	}, `SELECT amount FROM cash_transactions WHERE user_id = $1 AND trade_id = $2 AND type = $3 ORDER BY trade_id`, owner, id, Dividend)
	return total, err
}

// contentKey returns the key of the row's values. The one with which the row
// arrived is its origin.
func (c *Cash) contentKey() string {
	return fmt.Sprintf("%s|%s|%d", c.Type, c.Amount, db.Micros(c.OccurredAt))
}

func (b *book) insertCash(ctx context.Context, list []Cash) error {
	rows := make([][]any, len(list))
	for i, c := range list {
		rows[i] = []any{
			b.owner, c.ID, b.account.number, c.Type, c.Amount, c.Currency, db.Micros(c.OccurredAt), c.Note,
			c.Trade, c.Batch, c.Origin, db.Micros(c.CreatedAt),
		}
	}
	_, err := b.tx.InsertMany(ctx, "cash_transactions", []string{
		"user_id", "id", "account", "type", "amount", "currency", "occurred_at", "note",
		"trade_id", "import_batch_id", "origin", "created_at",
	}, "", rows)
	return err
}

// moveCashLinks moves links of cash rows from removed trades to those that they
// were merged into, or clears them.
func (b *book) moveCashLinks(ctx context.Context) error {
	if len(b.change.Removed) == 0 {
		return nil
	}
	linked, err := db.List(ctx, b.tx, db.Single[journal.TradeID], `
		SELECT DISTINCT trade_id FROM cash_transactions
		WHERE user_id = $1 AND account = $2 AND trade_id IS NOT NULL ORDER BY trade_id`, b.owner, b.account.number)
	if err != nil || len(linked) == 0 {
		return err
	}
	into := map[journal.TradeID]any{}
	for _, id := range b.change.Removed {
		into[id] = nil
	}
	for _, m := range b.change.Merged {
		into[m.From] = m.Into
	}
	for _, id := range linked {
		next, removed := into[id]
		if !removed {
			continue
		}
		_, err := b.tx.Exec(ctx, `UPDATE cash_transactions SET trade_id = $1 WHERE user_id = $2 AND trade_id = $3`,
			next, b.owner, id)
		if err != nil {
			return err
		}
	}
	return nil
}
