package ledger

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Purpose states what a scope's rows are used for.
type Purpose int

const (
	// ToList means that rows are listed, each with its own currency.
	ToList Purpose = iota
	// ToSum means that several accounts' amounts are added up.
	ToSum
	// ToConvert means that all amounts are converted into one currency.
	ToConvert
	// ToCount means that amounts are not added up.
	ToCount
)

// ListPurpose returns the purpose of a list with a scope.
func ListPurpose(scope journal.Scope) Purpose {
	if scope.Mixed {
		return ToConvert
	}
	return ToList
}

// ResolveScope returns a query's accounts, oldest first: those with the given ids, or all
// if ids is empty. An id that is not the owner's is not found. Accounts that are named,
// or whose amounts are added up, must share one currency, unless they are converted.
func ResolveScope(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.AccountID, purpose Purpose) ([]Account, error) {
	all, err := Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	return SelectAccounts(all, ids, purpose)
}

// SelectAccounts is [ResolveScope] for the owner's accounts, which were read before.
func SelectAccounts(all []Account, ids []journal.AccountID, purpose Purpose) ([]Account, error) {
	named := all
	if len(ids) > 0 {
		named = slices.DeleteFunc(slices.Clone(all), func(a Account) bool { return !slices.Contains(ids, a.ID) })
		for _, id := range ids {
			if !slices.ContainsFunc(named, func(a Account) bool { return a.ID == id }) {
				return nil, journal.NotFound("account")
			}
		}
	}
	if purpose == ToSum || len(ids) > 0 && purpose == ToList {
		return named, checkOneCurrency(named)
	}
	return named, nil
}

func checkOneCurrency(accounts []Account) error {
	for _, a := range accounts {
		if a.BaseCurrency != accounts[0].BaseCurrency {
			return &journal.Error{
				Kind: journal.KindInvalid, Code: "mixed_currencies",
				Message: "The accounts have different base currencies; choose accounts that share one.",
			}
		}
	}
	return nil
}

// resolveList checks a list's scope and returns its accounts.
func resolveList(ctx context.Context, tx *db.Tx, owner journal.UserID, scope journal.Scope) ([]Account, error) {
	if err := scope.Period.Check(); err != nil {
		return nil, err
	}
	return ResolveScope(ctx, tx, owner, scope.Accounts, ListPurpose(scope))
}

// indexByNumber returns accounts by their number, which rows refer to.
func indexByNumber(accounts []Account) map[int64]Account {
	found := make(map[int64]Account, len(accounts))
	for _, a := range accounts {
		found[a.number] = a
	}
	return found
}

// maxBranches bounds how many accounts have their own branch in a query.
const maxBranches = 60

// filter collects a query's conditions and its arguments.
type filter struct {
	args  []any
	terms []string
	// ranks are the account name ranks, and rank is the expression for the query's
	// current part.
	ranks nameRanks
	rank  string
}

// arg adds an argument and returns its placeholder.
func (f *filter) arg(value any) string {
	f.args = append(f.args, value)
	return "$" + strconv.Itoa(len(f.args))
}

// addCondition adds a condition that ends with a placeholder for value.
func (f *filter) addCondition(condition string, value any) {
	f.terms = append(f.terms, condition+" "+f.arg(value))
}

// addIn adds the condition that a column equals any value.
func addIn[T any](f *filter, column string, values []T) {
	f.terms = append(f.terms, column+" IN "+db.In(&f.args, values))
}

// addPeriod adds a period's conditions for an instant column.
func (f *filter) addPeriod(column string, period journal.Period) {
	if period.From != nil {
		f.addCondition(column+" >=", db.Micros(*period.From))
	}
	if period.To != nil {
		f.addCondition(column+" <=", db.Micros(*period.To))
	}
}

// selection is a SELECT for an owner's accounts in one table. head is its text up to the
// WHERE.
type selection struct {
	table    string
	owner    journal.UserID
	accounts []Account
	head     string
	where    func(*filter)
}

// parts returns one SELECT for each account, so each can be read in index order. Above
// maxBranches accounts it returns a single SELECT.
func (s selection) parts(f *filter) []string {
	groups := slices.Collect(slices.Chunk(s.accounts, 1))
	if len(s.accounts) > maxBranches {
		groups = [][]Account{s.accounts}
	}
	f.ranks = rankNames(s.accounts)
	parts := make([]string, 0, len(groups))
	for _, group := range groups {
		f.terms, f.rank = nil, f.ranks.expression(s.table, group)
		f.addCondition(s.table+".user_id =", s.owner)
		if len(group) == 1 {
			f.addCondition(s.table+".account =", group[0].number)
		} else {
			addIn(f, s.table+".account", accountNumbers(group))
		}
		s.where(f)
		parts = append(parts, setRank(s.head, f.rank)+" WHERE "+strings.Join(f.terms, " AND "))
	}
	return parts
}

func accountNumbers(accounts []Account) []int64 {
	numbers := make([]int64, len(accounts))
	for i, a := range accounts {
		numbers[i] = a.number
	}
	return numbers
}

// unionQuery returns the query for all rows, in no order.
func (s selection) unionQuery(f *filter) string { return strings.Join(s.parts(f), " UNION ALL ") }

// orderedQuery returns the query in index order, for at most limit rows; 0 means all.
// With a limit the cost does not depend on the table's size.
func (s selection) orderedQuery(tx *db.Tx, f *filter, order string, limit int) string {
	parts := s.parts(f)
	if limit == 0 {
		return strings.Join(parts, " UNION ALL ") + " ORDER BY " + order
	}
	f.args = append(f.args, limit)
	return tx.Merged(parts, order, len(f.args))
}
