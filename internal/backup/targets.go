package backup

import (
	"context"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// target is the destination of an account in the file: one of the user's accounts, or a
// new one.
type target struct {
	account ledger.Account // for a new one, its values
	isNew   bool
}

// findTargets finds the file's accounts among the user's. An account is recognized by
// name, broker and currency, ignoring case, and if several share those by its creation
// time; if that is ambiguous, a new account is better than a wrong one. A file without a
// currency means the account with the name and broker, whatever its currency. into, if
// given, takes the file's single account whatever its name.
func findTargets(ctx context.Context, tx *db.Tx, owner journal.UserID, doc *Document, into journal.AccountID) ([]target, error) {
	own, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	if into != "" {
		return findSingleTarget(own, doc, into)
	}
	targets := make([]target, len(doc.Accounts))
	for i, b := range doc.Accounts {
		if journal.IsBlank(b.Account.Name) {
			if b.isEmpty() {
				continue
			}
			return nil, journal.InvalidField("account_id", "The file does not name its account; choose the account that it belongs to.")
		}
		targets[i] = target{account: b.Account.ledger(), isNew: true}
	}
	match(targets, own, func(a ledger.Account) string { return accountKey(a) + a.CreatedAt.String() })
	match(targets, own, accountKey)
	matchNamesakes(targets, own, func(i int) bool { return journal.IsBlank(doc.Accounts[i].Account.BaseCurrency) })
	return targets, nil
}

// matchNamesakes pairs the wanted targets still without an account with the only account
// sharing name and broker, if neither the user nor the file has another.
func matchNamesakes(targets []target, own []ledger.Account, isWanted func(i int) bool) {
	inFile, found := map[string]int{}, map[string][]ledger.Account{}
	for _, t := range targets {
		inFile[namesakeKey(t.account)]++
	}
	for _, a := range own {
		found[namesakeKey(a)] = append(found[namesakeKey(a)], a)
	}
	for i, t := range targets {
		key := namesakeKey(t.account)
		if t.isNew && isWanted(i) && inFile[key] == 1 && len(found[key]) == 1 {
			targets[i] = target{account: found[key][0]}
		}
	}
}

func namesakeKey(a ledger.Account) string { return strings.ToLower(a.Name + "\n" + a.Broker) }

func findSingleTarget(own []ledger.Account, doc *Document, into journal.AccountID) ([]target, error) {
	at := slices.IndexFunc(own, func(a ledger.Account) bool { return a.ID == into })
	if at < 0 {
		return nil, journal.NotFound("account")
	}
	if len(doc.Accounts) != 1 {
		return nil, journal.InvalidField("account_id",
			"The backup holds %d accounts, so it cannot go into one; leave the account out.", len(doc.Accounts))
	}
	currency := doc.Accounts[0].Account.BaseCurrency
	if currency != "" && !strings.EqualFold(currency, own[at].BaseCurrency) {
		return nil, journal.InvalidField("account_id", "The backup is in %s and the account in %s.",
			shorten(strings.ToUpper(currency)), own[at].BaseCurrency)
	}
	return []target{{account: own[at]}}, nil
}

// isEmpty reports whether the account would receive nothing.
func (b Bundle) isEmpty() bool {
	return len(b.Executions)+len(b.Cash)+len(b.Overrides)+len(b.Orphans) == 0
}

// ledger returns the account as the ledger has it, with its defaults.
func (a Account) ledger() ledger.Account {
	out := ledger.Account{
		Name: strings.TrimSpace(a.Name), Broker: strings.TrimSpace(a.Broker), Type: a.Type,
		BaseCurrency: strings.ToUpper(strings.TrimSpace(a.BaseCurrency)), StartingBalance: a.StartingBalance, CreatedAt: a.CreatedAt.Time,
	}
	if out.BaseCurrency == "" {
		out.BaseCurrency = "USD"
	}
	return out
}

func accountKey(a ledger.Account) string {
	return strings.ToLower(a.Name + "\n" + a.Broker + "\n" + a.BaseCurrency + "\n")
}

// match pairs targets still without an account with unpaired accounts, if as many targets
// as accounts share a key. Both are in creation order.
func match(targets []target, own []ledger.Account, key func(ledger.Account) string) {
	taken := map[journal.AccountID]bool{}
	wanted := map[string][]*target{}
	for i := range targets {
		if t := &targets[i]; t.isNew {
			wanted[key(t.account)] = append(wanted[key(t.account)], t)
		} else {
			taken[t.account.ID] = true
		}
	}
	free := map[string][]ledger.Account{}
	for _, a := range own {
		if !taken[a.ID] {
			free[key(a)] = append(free[key(a)], a)
		}
	}
	for k, list := range wanted {
		if len(free[k]) != len(list) {
			continue
		}
		for i, t := range list {
			*t = target{account: free[k][i]}
		}
	}
}

// create makes a new target's account.
func (t target) create(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time) (ledger.Account, error) {
	return ledger.CreateAccount(ctx, tx, owner, Instant{t.account.CreatedAt}.instantOr(now), ledger.NewAccount{
		Name: t.account.Name, Broker: t.account.Broker, Type: t.account.Type, BaseCurrency: t.account.BaseCurrency,
		StartingBalance: t.account.StartingBalance,
	})
}
