package ledger

import (
	"context"
	"maps"
	"math"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Undoers undo changes to the ledger's records.
func (s *Service) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{
		{Type: "account", Undoer: s.accountUndoer()},
		{Type: "execution", Undoer: fillUndoer{s}},
		{Type: "cash_transaction", Undoer: s.cashUndoer()},
		{Type: "instrument", Undoer: &history.Values{Type: "instrument", Load: loadShownOverride, Store: storeShownOverride, FindObstacle: findOverrideAccount}},
		{Type: "corporate_action", Undoer: s.newActionUndoer()},
	}
}

// keptTables have an account's rows, in the order in which they are inserted again, with
// the column that names the account. Logs and results that are computed again are left out.
var keptTables = []struct{ name, column string }{
	{"accounts", "id"},
	{"instrument_overrides", "account"},
	{"streams", "account"},
	{"import_batches", "account_id"},
	{"executions", "account"},
	{"fill_sources", "account"},
	{"import_spans", "account"},
	{"import_repeats", "account"},
	{"trades", "account"},
	{"trade_checkpoints", "account"},
	{"trades_before_actions", "account"},
	{"cash_transactions", "account"},
	{"deleted_fills", "account"},
	{"withdrawn_fills", "account"},
	{"deleted_cash", "account"},
}

// keepAccount keeps an account's rows before it is deleted, and records the deletion.
func keepAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account) error {
	contains, err := countContents(ctx, tx, owner, a)
	if err != nil {
		return err
	}
	accountHistory.DeletedWith(tx, owner, &a, contains)
	for _, t := range keptTables {
		var account any = a.number
		if t.column != "account" {
			account = a.ID
		}
		if err := history.Keep(ctx, tx, owner, t.name, t.column+` = $2`, account); err != nil {
			return err
		}
	}
	return nil
}

// contentTables have the records in an account that its deletion counts.
var contentTables = []struct{ kind, query string }{
	{"execution", `SELECT COUNT(*) FROM executions WHERE user_id = $1 AND account = $2`},
	{"trade", `SELECT COUNT(*) FROM trades WHERE user_id = $1 AND account = $2`},
	{"cash_transaction", `SELECT COUNT(*) FROM cash_transactions WHERE user_id = $1 AND account = $2`},
	{"import", `SELECT COUNT(DISTINCT batch_id) FROM import_spans WHERE user_id = $1 AND account = $2`},
}

// countContents counts the records in an account by type.
func countContents(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account) (map[string]int, error) {
	counts := map[string]int{}
	for _, t := range contentTables {
		var n int
		if err := tx.QueryRow(ctx, t.query, owner, a.number).Scan(&n); err != nil {
			return nil, err
		}
		if n > 0 {
			counts[t.kind] = n
		}
	}
	return counts, nil
}

func (s *Service) accountUndoer() history.Undoer {
	r := &history.Records[Account]{Type: accountHistory, Tables: []string{"accounts"}}
	r.Load = func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]Account, error) {
		found := map[string]Account{}
		err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
			a, err := scanAccount(row)
			found[string(a.ID)] = a
			return err
		}, `SELECT `+accountColumns+` FROM accounts WHERE user_id = $1 AND id IN $keys ORDER BY id`+tx.Lock(), owner)
		return found, err
	}
	r.Save = func(ctx context.Context, tx *db.Tx, owner journal.UserID, before, after []Account) error {
		for i := range after {
			after[i].UpdatedAt = s.clock()
			if err := checkCurrencyChange(ctx, tx, owner, before[i], after[i]); err != nil {
				return err
			}
			if err := storeAccount(ctx, tx, owner, after[i]); err != nil {
				return err
			}
			if _, err := touch(ctx, tx, owner, after[i].ID, nil, false); err != nil {
				return err
			}
		}
		return nil
	}
	r.FindUser = func(ctx context.Context, u *history.Undoing, a *Account) (history.Key, error) {
		return findContent(ctx, u, *a)
	}
	r.Remove = func(ctx context.Context, tx *db.Tx, owner journal.UserID, a *Account) error {
		return s.deleteAccount(ctx, tx, owner, *a)
	}
	return &accountUndoer{r, s}
}

// findContent returns a record of the newest later change to an account, if the account
// contains anything.
func findContent(ctx context.Context, u *history.Undoing, a Account) (history.Key, error) {
	counts, err := countContents(ctx, u.Tx, u.Owner, a)
	if err != nil || len(counts) == 0 {
		return history.Key{}, err
	}
	later, err := u.LaterChanges(ctx, a.ID)
	if err != nil || len(later) == 0 {
		return history.Key{}, err
	}
	o := later[0].Objects[0]
	return history.Key{Type: o.Type, ID: o.ID}, nil
}

// accountUndoer undoes changes to accounts. A deleted account comes back with everything in
// it, and goes with it again.
type accountUndoer struct {
	*history.Records[Account]
	ledger *Service
}

// Apply implements [history.Undoer].
func (a *accountUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	switch phase {
	case history.Restoring:
		return a.restore(ctx, u, objects)
	case history.Reverting:
		return a.Records.Apply(ctx, u, objects, phase)
	case history.Removing:
	}
	for _, o := range objects {
		if o.Action == history.Deleted { // everything in it is as before
			if err := a.ledger.reapplyActions(ctx, u.Tx, u.Owner, journal.AccountID(o.ID)); err != nil {
				return err
			}
		}
		if o.Action != history.Created {
			continue
		}
		account, err := LockAccount(ctx, u.Tx, u.Owner, journal.AccountID(o.ID))
		if o.IsBrought && journal.IsKind(err, journal.KindNotFound) {
			continue // deleted since
		}
		if err != nil {
			return err
		}
		if err := a.ledger.deleteAccount(ctx, u.Tx, u.Owner, account); err != nil {
			return err
		}
	}
	return nil
}

// restore inserts the kept rows of deleted accounts.
func (a *accountUndoer) restore(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	isDeleted := func(o history.Object) bool { return o.Action == history.Deleted }
	if !slices.ContainsFunc(objects, isDeleted) {
		return nil
	}
	numbers, err := freeNumbers(ctx, u)
	if err != nil {
		return err
	}
	for _, t := range keptTables {
		u.MarkInserted(t.name)
		err := u.EachKept(t.name, func(rows history.KeptRows) error {
			rows = rows.Select(func(i int) bool { return numbers.hasRow(u, rows.Value(i, t.column)) })
			numbers.replace(rows)
			u.SetUpdated(rows)
			_, err := u.Tx.InsertRows(ctx, t.name, rows.Columns, rows.Rows, "")
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, o := range objects {
		if o.Action == history.Deleted {
			if err := a.restoreContents(ctx, u, journal.AccountID(o.ID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// restoreContents makes other domains restore what they had of an account, and records it.
func (a *accountUndoer) restoreContents(ctx context.Context, u *history.Undoing, id journal.AccountID) error {
	account, err := LockAccount(ctx, u.Tx, u.Owner, id)
	if err != nil {
		return err
	}
	contains, err := countContents(ctx, u.Tx, u.Owner, account)
	if err != nil {
		return err
	}
	accountHistory.CreatedWith(u.Tx, u.Owner, &account, contains)
	if _, err := touch(ctx, u.Tx, u.Owner, id, nil, true); err != nil {
		return err
	}
	return a.ledger.follow.call(ctx, u.Tx, u.Owner, TradeChanges{Account: id, AccountRestored: u})
}

// restoredNumbers are the numbers of restored accounts by those that they had, and by how
// much the numbers of their streams are shifted: other accounts may have taken them.
type restoredNumbers struct {
	accounts map[int64]int64
	shift    int64
}

// freeNumbers returns the numbers for restored accounts.
func freeNumbers(ctx context.Context, u *history.Undoing) (restoredNumbers, error) {
	numbers := restoredNumbers{accounts: map[int64]int64{}}
	first, last := int64(math.MaxInt64), int64(-1)
	for _, table := range []string{"accounts", "streams"} {
		account, fn := "id", func(n int64) { numbers.accounts[n] = n }
		if table == "streams" {
			account, fn = "account", func(n int64) { first, last = min(first, n), max(last, n) }
		}
		err := u.EachKept(table, func(rows history.KeptRows) error {
			for i := range rows.Rows {
				if n, _ := rows.Value(i, "number").(int64); numbers.hasRow(u, rows.Value(i, account)) {
					fn(n)
				}
			}
			return nil
		})
		if err != nil {
			return numbers, err
		}
	}
	taken, err := db.List(ctx, u.Tx, db.Single[int64], `SELECT number FROM accounts WHERE user_id = $1 ORDER BY number`, u.Owner)
	if err != nil {
		return numbers, err
	}
	next := int64(1)
	for _, n := range slices.Concat(taken, slices.Collect(maps.Keys(numbers.accounts))) {
		next = max(next, n+1)
	}
	for _, n := range taken {
		if _, wanted := numbers.accounts[n]; wanted {
			numbers.accounts[n] = next
			next++
		}
	}
	if last < 0 {
		return numbers, nil
	}
	var nextStream int64
	var streamsTaken bool
	err = u.Tx.QueryRow(ctx, `
		SELECT COALESCE(MAX(next_stream), 0), EXISTS (SELECT 1 FROM streams WHERE user_id = $1 AND number >= $2 AND number <= $3)
		FROM accounts WHERE user_id = $1`, u.Owner, first, last).Scan(&nextStream, &streamsTaken)
	if streamsTaken {
		numbers.shift = (max(nextStream, last) + streamBlock) / streamBlock * streamBlock
	}
	return numbers, err
}

// hasRow reports whether a row is of a restored account, which it names by number or id.
func (n restoredNumbers) hasRow(u *history.Undoing, account any) bool {
	switch account := account.(type) {
	case int64:
		_, found := n.accounts[account]
		return found
	case string:
		return u.HasAction(history.Key{Type: "account", ID: account}, history.Deleted)
	}
	return false
}

// streamNumbers are the columns with numbers of streams, by table.
var streamNumbers = map[string][]string{
	"accounts":          {"next_stream"},
	"streams":           {"number"},
	"executions":        {"stream", "stated"},
	"trades":            {"stream", "shown"},
	"trade_checkpoints": {"stream"},
}

// replace sets the numbers of accounts and streams in kept rows.
func (n restoredNumbers) replace(rows history.KeptRows) {
	account := func(old int64) int64 { return n.accounts[old] }
	stream := func(old int64) int64 { return old + n.shift }
	for i, column := range rows.Columns {
		var next func(int64) int64
		switch {
		case column == "account" || rows.Table == "accounts" && column == "number":
			next = account
		case slices.Contains(streamNumbers[rows.Table], column):
			next = stream
		default:
			continue
		}
		for _, row := range rows.Rows {
			if old, ok := row[i].(int64); ok {
				row[i] = next(old)
			}
		}
	}
}

// cashUndoer returns the undoer of cash transactions.
func (s *Service) cashUndoer() history.Undoer {
	r := &history.Records[cashRow]{Type: cashHistory, Tables: []string{"cash_transactions"}, Adapt: setCashAccounts}
	r.Load = func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]cashRow, error) {
		accounts, err := Accounts(ctx, tx, owner)
		if err != nil {
			return nil, err
		}
		found := map[string]cashRow{}
		err = db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
			var c cashRow
			err := cashTable.Scan(row, &c)
			if at := slices.IndexFunc(accounts, func(a Account) bool { return a.number == c.account }); at >= 0 {
				c.Account = accounts[at].ID
				found[string(c.ID)] = c
			}
			return err
		}, cashSelect+` WHERE user_id = $1 AND id IN $keys ORDER BY id`+tx.Lock(), owner)
		return found, err
	}
	r.Save = func(ctx context.Context, tx *db.Tx, owner journal.UserID, _, after []cashRow) error {
		for i := range after {
			if _, err := tx.Exec(ctx, cashTable.Update(), cashTable.UpdateValues(owner, &after[i])...); err != nil {
				return err
			}
		}
		return nil
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *cashRow) error {
		record := after
		if after == nil {
			record = before
		}
		return s.withBook(ctx, u.Tx, u.Owner, record.Account, func(b *book) error {
			switch {
			case before == nil:
				return b.cash().forgetMark(ctx, record.Cash)
			case after == nil:
				return b.insertKept(ctx, u, "deleted_cash")
			}
			return nil
		})
	}
	return cashUndoer{r}
}

// setCashAccounts sets the numbers of accounts in kept cash rows: an account that was deleted
// and came back since may have another one.
func setCashAccounts(ctx context.Context, u *history.Undoing, rows history.KeptRows) (history.KeptRows, error) {
	accounts, err := Accounts(ctx, u.Tx, u.Owner)
	if err != nil {
		return rows, err
	}
	numbers := map[journal.AccountID]int64{}
	for _, a := range accounts {
		numbers[a.ID] = a.number
	}
	of := map[any]journal.AccountID{}
	for _, o := range u.Change.Objects {
		if o.Type == "cash_transaction" {
			of[o.ID] = o.Account
		}
	}
	for i := range rows.Rows {
		rows.SetValue(i, "account", numbers[of[rows.Value(i, "id")]])
	}
	return rows, nil
}

// cashUndoer undoes changes to cash transactions, whose accounts may be gone.
type cashUndoer struct{ *history.Records[cashRow] }

// Check implements [history.Undoer].
func (c cashUndoer) Check(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	for _, o := range objects {
		if o.Action != history.Deleted {
			continue
		}
		missing, err := history.FindMissing(ctx, u, "account", "accounts", string(o.Account))
		if err != nil {
			return err
		}
		if missing != (history.Key{}) {
			u.AddConflict(missing, "")
		}
	}
	return c.Records.Check(ctx, u, objects)
}

// forgetMark removes the mark that a cash transaction was deleted by hand.
func (l *cashLedger) forgetMark(ctx context.Context, c Cash) error {
	mark := newDeletedCash(&c, 0)
	found, err := db.List(ctx, l.tx, scanDeletedCash, deletedCashSelect+`AND content = $3 AND occurred_at = $4 ORDER BY id DESC`+db.Limit(5),
		l.owner, l.account.number, mark.content, mark.at, 1)
	if err != nil || len(found) == 0 {
		return err
	}
	return l.forgetDeletedCash(ctx, []*deletedCash{&found[0]})
}
