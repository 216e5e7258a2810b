package demo

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
	"fillbook/internal/trading/rulebook"
	tradingrules "fillbook/internal/trading/rules"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/strategybook"
)

// stage is an installation for a story.
type stage struct {
	Services
	*testing.T
	routine *routine.Service
	owner   journal.UserID
	story   Story
}

// TestWriting writes the story once on each engine and then checks it from all sides. The
// clock is set so the story is one used by other tests.
func TestWriting(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newStage(t, d)
		s.seed(wroteIt)
		users, err := s.Identity.Users(t.Context())
		if err != nil || len(users) != 1 || !users[0].IsAdmin {
			t.Fatalf("users %+v, %v", users, err)
		}
		s.owner = users[0].ID
		s.checkLedger()
		s.checkAnnotations()
		s.checkCounts()
		s.checkCash()
		s.checkPictures()
		s.checkSpreads()
		s.checkRoutine()
		s.checkOnce()
		s.checkSignIn()
	})
}

// What Seed says.
const (
	wroteIt  = true
	wasThere = false
)

func (s *stage) seed(want bool) {
	s.Helper()
	wrote, err := seedWith(s.Context(), s.Services, func(last journal.Day) Story { return stories()[last] })
	if err != nil || wrote != want {
		s.Fatalf("Seed = %v, %v, want %v", wrote, err, want)
	}
}

func newStage(t *testing.T, d *db.DB) *stage {
	t.Helper()
	now := lastDays[0].Time().Add(23 * time.Hour)
	clock := func() time.Time { return now }
	keys, err := secrets.NewKeys(bytes.Repeat([]byte{7}, secrets.MinRoot))
	if err != nil {
		t.Fatal(err)
	}
	cheap := identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}}
	known := playbook.Known{Account: ledger.CheckAccountOwner, Trade: ledger.LockTrade, InstrumentType: ledger.InstrumentType, AnnotationsChanged: ledger.TouchTrades}
	return &stage{
		T: t, story: stories()[lastDays[0]], routine: routine.New(d, clock, nil),
		Services: Services{
			DB: d, Clock: clock, Identity: identity.New(d, keys, clock, nil, cheap),
			Ledger: ledger.New(d, clock, nil), Playbook: playbook.New(d, clock, playbook.Options{Known: known}),
		},
	}
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// ids returns the accounts by name.
func (s *stage) ids() map[string]journal.AccountID {
	s.Helper()
	accounts, err := s.Ledger.Accounts(s.Context(), s.owner)
	s.must(err)
	ids := map[string]journal.AccountID{}
	for _, a := range accounts {
		ids[a.Name] = a.ID
	}
	return ids
}

func (s *stage) trades(account journal.AccountID) (list []ledger.Trade) {
	s.Helper()
	query := ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{account}}}
	s.must(s.Ledger.EachTrade(s.Context(), s.owner, query, func(t ledger.Trade) error {
		list = append(list, t)
		return nil
	}))
	return list
}

// checkLedger checks that the ledger finds no problems and has the story's trades.
func (s *stage) checkLedger() {
	s.Helper()
	s.must(s.Ledger.Check(s.Context(), func(p ledger.Problem) { s.Errorf("%+v", p) }))
	ids := s.ids()
	for _, a := range s.story.Accounts {
		want, got := tradesIn(a), s.trades(ids[a.Name])
		if len(got) != len(want) {
			s.Errorf("%s: %d trades, want %d", a.Name, len(got), len(want))
		}
		var net, wantNet decimal.Decimal
		for _, trade := range got {
			net = net.Add(trade.NetPnL.Decimal)
		}
		for _, trade := range want {
			wantNet = wantNet.Add(trade.NetPnL.Decimal)
		}
		if !net.Equal(wantNet) {
			s.Errorf("%s: net %s, want %s", a.Name, net, wantNet)
		}
	}
}

// The story's multipliers are the ledger's defaults.
func TestContractsAreKnown(t *testing.T) {
	t.Parallel()
	for _, a := range stories()[lastDays[0]].Accounts {
		for _, f := range a.Fills {
			if err := f.Check(); err != nil {
				t.Fatalf("%s: %v", f.ExternalID, err)
			}
			want, warning := instruments.DefaultMultiplier(f.Symbol, f.InstrumentType)
			if !f.Multiplier.Decimal.Equal(want) || warning != "" {
				t.Fatalf("%s: multiplier %s, want %s %s", f.Symbol, f.Multiplier, want, warning)
			}
		}
	}
}

// checkAnnotations checks that every trade has its annotations.
func (s *stage) checkAnnotations() {
	s.Helper()
	ids := s.ids()
	for _, a := range s.story.Accounts {
		byOpening := map[int64]ledger.Trade{}
		var all []journal.TradeID
		for _, trade := range s.trades(ids[a.Name]) {
			byOpening[trade.OpenedAt.UnixMicro()] = trade
			all = append(all, trade.ID)
		}
		annotations, err := s.Playbook.LoadAnnotations(s.Context(), s.owner, all)
		s.must(err)
		if len(annotations) != len(a.Annotations) {
			s.Errorf("%s: %d annotations, want %d", a.Name, len(annotations), len(a.Annotations))
		}
		at := map[string]time.Time{}
		for _, f := range a.Fills {
			at[f.ExternalID] = f.ExecutedAt
		}
		for _, want := range a.Annotations {
			got := annotations[byOpening[at[want.Opening].UnixMicro()].ID]
			if got.Notes != want.Notes || !got.InitialRisk.Equal(want.Risk) || len(got.Tags) != len(want.Tags) ||
				len(got.Setups) != len(want.Setups) || len(got.Rules) != len(want.Rules) || (got.ReviewedAt == nil) != want.ReviewedAt.IsZero() {
				s.Fatalf("%s: %+v, want %+v", want.Opening, got, want)
			}
		}
	}
}

// checkSpreads checks that all spreads but the last two are accepted as verticals, and that
// these two are proposed.
func (s *stage) checkSpreads() {
	s.Helper()
	accepted := 0
	for _, a := range s.story.Accounts {
		accepted += len(a.Spreads)
	}
	s.must(s.DB.View(s.Context(), func(tx *db.Tx) error {
		book := strategybook.New(s.DB, s.Clock)
		for state, want := range map[strategies.State]int{strategies.Accepted: accepted, strategies.Proposed: 2} {
			list, err := book.List(s.Context(), tx, s.owner, strategybook.Query{State: state})
			if err != nil {
				return err
			}
			if len(list) != want || want < 2 {
				s.Errorf("%d strategies are %s, want %d", len(list), state, want)
			}
			for i := range list {
				if found := &list[i]; found.Kind != strategies.Vertical || found.Evidence != strategies.ByOrder || found.Payoff.MaxLoss.Decimal.Sign() <= 0 {
					s.Errorf("%s of %s is %s by %s with a largest loss of %s", state, found.Underlying, found.Kind, found.Evidence, found.Payoff.MaxLoss)
				}
			}
		}
		return nil
	}))
}

func (s *stage) checkCounts() {
	s.Helper()
	var notes int
	var missed []playbook.Missed
	var rules []tradingrules.Rule
	var goals []tradingrules.Goal
	var enrolled []enrollments.Enrollment
	s.must(s.DB.View(s.Context(), func(tx *db.Tx) (err error) {
		if _, notes, err = s.Playbook.ReadNotePage(s.Context(), tx, s.owner, playbook.NoteFilter{}, playbook.Page{Limit: 1}); err != nil {
			return err
		}
		if missed, err = playbook.ListMissed(s.Context(), tx, s.owner, journal.Scope{}, playbook.Page{}); err != nil {
			return err
		}
		rules, err = rulebook.ListRules(s.Context(), tx, s.owner)
		if err != nil {
			return err
		}
		if goals, err = rulebook.ListGoals(s.Context(), tx, s.owner); err != nil {
			return err
		}
		enrolled, err = enrollments.List(s.Context(), tx, s.owner)
		return err
	}))
	setups, err := s.Playbook.Setups(s.Context(), s.owner)
	s.must(err)
	tags, err := s.Playbook.Tags(s.Context(), s.owner)
	s.must(err)
	got := []int{notes, len(missed), len(setups), len(tags), len(rules), len(goals), len(enrolled)}
	want := []int{
		len(s.story.Notes), len(s.story.Missed), len(s.story.Setups), len(s.story.Tags), len(s.story.Rules), len(s.story.Goals), len(s.story.Enrollments),
	}
	if diff := cmp.Diff(want, got); diff != "" || len(rules)*len(goals)*len(enrolled) == 0 {
		s.Errorf("notes, missed trades, setups, tags, rules, goals, enrollments: %s", diff)
	}
}

func (s *stage) checkCash() {
	s.Helper()
	rows, linked := 0, 0
	s.must(s.Ledger.EachCash(s.Context(), s.owner, journal.Scope{}, func(c ledger.Cash) error {
		rows++
		linked += flag(c.Trade != nil)
		return nil
	}))
	for _, a := range s.story.Accounts {
		for _, c := range a.Cash {
			rows, linked = rows-1, linked-flag(c.Opening != "")
		}
	}
	if rows != 0 || linked != 0 {
		s.Errorf("%d cash rows too many, %d links", rows, linked)
	}
}

func (s *stage) checkPictures() {
	s.Helper()
	want := map[string][]byte{}
	for _, a := range s.story.Accounts {
		for _, p := range a.Pictures {
			want[p.Name] = p.PNG
		}
	}
	var list []playbook.Attachment
	s.must(s.DB.View(s.Context(), func(tx *db.Tx) (err error) {
		list, err = playbook.ListAttachments(s.Context(), tx, s.owner)
		return err
	}))
	for _, a := range list {
		_, content, err := s.Playbook.OpenAttachment(s.Context(), s.owner, a.ID)
		s.must(err)
		stored, err := io.ReadAll(content)
		s.must(err)
		if !bytes.Equal(stored, want[a.Name]) || a.MediaType != "image/png" || a.Trade == nil {
			s.Errorf("%s is not the picture", a.Name)
		}
		delete(want, a.Name)
	}
	if len(want) > 0 {
		s.Errorf("%d pictures are missing", len(want))
	}
}

func (s *stage) checkRoutine() {
	s.Helper()
	s.must(s.routine.Check(s.Context(), func(what string) { s.Error(what) }))
	history, err := s.routine.History(s.Context(), s.owner, s.story.Last.AddDays(-399), s.story.Last)
	s.must(err)
	wantDone, wantDue := 0, 0
	for _, day := range history.Days {
		done, due := doneOn(s.story, day.Day)
		wantDone, wantDue = wantDone+done, wantDue+due
	}
	if history.Done != wantDone || history.Total != wantDue || history.Streak < streak-2 {
		s.Errorf("%d of %d are done, streak %d; want %d of %d", history.Done, history.Total, history.Streak, wantDone, wantDue)
	}
}

// checkOnce: a journal is written once, a second time nothing changes.
func (s *stage) checkOnce() {
	s.Helper()
	before := s.contents()
	s.seed(wasThere)
	if err := Fill(s.Context(), s.Services, s.owner, s.story); !journal.IsKind(err, journal.KindConflict) {
		s.Errorf("Fill again = %v, want a conflict", err)
	}
	if diff := cmp.Diff(before, s.contents()); diff != "" {
		s.Error(diff)
	}
}

// contents counts the rows in every table.
func (s *stage) contents() map[string]int {
	s.Helper()
	counts := map[string]int{}
	s.must(s.DB.View(s.Context(), func(tx *db.Tx) error {
		for _, table := range []string{
			"users", "accounts", "executions", "trades", "cash_transactions", "notes", "tags", "setups", "trade_annotations",
			"trade_tags", "trade_setups", "attachments", "missed_trades", "routine_items", "routine_ticks",
		} {
			var n int
			if err := tx.QueryRow(s.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n); err != nil {
				return err
			}
			counts[table] = n
		}
		return nil
	}))
	return counts
}

// excerpt is a similar story, quickly written.
func (s Story) excerpt() Story {
	s.Notes, s.Missed, s.Routine = s.Notes[:3], s.Missed[:3], s.Routine[:2]
	s.Accounts = slices.Clone(s.Accounts)
	for i, a := range s.Accounts {
		s.Accounts[i] = Account{NewAccount: a.NewAccount, Fills: a.Fills[:20]}
	}
	return s
}

// Two writers at once: one writes, the other is refused.
func TestTwoWritersAtOnce(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newStage(t, d)
		user, err := s.Identity.CreateUserByOperator(t.Context(), Email, secrets.Secret(Password), false)
		s.must(err)
		small := s.story.excerpt()
		results := make(chan error, 2)
		for range cap(results) {
			go func() { results <- Fill(context.WithoutCancel(t.Context()), s.Services, user.ID, small) }()
		}
		first, second := <-results, <-results
		if first != nil {
			first, second = second, first
		}
		if first != nil || !journal.IsKind(second, journal.KindConflict) {
			t.Errorf("two writers: %v and %v", first, second)
		}
		if accounts, err := s.Ledger.Accounts(t.Context(), user.ID); err != nil || len(accounts) != 3 {
			t.Errorf("%d accounts, %v", len(accounts), err)
		}
	})
}

// checkSignIn checks the documented password.
func (s *stage) checkSignIn() {
	s.Helper()
	pair, err := s.Identity.Login(s.Context(), identity.Client{}, Email, secrets.Secret(Password), "")
	if err != nil || !pair.IsAdmin {
		s.Errorf("Login = %+v, %v", pair, err)
	}
}
