package ledger

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// Account is a user's trading account.
type Account struct {
	ID           journal.AccountID
	Name         string
	Broker       string
	Type         string
	BaseCurrency string
	// StartingBalance is the equity before the first event.
	StartingBalance decimal.Decimal
	CreatedAt       time.Time
	UpdatedAt       time.Time
	// Revision is raised by every write to the account or its records. Two
	// reads with the same revision saw the same data, even if the database was
	// restored to an earlier state in between; see nextRevision.
	Revision int64

	// number identifies the account in the rows belonging to it; see migration 2.
	number int64
}

// Number returns the account's number among the user's accounts, ordered by creation. It
// orders fills that arrived in several accounts at the same time.
func (a Account) Number() int64 { return a.number }

// NewAccount describes a new account. Only Name is required.
type NewAccount struct {
	Name            string
	Broker          string
	Type            string          // "cash" if empty
	BaseCurrency    string          // "USD" if empty
	StartingBalance decimal.Decimal // may be negative
}

// AccountChange is a partial change to an account.
type AccountChange struct {
	Name, Broker, Type, BaseCurrency journal.Opt[string]
	StartingBalance                  journal.Opt[decimal.Decimal]
}

// Accounts lists the owner's accounts, oldest first.
func (s *Service) Accounts(ctx context.Context, owner journal.UserID) ([]Account, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]Account, error) { return Accounts(ctx, tx, owner) })
}

// Account returns one of the owner's accounts.
func (s *Service) Account(ctx context.Context, owner journal.UserID, id journal.AccountID) (Account, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Account, error) { return findAccount(ctx, tx, owner, id) })
}

// CreateAccount runs the step CreateAccount in its own transaction.
func (s *Service) CreateAccount(ctx context.Context, owner journal.UserID, in NewAccount) (Account, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (Account, error) { return CreateAccount(ctx, tx, owner, s.clock(), in) })
}

// UpdateAccount applies a partial change. check, which may be nil, receives the stored
// account and may reject the change. An account with fills or cash keeps its currency,
// because another one would change what its amounts mean.
func (s *Service) UpdateAccount(
	ctx context.Context, owner journal.UserID, id journal.AccountID, change AccountChange, check func(Account) error,
) (a Account, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		before, err := LockAccount(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		if err := runCheck(check, before); err != nil {
			return err
		}
		a, err = change.apply(before)
		if err != nil {
			return err
		}
		if err := checkCurrencyChange(ctx, tx, owner, before, a); err != nil {
			return err
		}
		a.UpdatedAt = s.clock()
		if err := storeAccount(ctx, tx, owner, a); err != nil {
			return err
		}
		accountHistory.Updated(tx, owner, &before, &a)
		a.Revision, err = touch(ctx, tx, owner, id, nil, false) // none of its trades changed
		return err
	})
	return a, err
}

// DeleteAccount deletes an account with everything in it.
func (s *Service) DeleteAccount(ctx context.Context, owner journal.UserID, id journal.AccountID, check func(Account) error) error {
	return s.db.UpdateInParts(ctx, int64(owner), func(tx *db.Tx) error {
		a, err := LockAccount(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		if err := runCheck(check, a); err != nil {
			return err
		}
		return s.deleteAccount(ctx, tx, owner, a)
	})
}

// deleteAccount deletes a locked account, whose rows are kept for an undo.
func (s *Service) deleteAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account) error {
	if err := keepAccount(ctx, tx, owner, a); err != nil {
		return err
	}
	if err := s.follow.call(ctx, tx, owner, TradeChanges{Account: a.ID, AccountDeleted: true}); err != nil {
		return err
	}
	if err := deleteActionsOf(ctx, tx, owner, a.ID); err != nil {
		return err
	}
	if err := emptyAccount(ctx, tx, owner, a); err != nil {
		return err
	}
	// Foreign keys delete the account's other rows.
	_, err := tx.Exec(ctx, `DELETE FROM accounts WHERE user_id = $1 AND id = $2`, owner, a.ID)
	return err
}

// runCheck runs an optional precondition.
func runCheck[T any](check func(T) error, record T) error {
	if check == nil {
		return nil
	}
	return check(record)
}

const accountColumns = `id, name, broker, account_type, base_currency, starting_balance, created_at, updated_at, revision, number`

func scanAccount(row db.Scanner) (a Account, err error) {
	err = row.Scan(a.scan()...)
	return a, err
}

// scan lists the destinations for accountColumns.
func (a *Account) scan() []any {
	return []any{
		&a.ID, &a.Name, &a.Broker, &a.Type, &a.BaseCurrency, &a.StartingBalance,
		db.Instant(&a.CreatedAt), db.Instant(&a.UpdatedAt), &a.Revision, &a.number,
	}
}

// Accounts lists the owner's accounts, oldest first, as one step. Those the context
// excludes are left out; see [journal.LimitAccounts].
func Accounts(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Account, error) {
	list, err := db.List(ctx, tx, scanAccount,
		`SELECT `+accountColumns+` FROM accounts WHERE user_id = $1 ORDER BY created_at, number`, owner)
	return allowedOnly(ctx, list), err
}

// allowedOnly returns the accounts the context does not exclude.
func allowedOnly(ctx context.Context, list []Account) []Account {
	if _, limited := journal.AllowedAccounts(ctx); !limited {
		return list
	}
	return slices.DeleteFunc(list, func(a Account) bool { return !journal.AllowsAccount(ctx, a.ID) })
}

// AccountsWith is like [Accounts] and also reads a subquery's value in the same
// statement, so both come from one snapshot without a transaction. In the subquery $1 is
// the owner. value is nil if the subquery has no row or the owner no account.
func AccountsWith(ctx context.Context, tx *db.Tx, owner journal.UserID, subquery string) (accounts []Account, value *string, err error) {
	scan := func(row db.Scanner) (a Account, err error) {
		err = row.Scan(append(a.scan(), &value)...)
		return a, err
	}
	accounts, err = db.List(ctx, tx, scan,
		`SELECT `+accountColumns+`, `+subquery+` FROM accounts WHERE user_id = $1 ORDER BY created_at, number`, owner)
	return allowedOnly(ctx, accounts), value, err
}

func findAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (Account, error) {
	return readAccount(ctx, tx, owner, id, "")
}

// LockAccount locks one of the owner's accounts and returns it, so its trades do not
// change before the transaction ends. It is a step.
func LockAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (Account, error) {
	return readAccount(ctx, tx, owner, id, tx.Lock())
}

// ReadAccount returns one of the owner's accounts. It is a step.
func ReadAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (Account, error) {
	return findAccount(ctx, tx, owner, id)
}

func readAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID, lock string) (Account, error) {
	if !journal.AllowsAccount(ctx, id) {
		return Account{}, journal.NotFound("account")
	}
	a, err := scanAccount(tx.QueryRow(ctx, `SELECT `+accountColumns+` FROM accounts WHERE user_id = $1 AND id = $2`+lock, owner, id))
	return a, db.NotFound(err, "account")
}

// CreateAccount creates an account. It is a step. A caller who is limited to some
// accounts cannot create another.
func CreateAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, in NewAccount) (Account, error) {
	if _, limited := journal.AllowedAccounts(ctx); limited {
		return Account{}, journal.Forbidden("This access token is limited to some accounts and cannot create another.")
	}
	a := Account{
		ID: journal.NewID[journal.AccountID](), Name: in.Name, Broker: in.Broker, Type: in.Type,
		BaseCurrency: in.BaseCurrency, StartingBalance: in.StartingBalance, CreatedAt: now, UpdatedAt: now,
	}
	if a.Type == "" {
		a.Type = "cash"
	}
	if a.BaseCurrency == "" {
		a.BaseCurrency = "USD"
	}
	if err := a.clean(); err != nil {
		return Account{}, err
	}
	accountHistory.Created(tx, owner, &a)
	return insertAccount(ctx, tx, owner, a)
}

// insertAccount stores the account under the owner's next number. If two
// callers choose the same number, the second inserts nothing and tries again.
func insertAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account) (Account, error) {
	for {
		err := tx.QueryRow(ctx,
			`SELECT COALESCE(MAX(number), 0) + 1 FROM accounts WHERE user_id = $1`, owner).Scan(&a.number)
		if err != nil {
			return Account{}, err
		}
		if a.number > int64(limits.Accounts.Max) { // else there cannot be as many
			if err := limits.Accounts.Check(ctx, tx, owner, `SELECT COUNT(*) FROM accounts WHERE user_id = $1`); err != nil {
				return Account{}, err
			}
		}
		n, err := tx.Exec(ctx, `
			INSERT INTO accounts (user_id, id, number, name, broker, account_type, base_currency, starting_balance, created_at, updated_at, rules)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
			ON CONFLICT (user_id, number) DO NOTHING`,
			owner, a.ID, a.number, a.Name, a.Broker, a.Type, a.BaseCurrency, a.StartingBalance,
			db.Micros(a.CreatedAt), db.Micros(a.UpdatedAt), currentRules)
		if err != nil || n == 1 {
			return a, err
		}
	}
}

func storeAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account) error {
	_, err := tx.Exec(ctx, `
		UPDATE accounts SET name = $1, broker = $2, account_type = $3, base_currency = $4, starting_balance = $5,
			updated_at = $6
		WHERE user_id = $7 AND id = $8`,
		a.Name, a.Broker, a.Type, a.BaseCurrency, a.StartingBalance, db.Micros(a.UpdatedAt), owner, a.ID)
	return err
}

// apply returns the account with the change applied, in its stored form.
func (c AccountChange) apply(a Account) (Account, error) {
	a.Name = c.Name.Or(a.Name)
	a.Broker = c.Broker.Or(a.Broker)
	a.Type = c.Type.Or(a.Type)
	a.BaseCurrency = c.BaseCurrency.Or(a.BaseCurrency)
	a.StartingBalance = c.StartingBalance.Or(a.StartingBalance)
	err := a.clean()
	return a, err
}

// clean brings the account into its stored form. It returns an error for
// invalid values.
func (a *Account) clean() (err error) {
	if a.Name, err = journal.CleanRequiredName("name", a.Name); err != nil {
		return err
	}
	if a.Broker, err = journal.CleanName("broker", a.Broker); err != nil {
		return err
	}
	if a.Type, err = journal.CleanRequiredName("account_type", a.Type); err != nil {
		return err
	}
	if a.BaseCurrency, err = journal.CleanCurrency("base_currency", a.BaseCurrency); err != nil {
		return err
	}
	return checkAmount("starting_balance", a.StartingBalance)
}

func checkCurrencyChange(ctx context.Context, tx *db.Tx, owner journal.UserID, before, after Account) error {
	if before.BaseCurrency == after.BaseCurrency {
		return nil
	}
	var used bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM executions WHERE user_id = $1 AND account = $2)
			OR EXISTS (SELECT 1 FROM cash_transactions WHERE user_id = $1 AND account = $2)`,
		owner, before.number).Scan(&used)
	if err == nil && used {
		return journal.Conflict("The base currency of an account with executions or cash transactions cannot be changed.")
	}
	return err
}
