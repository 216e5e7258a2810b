package demo

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// The demo account, which a user adds to their own journal. It is recognized by its
// broker, whatever else the owner changes.
const (
	AccountName   = "Demo journal"
	AccountBroker = "Made up by Fillbook"
)

// AddAccount creates an account with the story except the routine, which is the user's own
// checklist and neither replaced nor extended, and the enrollment, which is in a program
// for one of the accounts that are joined here. Rules and goals apply to this account
// only. It is one transaction. What it adds is deleted with the account; see [Samples].
// Setups and tags whose names are taken get other names, so the user's own are not
// changed. A user can have one such account; a second is refused.
func AddAccount(ctx context.Context, s Services, owner journal.UserID) (created ledger.Account, err error) {
	if err := refuseSecond(ctx, s, owner); err != nil { // before the work; checked again below
		return ledger.Account{}, err
	}
	story := Compose(LastDay(s.Clock())).join()
	pictures, err := preparePictures(ctx, s, owner, story.Accounts[0].Pictures)
	if err != nil {
		return ledger.Account{}, fmt.Errorf("storing the demo journal's pictures: %w", err)
	}
	err = s.DB.UpdateInParts(ctx, int64(owner), func(tx *db.Tx) error {
		created, err = newWriter(ctx, s, tx, owner, story).addAccount(pictures)
		return err
	})
	if err != nil {
		s.Playbook.RemovePrepared(ctx, owner, pictures)
		return ledger.Account{}, fmt.Errorf("adding the demo journal: %w", err)
	}
	return created, nil
}

// Samples returns which of the user's records came with a demo account; false for any
// other account.
func Samples(a ledger.Account) (playbook.Samples, bool) {
	return playbook.Samples{Account: a.ID, Added: a.CreatedAt, Began: firstDay(LastDay(a.CreatedAt)).Time()}, isDemo(a)
}

// ForgetBars deletes the price bars that came with a demo account. It is a step.
func ForgetBars(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	return bars.ReverseLayout(ctx, tx, owner, bars.SampleLayout)
}

func preparePictures(ctx context.Context, s Services, owner journal.UserID, list []Picture) (prepared []playbook.PreparedFile, err error) {
	for _, p := range list {
		file, err := s.Playbook.PrepareFile(ctx, owner, playbook.Upload{Name: p.Name, MediaType: "image/png", Content: bytes.NewReader(p.PNG)})
		if err != nil {
			s.Playbook.RemovePrepared(ctx, owner, prepared)
			return nil, err
		}
		prepared = append(prepared, file)
	}
	return prepared, nil
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
func (w *writer) addAccount(pictures []playbook.PreparedFile) (ledger.Account, error) {
	a := w.story.Accounts[0]
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
	w.story.First = firstDay(LastDay(created.CreatedAt)) // as Samples computes it
	for _, step := range []func() error{
		w.avoidNames, w.writePlaybook,
		func() error { return w.writeRecords(a, created.ID) },
		w.writeNotes, w.writeMissed,
		func() error { w.limitRules(created.ID); return w.writeRules() },
		func() error { return w.writePictures(a.Pictures, pictures) },
	} {
		if err := step(); err != nil {
			return created, err
		}
	}
	if w.Bars == nil {
		return created, nil
	}
	_, _, err = w.Bars.Add(w.ctx, w.tx, w.owner, w.story.toImport(bars.SampleLayout))
	return created, err
}

func (w *writer) writePictures(list []Picture, prepared []playbook.PreparedFile) error {
	for i, p := range list {
		if err := w.Playbook.AttachPrepared(w.ctx, w.tx, w.owner, w.trades[p.Opening], prepared[i]); err != nil {
			return err
		}
	}
	return nil
}

// limitRules limits the story's rules and goals to an account.
func (w *writer) limitRules(id journal.AccountID) {
	accounts := []journal.AccountID{id}
	w.story.Rules, w.story.Goals = slices.Clone(w.story.Rules), slices.Clone(w.story.Goals)
	for i := range w.story.Rules {
		w.story.Rules[i].Accounts = accounts
	}
	for i := range w.story.Goals {
		w.story.Goals[i].Accounts = accounts
	}
}

// avoidNames renames the story's setups and tags whose names the user has.
func (w *writer) avoidNames() error {
	setups, tags, err := playbook.ListNames(w.ctx, w.tx, w.owner)
	if err != nil {
		return err
	}
	story := &w.story
	names := map[string]string{}
	story.Setups = slices.Clone(story.Setups)
	for i := range story.Setups {
		rename(&story.Setups[i].Name, setups, names)
	}
	story.Missed = slices.Clone(story.Missed)
	for i := range story.Missed {
		story.Missed[i].Setup = cmp.Or(names[story.Missed[i].Setup], story.Missed[i].Setup)
	}
	w.setupNames = names
	w.tagNames = map[string]string{}
	story.Tags = slices.Clone(story.Tags)
	for i := range story.Tags {
		rename(&story.Tags[i].Name, tags, w.tagNames)
	}
	return nil
}

// rename changes a name that is taken and adds the change to names.
func rename(name *string, taken []string, names map[string]string) {
	isTaken := func(name string) bool {
		return slices.ContainsFunc(taken, func(other string) bool { return strings.EqualFold(name, other) })
	}
	old := *name
	for n := 1; isTaken(*name); n++ {
		*name = fmt.Sprintf("%s (demo %d)", old, n)
		names[old] = *name
	}
}

// join merges a journal's accounts into one, which all notes and missed trades name.
func (s Story) join() Story {
	all := Account{NewAccount: ledger.NewAccount{Name: AccountName, Broker: AccountBroker, Type: "paper", BaseCurrency: "USD"}}
	for _, a := range s.Accounts {
		all.StartingBalance = all.StartingBalance.Add(a.StartingBalance)
		all.Fills = append(all.Fills, a.Fills...)
		all.Cash = append(all.Cash, a.Cash...)
		all.Annotations = append(all.Annotations, a.Annotations...)
		all.Spreads = append(all.Spreads, a.Spreads...)
		all.Pictures = append(all.Pictures, a.Pictures...)
	}
	slices.SortStableFunc(all.Fills, func(a, b ledger.NewFill) int { return a.ExecutedAt.Compare(b.ExecutedAt) })
	s.Accounts = []Account{all}
	s.Routine, s.Enrollments = nil, nil
	s.Notes, s.Missed = slices.Clone(s.Notes), slices.Clone(s.Missed)
	for i := range s.Notes {
		s.Notes[i].Account = AccountName
	}
	for i := range s.Missed {
		s.Missed[i].Account = AccountName
	}
	return s
}
