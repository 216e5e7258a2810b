package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
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

// CashMembers are a cash transaction's values, with one type for each kind. The tags are
// the JSON names in the API and backups, and the API descriptions. See
// docs/architecture.md, "Add a field to a record".
type CashMembers[Kind, Amount, Text, Instant, TradeLink any] struct {
	Type       Kind      `json:"type" enum:"deposit,withdrawal,fee,dividend,interest,adjustment"`
	Amount     Amount    `json:"amount" doc:"Money in is positive. Withdrawals and fees are stored as negative, deposits as positive, whatever the sign sent; other types keep the sign."`
	Currency   Text      `json:"currency" doc:"The currency of the account, which is the default."`
	OccurredAt Instant   `json:"occurred_at"`
	Note       Text      `json:"note"`
	Trade      TradeLink `json:"trade_id"`
}

// CashValues are a cash transaction's values as stored and answered.
type CashValues = CashMembers[CashType, decimal.Decimal, string, time.Time, *journal.TradeID]

// CashChange is a partial change to a cash transaction.
type CashChange = CashMembers[
	journal.Opt[CashType], journal.Opt[decimal.Decimal], journal.Opt[string], journal.Opt[time.Time], journal.Opt[journal.TradeID],
]

// Cash is a cash transaction without a fill. Money received has a positive
// Amount.
type Cash struct {
	ID      journal.CashID    `json:"id"`
	Account journal.AccountID `json:"account_id"`
	CashValues
	Batch *journal.BatchID `json:"import_batch_id"`
	// Origin is the content key with which the row arrived, by which an import
	// finds it after an edit.
	Origin    string    `json:"-"`
	CreatedAt time.Time `json:"created_at"`
}

// EditedOrigin returns the key with which an edited row arrived, and an empty
// string for an unedited row.
func (c *Cash) EditedOrigin() string {
	if c.Origin == c.contentKey() {
		return ""
	}
	return c.Origin
}

// NewCash describes a new cash transaction. Deposits are stored as positive, withdrawals
// and fees as negative amounts, whatever Amount's sign; the other types keep it. Currency
// is the account's if it is empty, else it must be the account's.
type NewCash CashValues

// ArchivedCash contains the values that only a backup cash row has.
type ArchivedCash struct {
	// Origin is the key with which an edited row arrived; empty for an unedited
	// row.
	Origin string
	// CreatedAt is when the row was first stored; zero if unknown.
	CreatedAt time.Time
}

// EachCash calls fn for a scope's cash transactions, oldest first.
func (s *Service) EachCash(ctx context.Context, owner journal.UserID, scope journal.Scope, fn func(Cash) error) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return EachCash(ctx, tx, owner, scope, fn) })
}

// EachCash is [Service.EachCash] as a step. fn must not run statements.
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
		c, err := scanCashOf(known, row)
		if err != nil {
			return err
		}
		return fn(c)
	}, text, f.args...)
}

// CashTransaction returns a cash transaction of the owner.
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
		c, err = b.cash().cashByID(ctx, id)
		return err
	})
	return c, err
}

// AddCash stores a cash transaction, even if an equal one is stored: the same
// amount can be paid twice.
func (s *Service) AddCash(ctx context.Context, owner journal.UserID, account journal.AccountID, in NewCash) (c Cash, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		return s.withBook(ctx, tx, owner, account, func(b *book) error {
			l := b.cash()
			if c, err = l.cleanCash(ctx, in, nil); err != nil {
				return err
			}
			again, err := l.matchDeletedCash(ctx, []Cash{c}, []bool{false})
			if err != nil {
				return err
			}
			if err := l.forgetDeletedCash(ctx, again); err != nil {
				return err
			}
			cashHistory.Created(tx, owner, &cashRow{Cash: c})
			return l.insertCash(ctx, []Cash{c})
		})
	})
	return c, err
}

// UpdateCash applies a partial change. A new type sets the amount's sign again.
func (s *Service) UpdateCash(
	ctx context.Context, owner journal.UserID, id journal.CashID, change CashChange, check func(Cash) error,
) (c Cash, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		return s.withCash(ctx, tx, owner, id, check, func(l *cashLedger, was Cash) error {
			if c, err = l.changeCash(ctx, was, change); err != nil {
				return err
			}
			cashHistory.Updated(tx, owner, &cashRow{Cash: was}, &cashRow{Cash: c})
			_, err = tx.Exec(ctx, cashTable.Update(), cashTable.UpdateValues(owner, &cashRow{Cash: c})...)
			return err
		})
	})
	return c, err
}

// DeleteCash deletes a cash transaction. Connections and watched files do not bring it
// back.
func (s *Service) DeleteCash(ctx context.Context, owner journal.UserID, id journal.CashID, check func(Cash) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		return s.withCash(ctx, tx, owner, id, check, func(l *cashLedger, was Cash) error {
			cashHistory.Deleted(tx, owner, &cashRow{Cash: was})
			if err := history.Keep(ctx, tx, owner, "cash_transactions", `id = $2`, id); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `DELETE FROM cash_transactions WHERE user_id = $1 AND id = $2`, owner, id)
			if err != nil {
				return err
			}
			return l.insertDeletedCash(ctx, []deletedCash{newDeletedCash(&was, db.Micros(l.now))})
		})
	})
}

// withCash runs check and fn with a cash transaction read under its account's lock.
func (s *Service) withCash(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.CashID,
	check func(Cash) error, fn func(*cashLedger, Cash) error,
) error {
	account, err := findAccountID(ctx, tx, owner, "cash_transactions", id, "cash transaction")
	if err != nil {
		return err
	}
	return s.withBook(ctx, tx, owner, account, func(b *book) error {
		was, err := b.cash().cashByID(ctx, id)
		if err != nil {
			return err
		}
		if err := runCheck(check, was); err != nil {
			return err
		}
		return fn(b.cash(), was)
	})
}

// cashLedger reads and writes an account's cash rows.
type cashLedger struct {
	*accountRows
	now time.Time
}

func (b *book) cash() *cashLedger { return &cashLedger{accountRows: b.accountRows, now: b.now} }

// cashRow is a stored cash transaction with its account's number.
type cashRow struct {
	Cash
	account int64
}

// cashTable stores cash transactions.
var cashTable = fields.New("cash_transactions",
	fields.List[cashRow]{fields.NewID("id", func(c *cashRow) *journal.CashID { return &c.ID })},
	fields.List[cashRow]{
		fields.NewInteger("account", func(c *cashRow) *int64 { return &c.account }).Freeze().Hide(),
		fields.NewText("type", func(c *cashRow) *CashType { return &c.Type }),
		fields.NewAmount("amount", func(c *cashRow) *decimal.Decimal { return &c.Amount }),
		fields.NewText("currency", func(c *cashRow) *string { return &c.Currency }),
		fields.NewTime("occurred_at", func(c *cashRow) *time.Time { return &c.OccurredAt }),
		fields.NewText("note", func(c *cashRow) *string { return &c.Note }),
		fields.NewLink("trade_id", func(c *cashRow) **journal.TradeID { return &c.Trade }),
		fields.NewLink("import_batch_id", func(c *cashRow) **journal.BatchID { return &c.Batch }).Freeze(),
		fields.NewText("origin", func(c *cashRow) *string { return &c.Origin }).Freeze().Hide(),
		fields.NewTime("created_at", func(c *cashRow) *time.Time { return &c.CreatedAt }).Freeze(),
	},
)

// cashSelect has the table's name as its alias, which conditions use.
var cashSelect = cashTable.Select(cashTable.Name)

// scanCashOf reads a row; accounts are by number.
func scanCashOf(accounts map[int64]Account, row db.Scanner) (Cash, error) {
	var c cashRow
	err := cashTable.Scan(row, &c)
	c.Account = accounts[c.account].ID
	return c.Cash, err
}

// scanCash reads a row.
func (l *cashLedger) scanCash(row db.Scanner) (Cash, error) {
	var c cashRow
	err := cashTable.Scan(row, &c)
	c.Account = l.account.ID
	return c.Cash, err
}

func (l *cashLedger) cashByID(ctx context.Context, id journal.CashID) (Cash, error) {
	c, err := l.scanCash(l.tx.QueryRow(ctx, cashSelect+` WHERE user_id = $1 AND id = $2 AND account = $3`,
		l.owner, id, l.account.number))
	return c, db.NotFound(err, "cash transaction")
}

// cleanCash returns a new cash transaction in its stored form, or an error for invalid
// values. archived is nil except for a backup row.
func (l *cashLedger) cleanCash(ctx context.Context, in NewCash, archived *ArchivedCash) (Cash, error) {
	c := Cash{ID: journal.NewID[journal.CashID](), Account: l.account.ID, CashValues: CashValues(in), CreatedAt: l.now}
	if c.Currency == "" {
		c.Currency = l.account.BaseCurrency
	}
	err := l.checkCash(ctx, &c)
	c.setOrigin(archived)
	return c, err
}

// setOrigin sets a new row's origin, and for a backup row when it was first stored.
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
func (l *cashLedger) changeCash(ctx context.Context, c Cash, change CashChange) (Cash, error) {
	err := cmp.Or(change.Type.NotNull("type"), change.Amount.NotNull("amount"), change.OccurredAt.NotNull("occurred_at"))
	if err != nil {
		return Cash{}, err
	}
	fields.Copy(&c.CashValues, &change)
	if change.Currency.Null {
		c.Currency = l.account.BaseCurrency
	}
	err = l.checkCash(ctx, &c)
	return c, err
}

// checkCash brings a cash transaction into its stored form. It returns an error
// for invalid values.
func (l *cashLedger) checkCash(ctx context.Context, c *Cash) (err error) {
	if err := c.applySign(); err != nil {
		return err
	}
	if c.Currency, err = journal.CleanCurrency("currency", c.Currency); err != nil {
		return err
	}
	if c.Currency != l.account.BaseCurrency {
		return journal.InvalidField("currency", "currency must be %s, the currency of the account.", l.account.BaseCurrency)
	}
	c.OccurredAt = c.OccurredAt.UTC().Truncate(time.Microsecond)
	if year := c.OccurredAt.Year(); year < 1970 || year > 2199 {
		return journal.InvalidField("occurred_at", "occurred_at must be between the years 1970 and 2199.")
	}
	if c.Note, err = journal.CheckText("note", c.Note); err != nil {
		return err
	}
	return l.checkCashTrade(ctx, c.Trade)
}

// applySign checks type and amount and sets the amount's sign by the type.
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
func (l *cashLedger) checkCashTrade(ctx context.Context, id *journal.TradeID) error {
	if id == nil {
		return nil
	}
	var known bool
	err := l.tx.QueryRow(ctx,
		`SELECT EXISTS (SELECT 1 FROM trades WHERE user_id = $1 AND id = $2 AND account = $3)`,
		l.owner, *id, l.account.number).Scan(&known)
	if err == nil && !known {
		return journal.InvalidField("trade_id", "trade_id must be a trade of the same account.")
	}
	return err
}

// sumDividends sums the dividends linked to a trade.
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

// insertCash inserts rows, or refuses them if the account has no room for them all.
func (l *cashLedger) insertCash(ctx context.Context, list []Cash) error {
	if len(list) == 0 {
		return nil
	}
	var stored int
	err := l.tx.QueryRow(ctx, `SELECT COUNT(*) FROM cash_transactions WHERE user_id = $1 AND account = $2`, l.owner, l.account.number).Scan(&stored)
	if err != nil {
		return err
	}
	if stored+len(list) > limits.Cash.Max {
		return limits.Cash.Reached()
	}
	rows := make([][]any, len(list))
	for i, c := range list {
		rows[i] = cashTable.Values(l.owner, &cashRow{Cash: c, account: l.account.number})
	}
	_, err = l.tx.InsertMany(ctx, cashTable.Name, cashTable.Columns(), "", rows)
	return err
}

// clearLostCashLinks clears cash links to trades without a row. Trades that the write
// removes have theirs until it is closed.
func (a *accountRows) clearLostCashLinks(ctx context.Context) error {
	_, err := a.tx.Exec(ctx, `
		UPDATE cash_transactions SET trade_id = NULL WHERE user_id = $1 AND account = $2 AND trade_id IS NOT NULL
			AND trade_id NOT IN (SELECT id FROM trades WHERE user_id = $1 AND account = $2)`, a.owner, a.account.number)
	return err
}

// moveCashLinks moves cash links from removed trades to those they were merged into, or
// clears them.
func (a *accountRows) moveCashLinks(ctx context.Context, change *TradeChanges) error {
	if len(change.Removed) == 0 {
		return nil
	}
	linked, err := db.List(ctx, a.tx, db.Single[journal.TradeID], `
		SELECT DISTINCT trade_id FROM cash_transactions
		WHERE user_id = $1 AND account = $2 AND trade_id IS NOT NULL ORDER BY trade_id`, a.owner, a.account.number)
	if err != nil || len(linked) == 0 {
		return err
	}
	into := map[journal.TradeID]any{}
	for _, id := range change.Removed {
		into[id] = nil
	}
	for _, m := range change.Merged {
		into[m.From] = m.Into
	}
	for _, id := range linked {
		next, removed := into[id]
		if !removed {
			continue
		}
		_, err := a.tx.Exec(ctx, `UPDATE cash_transactions SET trade_id = $1 WHERE user_id = $2 AND trade_id = $3`,
			next, a.owner, id)
		if err != nil {
			return err
		}
	}
	return nil
}
