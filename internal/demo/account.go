package demo

import (
	"context"
	"fmt"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// The demo account, which a user adds to their own journal. It is recognized by its
// broker, whatever else the owner changes.
const (
	AccountName   = "Demo journal"
	AccountBroker = "Made up by Fillbook"
)

// AddAccount creates an account with the story's trades, in one transaction. It adds only
// what is deleted with the account: fills, cash and annotations. Records belonging to the
// user (setups, tags, notes, missed trades, the routine) are left out, so the user's own
// are not changed. A user can have one such account; a second is refused.
func AddAccount(ctx context.Context, s Services, owner journal.UserID) (created ledger.Account, err error) {
	if err := refuseSecond(ctx, s, owner); err != nil { // before the work; checked again below
		return ledger.Account{}, err
	}
	_, story := composeAccounts(LastDay(s.Clock()), false)
	a := story.joinAccounts()
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		created, err = newWriter(ctx, s, tx, owner, Story{}).addAccount(a)
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

// addAccount writes the account. With two concurrent calls the second waits until the
// first has inserted its account, and then finds two.
func (w *writer) addAccount(a Account) (ledger.Account, error) {
	created, err := ledger.CreateAccount(w.ctx, w.tx, w.owner, w.Clock(), a.NewAccount)
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
	return created, w.writeRecords(a, created.ID)
}

// joinAccounts merges a journal's accounts into one, without setups, their rules and
// tags.
func (s Story) joinAccounts() Account {
	all := Account{NewAccount: ledger.NewAccount{Name: AccountName, Broker: AccountBroker, Type: "paper", BaseCurrency: "USD"}}
	for _, a := range s.Accounts {
		all.StartingBalance = all.StartingBalance.Add(a.StartingBalance)
		all.Fills = append(all.Fills, a.Fills...)
		all.Cash = append(all.Cash, a.Cash...)
		for _, m := range a.Annotations {
			m.Setups, m.Tags, m.Rules = nil, nil, nil
			all.Annotations = append(all.Annotations, m)
		}
	}
	slices.SortStableFunc(all.Fills, func(a, b ledger.NewFill) int { return a.ExecutedAt.Compare(b.ExecutedAt) })
	return all
}
