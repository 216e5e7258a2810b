package demo

import (
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

func (s *stage) rows(table string) (n int) {
	s.Helper()
	s.must(s.DB.View(s.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(s.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n)
	}))
	return n
}

// The demo account is added once to a user's own journal and contains the whole story's
// trades with their annotations.
func TestAddAccount(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newStage(t, d)
		created, err := s.Identity.CreateUserByOperator(t.Context(), "ann@example.org", "a long sentence works well", false)
		s.must(err)
		s.owner = created.ID
		_, err = s.Ledger.CreateAccount(t.Context(), s.owner, ledger.NewAccount{Name: "Own"})
		s.must(err)

		// Only one of several concurrent calls succeeds.
		var added []ledger.Account
		var lock sync.Mutex
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				a, err := AddAccount(t.Context(), s.Services, s.owner)
				lock.Lock()
				defer lock.Unlock()
				if err == nil {
					added = append(added, a)
				} else if !journal.IsKind(err, journal.KindConflict) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if len(added) != 1 || added[0].Name != AccountName {
			t.Fatalf("added accounts %+v, want one", added)
		}
		fills, annotations, pictures := 0, 0, 0
		for _, a := range s.story.Accounts {
			fills += len(a.Fills)
			annotations += len(a.Annotations)
			pictures += len(a.Pictures)
		}
		if s.rows("accounts") != 2 || s.rows("executions") != fills || s.rows("trade_annotations") != annotations || fills == 0 || annotations == 0 {
			t.Errorf("%d accounts, %d of %d fills, %d of %d annotations", s.rows("accounts"), s.rows("executions"), fills, s.rows("trade_annotations"), annotations)
		}
		story := s.story
		want := map[string]int{
			"notes": len(story.Notes), "tags": len(story.Tags), "setups": len(story.Setups),
			"missed_trades": len(story.Missed), "routine_items": 0, "attachments": pictures,
			"trading_rules": len(story.Rules), "goals": len(story.Goals), "enrollments": 0,
		}
		for table, n := range want {
			if got := s.rows(table); got != n {
				t.Errorf("%s has %d rows, want %d", table, got, n)
			}
		}
	})
}

// The joined account has every fill, in time order, with a unique id.
func TestJoin(t *testing.T) {
	t.Parallel()
	story := stories()[lastDays[0]].join()
	a := story.Accounts[0]
	seen := map[string]bool{}
	for i, f := range a.Fills {
		if seen[f.ExternalID] || i > 0 && f.ExecutedAt.Before(a.Fills[i-1].ExecutedAt) {
			t.Fatalf("fill %d has a repeated id %s or is out of order", i, f.ExternalID)
		}
		seen[f.ExternalID] = true
	}
	for _, m := range a.Annotations {
		if !seen[m.Opening] {
			t.Errorf("annotations of %s: unknown fill", m.Opening)
		}
	}
	for _, c := range a.Cash {
		if c.Opening != "" && !seen[c.Opening] {
			t.Errorf("cash refers to unknown fill %s", c.Opening)
		}
	}
	for _, n := range story.Notes {
		if n.Account != AccountName {
			t.Errorf("note of %s names the account %q", n.Day, n.Account)
		}
	}
}
