package demo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/bars"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/strategybook"
)

// The demo user. The password is public: a demo served beyond the loopback address is
// open to everyone.
const (
	Email    = "demo@example.org"
	Password = "fillbook-demo"
)

// Services are the services storing a story.
type Services struct {
	DB       *db.DB
	Clock    journal.Clock
	Identity *identity.Service // for Seed only
	Ledger   *ledger.Service
	Playbook *playbook.Service
	Bars     *bars.Service // nil stores no price bars
}

// Seed creates the demo user, an owner of the installation, with a journal ending today
// or yesterday. It keeps an existing journal, and reports whether it wrote one.
func Seed(ctx context.Context, s Services) (wrote bool, err error) {
	return seedWith(ctx, s, Compose)
}

func seedWith(ctx context.Context, s Services, compose func(last journal.Day) Story) (wrote bool, err error) {
	owner, err := demoUser(ctx, s.Identity)
	if err != nil {
		return false, err
	}
	accounts, err := s.Ledger.Accounts(ctx, owner)
	if err != nil || len(accounts) > 0 {
		return false, err
	}
	err = Fill(ctx, s, owner, compose(LastDay(s.Clock())))
	if errors.Is(err, errFull) {
		return false, nil
	}
	return err == nil, err
}

func demoUser(ctx context.Context, people *identity.Service) (journal.UserID, error) {
	users, err := people.Users(ctx)
	if err != nil {
		return 0, err
	}
	for _, u := range users {
		if u.Email == Email {
			return u.ID, nil
		}
	}
	created, err := people.CreateUserByOperator(ctx, Email, secrets.Secret(Password), true)
	return created.ID, err
}

// LastDay returns the last day for a story generated at an instant: that day if none of
// it would be in the future, else the day before.
func LastDay(now time.Time) journal.Day {
	return journal.DayOf(now.UTC().Add(-dayEnds * time.Hour))
}

// errFull is the cause of the error for a user who already has a journal.
var errFull = errors.New("the journal is not empty")

// Fill stores a story as the journal of a user without accounts; for any other user it
// returns a conflict and writes nothing. Everything except the pictures and the price
// bars is written in one transaction. Records have the story's times, not the time of
// storing.
func Fill(ctx context.Context, s Services, owner journal.UserID, story Story) error {
	var w *writer
	err := s.DB.Update(ctx, func(tx *db.Tx) error {
		w = newWriter(ctx, s, tx, owner, story)
		return w.write()
	})
	if err != nil {
		return fmt.Errorf("writing the demo journal: %w", err)
	}
	for _, a := range story.Accounts {
		for _, p := range a.Pictures {
			target := playbook.Target{Trade: w.trades[p.Opening]}
			upload := playbook.Upload{Name: p.Name, MediaType: "image/png", Content: bytes.NewReader(p.PNG)}
			if _, err := s.Playbook.Attach(ctx, owner, target, upload); err != nil {
				return fmt.Errorf("attaching %s: %w", p.Name, err)
			}
		}
	}
	if s.Bars == nil {
		return nil
	}
	if _, _, err := s.Bars.Commit(ctx, owner, story.toImport(barsLayout)); err != nil {
		return fmt.Errorf("storing the price bars: %w", err)
	}
	return nil
}

// writer writes a story in one transaction.
type writer struct {
	Services
	ctx      context.Context
	tx       *db.Tx
	owner    journal.UserID
	story    Story
	accounts map[string]journal.AccountID
	setups   map[string]journal.SetupID
	tags     map[string]journal.TagID
	trades   map[string]journal.TradeID // by the opening fill's external id
	// setupNames and tagNames are the stored names that differ from the story's.
	setupNames, tagNames map[string]string
}

func newWriter(ctx context.Context, s Services, tx *db.Tx, owner journal.UserID, story Story) *writer {
	return &writer{
		Services: s, ctx: ctx, tx: tx, owner: owner, story: story,
		accounts: map[string]journal.AccountID{}, trades: map[string]journal.TradeID{},
		setups: map[string]journal.SetupID{}, tags: map[string]journal.TagID{},
	}
}

func (w *writer) write() error {
	// The routine comes first, because it makes a second writer wait.
	if err := w.writeRoutine(); err != nil {
		return err
	}
	there, err := ledger.Accounts(w.ctx, w.tx, w.owner)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		refusal := journal.Conflict("This user has a journal already.")
		refusal.Err = errFull
		return refusal
	}
	for _, step := range []func() error{w.writePlaybook, w.writeAccounts, w.writeNotes, w.writeMissed, w.writeRules, w.writeEnrollments} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// began is the creation time for records without a date.
func (w *writer) began() time.Time { return w.story.First.Time() }

func (w *writer) writePlaybook() error {
	setups := make([]playbook.NewSetup, len(w.story.Setups))
	for i, s := range w.story.Setups {
		setups[i] = playbook.NewSetup{CreatedAt: w.began(), SetupChange: playbook.SetupChange{
			Name: journal.Some(s.Name), Description: journal.Some(s.Description), Thesis: journal.Some(s.Thesis),
			Direction: journal.Some(playbook.Direction(s.Direction)), Checklist: journal.Some(s.Checklist),
		}}
	}
	setupsDone, err := playbook.UpsertSetups(w.ctx, w.tx, w.owner, w.began(), setups)
	if err := cmp.Or(err, playbook.FirstRefusal(setupsDone)); err != nil {
		return err
	}
	for i, done := range setupsDone {
		w.setups[w.story.Setups[i].Name] = done.ID
	}
	tags := make([]playbook.NewTag, len(w.story.Tags))
	for i, t := range w.story.Tags {
		kind := playbook.CustomTag
		if t.Mistake {
			kind = playbook.MistakeTag
		}
		tags[i] = playbook.NewTag{CreatedAt: w.began(), TagChange: playbook.TagChange{
			Name: journal.Some(t.Name), Color: journal.Some(t.Color), Description: journal.Some(t.Description), Kind: journal.Some(kind),
		}}
	}
	tagsDone, err := playbook.EnsureTags(w.ctx, w.tx, w.owner, tags)
	for i, done := range tagsDone {
		w.tags[w.story.Tags[i].Name] = done.ID
	}
	return cmp.Or(err, playbook.FirstRefusal(tagsDone))
}

func (w *writer) writeAccounts() error {
	for _, a := range w.story.Accounts {
		created, err := ledger.CreateAccount(w.ctx, w.tx, w.owner, w.began(), a.NewAccount)
		if err != nil {
			return err
		}
		if err := w.writeRecords(a, created.ID); err != nil {
			return err
		}
	}
	return nil
}

// writeRecords stores an account's fills, cash and annotations.
func (w *writer) writeRecords(a Account, id journal.AccountID) error {
	w.accounts[a.Name] = id
	for _, step := range []func(Account) error{w.writeFills, w.writeCash, w.writeAnnotations, w.writeSpreads} {
		if err := step(a); err != nil {
			return err
		}
	}
	return nil
}

// writeFills stores an account's fills and records their trades. A fill opening a trade
// belongs to it, and possibly to an earlier one it closes.
func (w *writer) writeFills(a Account) error {
	result, err := w.Ledger.InsertFills(w.ctx, w.tx, w.owner, w.accounts[a.Name], "", a.Fills)
	if err != nil {
		return err
	}
	for i, o := range result.Outcomes {
		w.trades[a.Fills[i].ExternalID] = o.Trades[len(o.Trades)-1]
	}
	return nil
}

func (w *writer) writeCash(a Account) error {
	list := make([]ledger.NewCash, len(a.Cash))
	for i, c := range a.Cash {
		list[i] = c.NewCash
		if c.Opening != "" {
			trade := w.trades[c.Opening]
			list[i].Trade = &trade
		}
	}
	_, err := w.Ledger.InsertCash(w.ctx, w.tx, w.owner, w.accounts[a.Name], list, ledger.CashOptions{})
	return err
}

func (w *writer) writeAnnotations(a Account) error {
	list := make([]playbook.Annotations, len(a.Annotations))
	for i, m := range a.Annotations {
		at := m.ReviewedAt
		if at.IsZero() {
			at = w.Clock()
		}
		var err error
		trade := w.trades[m.Opening]
		if list[i], err = playbook.NewAnnotations(trade, w.accounts[a.Name], w.change(m), playbook.PricesAboveZero, at); err != nil {
			return err
		}
	}
	_, err := playbook.MergeAnnotations(w.ctx, w.tx, w.owner, w.Clock(), list)
	return err
}

// writeSpreads stores an account's accepted strategies.
func (w *writer) writeSpreads(a Account) error {
	list := make([]strategybook.Record, len(a.Spreads))
	for i, s := range a.Spreads {
		r := &list[i]
		r.State, r.Evidence, r.CreatedAt = strategies.Accepted, strategies.ByOrder, s.At
		for _, opening := range s.Openings {
			trade := w.trades[opening]
			keys, err := ledger.StrategyFillKeys(w.ctx, w.tx, w.owner, trade, maxSpreadKeys)
			if err != nil {
				return err
			}
			r.Members = append(r.Members, strategies.Decided{Trade: trade, Keys: keys})
		}
		at := slices.IndexFunc(a.Fills, func(f ledger.NewFill) bool { return f.ExternalID == s.Openings[0] })
		r.Underlying = a.Fills[at].Symbol
	}
	_, refusals, err := strategybook.Restore(w.ctx, w.tx, w.owner, w.accounts[a.Name], w.Clock(), list)
	for _, refusal := range refusals {
		err = cmp.Or(err, refusal)
	}
	return err
}

// maxSpreadKeys is how many keys of a trade's fills a strategy keeps.
const maxSpreadKeys = 100

// change converts annotations to the playbook's type.
func (w *writer) change(m Annotations) playbook.AnnotationChange {
	c := playbook.AnnotationChange{
		ValueChange: playbook.ValueChange{
			Notes: journal.Some(m.Notes), EmotionalState: journal.Some(m.Mood),
			InitialRisk: opt(m.Risk), StopPrice: opt(m.Stop), TargetPrice: opt(m.Target), MAE: opt(m.Worst), MFE: opt(m.Best),
			Confidence: grade(m.Confidence), TradeQuality: grade(m.Quality),
		},
		Reviewed: journal.Some(!m.ReviewedAt.IsZero()),
	}
	for _, name := range m.Setups {
		c.Setups = journal.Some(append(c.Setups.Value, w.setups[w.storedSetup(name)]))
	}
	for _, answer := range m.Rules {
		tick := playbook.RuleChange{Setup: w.setups[w.storedSetup(m.Setups[0])], Rule: answer.Rule, State: answer.State}
		c.Rules = journal.Some(append(c.Rules.Value, tick))
	}
	for _, name := range m.Tags {
		c.Tags = journal.Some(append(c.Tags.Value, w.tags[cmp.Or(w.tagNames[name], name)]))
	}
	return c
}

func (w *writer) storedSetup(name string) string { return cmp.Or(w.setupNames[name], name) }

func opt(n decimal.Null) journal.Opt[decimal.Decimal] {
	return journal.Opt[decimal.Decimal]{Set: true, Null: !n.Valid, Value: n.Decimal}
}

func grade(n int) journal.Opt[int] { return journal.Opt[int]{Set: true, Null: n == 0, Value: n} }

func (w *writer) writeNotes() error {
	notes := make([]playbook.NewNote, len(w.story.Notes))
	for i, n := range w.story.Notes {
		change := playbook.NoteChange{
			Type: journal.Some(playbook.NoteType(n.Type)), OccurredAt: journal.Some(playbook.MomentOf(n.Day)),
			Title: journal.Some(n.Title), Body: journal.Some(n.Body),
		}
		for _, s := range n.Symbols {
			change.Symbols = journal.Some(append(change.Symbols.Value, playbook.SymbolNote(s)))
		}
		if n.Account != "" {
			change.Account = journal.Some(w.accounts[n.Account])
		}
		notes[i] = playbook.NewNote{NoteChange: change, CreatedAt: n.Day.Time().Add(dayEnds * time.Hour)}
	}
	done, err := playbook.RestoreNotes(w.ctx, w.tx, w.owner, notes)
	return cmp.Or(err, playbook.FirstRefusal(done))
}

func (w *writer) writeMissed() error {
	var list []playbook.Missed
	for _, m := range w.story.Missed {
		change := playbook.MissedChange{
			Symbol: journal.Some(m.Symbol), Direction: journal.Some(playbook.Short), ObservedAt: journal.Some(m.At),
			Entry: opt(m.Entry), Stop: opt(m.Stop), Target: opt(m.Target), Reason: journal.Some(playbook.Reason(m.Reason)),
			Outcome: journal.Some(playbook.Outcome(m.Outcome)), Notes: journal.Some(m.Notes),
		}
		if m.Long {
			change.Direction = journal.Some(playbook.Long)
		}
		if m.Account != "" {
			change.Account = journal.Some(w.accounts[m.Account])
		}
		if m.Setup != "" {
			change.Setup = journal.Some(w.setups[m.Setup])
		}
		missed, err := playbook.NewMissed(change, m.At)
		if err != nil {
			return fmt.Errorf("missed trade of %s: %w", m.At, err)
		}
		list = append(list, missed)
	}
	_, err := playbook.RestoreMissed(w.ctx, w.tx, w.owner, w.began(), list)
	return err
}

// writeRoutine stores the items with their ticks, like a restored backup.
func (w *writer) writeRoutine() error {
	var archive routine.Archive
	places := map[string]int{}
	for _, r := range w.story.Routine {
		days, err := routine.NewWeekdays(r.Weekdays...)
		if err != nil {
			return err
		}
		id := journal.NewID[journal.RoutineID]()
		item := routine.Item{
			ID: id, Chain: id, EndDay: r.End,
			ItemValues: routine.ItemValues{
				Title: r.Title, Stage: routine.Stage(r.Stage), Weekdays: days, Position: places[r.Stage], StartDay: r.Start,
			},
		}
		if last := len(archive.Items) - 1; r.Follows {
			item.Chain, item.Position = archive.Items[last].Chain, archive.Items[last].Position
		} else {
			places[r.Stage]++
		}
		archive.Items = append(archive.Items, item)
		for _, day := range r.Done {
			archive.Ticks = append(archive.Ticks, routine.Tick{Item: id, Day: day})
		}
	}
	_, err := routine.Restore(w.ctx, w.tx, w.owner, archive, w.began())
	return err
}
