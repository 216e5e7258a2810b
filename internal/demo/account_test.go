package demo

import (
	"sync"
	"testing"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/testkit"
)

func (s *stage) rows(table string) (n int) {
	s.Helper()
	s.must(s.DB.View(s.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(s.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n)
	}))
	return n
}

// TestAccountOfTheDemo is made once beside what the user has, holds the trades
// of the whole story with what was written on them, and goes without a trace.
func TestAccountOfTheDemo(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newStage(t, d)
		created, err := s.Identity.CreateUserByOperator(t.Context(), "ann@example.org", "a long sentence works well", false)
		s.must(err)
		s.owner = created.ID
		_, err = s.Ledger.CreateAccount(t.Context(), s.owner, ledger.NewAccount{Name: "Own"})
		s.must(err)

		// Several at once: one of them makes it.
		var made []ledger.Account
		var lock sync.Mutex
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				a, err := AddAccount(t.Context(), s.Services, s.owner)
				lock.Lock()
				defer lock.Unlock()
				if err == nil {
					made = append(made, a)
				} else if !journal.IsKind(err, journal.KindConflict) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if len(made) != 1 || made[0].Name != AccountName {
			t.Fatalf("made %+v", made)
		}
		fills, annotations := 0, 0
		for _, a := range s.story.Accounts {
			fills += len(a.Fills)
			annotations += len(a.Annotations)
		}
		if s.rows("accounts") != 2 || s.rows("executions") != fills || s.rows("trade_annotations") != annotations || fills == 0 || annotations == 0 {
			t.Errorf("%d accounts, %d of %d fills, %d of %d annotations", s.rows("accounts"), s.rows("executions"), fills, s.rows("trade_annotations"), annotations)
		}
		for _, table := range []string{"notes", "tags", "setups", "missed_trades", "routine_items"} {
			if n := s.rows(table); n != 0 {
				t.Errorf("%d rows of %s were written that are the user's own", n, table)
			}
		}
	})
}

// TestStoriesPutTogether keep every fill, in the order of time, under an id of
// its own.
func TestStoriesPutTogether(t *testing.T) {
	t.Parallel()
	a := told()[lastDays[0]].together()
	seen := map[string]bool{}
	for i, f := range a.Fills {
		if seen[f.ID] || i > 0 && f.At.Before(a.Fills[i-1].At) {
			t.Fatalf("fill %d, %s, is there twice or out of order", i, f.ID)
		}
		seen[f.ID] = true
	}
	for _, m := range a.Annotations {
		if !seen[m.Opening] || m.Setups != nil || m.Tags != nil {
			t.Errorf("annotations on %s", m.Opening)
		}
	}
	for _, c := range a.Cash {
		if c.Opening != "" && !seen[c.Opening] {
			t.Errorf("cash of %s", c.Opening)
		}
	}
}
