package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// The demo account that a user adds to their own journal. It is recognized by
// its broker, whatever else the owner changes.
const (
	AccountName   = "Demo journal"
	AccountBroker = "Made up by Fillbook"
)

// AddAccount creates an account with the trades of the story, in one transaction.
// It adds only what is deleted with the account: fills, cash and annotations.
// Records that belong to the user (setups, tags, notes, missed trades, the routine)
// are left out, so that the user's own are not changed. A user can have one such
// account; a second is refused.
func AddAccount(ctx context.Context, s Services, owner journal.UserID) (created ledger.Account, err error) {
	if err := refuseSecond(ctx, s, owner); err != nil { // before the work; checked again below
		return ledger.Account{}, err
	}
	_, story := played(LastDay(s.Clock()), false)
	a := story.together()
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		w := &writer{Services: s, ctx: ctx, tx: tx, owner: owner, story: Story{Accounts: []Account{a}}}
		created, err = w.addAccount(a)
		return err
	})
	if err != nil {
		return ledger.Account{}, fmt.Errorf("adding the demo journal: %w", err)
	}
	return created, nil
}

func refuseSecond(ctx context.Context, s Services, owner journal.UserID) error {
	accounts, err := s.Ledger.Accounts(ctx, owner)
	if err == nil && slices.ContainsFunc(accounts, isDemo) {
		return alreadyThere()
	}
	return err
}

func isDemo(a ledger.Account) bool { return a.Broker == AccountBroker }

func alreadyThere() error {
	return journal.Conflict("You already have a demo account. Delete it to add it again.")
}

// addAccount writes the account. Of two concurrent calls the second waits until
// the first has inserted its account, and then finds two.
func (w *writer) addAccount(a Account) (ledger.Account, error) {
	w.accounts, w.trades = map[string]journal.AccountID{}, map[opening]journal.TradeID{}
	created, err := ledger.CreateAccount(w.ctx, w.tx, w.owner, w.Clock(), ledger.NewAccount{
		Name: a.Name, Broker: a.Broker, Type: a.Type, BaseCurrency: a.Currency, StartingBalance: a.StartingBalance,
	})
	if err != nil {
		return ledger.Account{}, err
	}
	accounts, err := ledger.Accounts(w.ctx, w.tx, w.owner)
	if err != nil {
		return ledger.Account{}, err
	}
	others := slices.DeleteFunc(accounts, func(other ledger.Account) bool { return other.ID == created.ID })
	if slices.ContainsFunc(others, isDemo) {
		return ledger.Account{}, alreadyThere()
	}
	w.accounts[a.Name] = created.ID
	for _, step := range []func(Account) error{w.writeFills, w.writeCash, w.writeAnnotations} {
		if err := step(a); err != nil {
			return ledger.Account{}, err
		}
	}
	return created, nil
}

// together merges the accounts of a story into one, without setups and tags.
func (s Story) together() Account {
	all := Account{Name: AccountName, Broker: AccountBroker, Type: "paper", Currency: s.Accounts[0].Currency}
	for i, a := range s.Accounts {
		// Ids are unique in their account only.
		id := func(fill string) string {
			if fill == "" {
				return ""
			}
			return fmt.Sprintf("%d-%s", i+1, fill)
		}
		all.StartingBalance = all.StartingBalance.Add(a.StartingBalance)
		for _, f := range a.Fills {
			f.ID = id(f.ID)
			all.Fills = append(all.Fills, f)
		}
		for _, c := range a.Cash {
			c.Opening = id(c.Opening)
			all.Cash = append(all.Cash, c)
		}
		for _, m := range a.Annotations {
			m.Opening, m.Setups, m.Tags = id(m.Opening), nil, nil
			all.Annotations = append(all.Annotations, m)
		}
	}
	slices.SortStableFunc(all.Fills, func(a, b Execution) int { return cmp.Compare(a.At.UnixMicro(), b.At.UnixMicro()) })
	return all
}
