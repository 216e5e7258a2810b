package columns_test

import (
	"fmt"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/ledger"
)

// capital returns the starting balance, and counts how often it is computed.
func (h *env) capital(b *columns.Snapshot, computed *int) string {
	return columns.LoadOrCompute(h.Figures, b, "capital", func() string {
		*computed++
		return b.Capital.Starting.String()
	})
}

func (h *env) setBalance(balance string) {
	h.t.Helper()
	_, err := h.Ledger.UpdateAccount(h.t.Context(), h.owner, h.account, ledger.AccountChange{
		StartingBalance: journal.Some(decimal.Must(balance)),
	}, nil)
	must(h.t, err)
}

func TestAnswersAreKeptUntilAWrite(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		computed := 0
		ask := func(want string, times int) {
			t.Helper()
			must(t, h.Figures.View(t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
				if got := h.capital(b, &computed); got != want || computed != times {
					t.Errorf("the capital is %s, computed %d times; want %s and %d", got, computed, want, times)
				}
				return nil
			}))
		}
		ask("1000", 1)
		ask("1000", 1)
		h.setBalance("70")
		ask("70", 2)
		ask("70", 2)
		// Another account has its own answers.
		h.account = h.createAccount("Other", "5")
		ask("75", 3)
	})
}

// TestOldSnapshotCachesNoAnswer: a query begun before a write and answered after it may
// have either state, but must not be cached as the newer state.
func TestOldSnapshotCachesNoAnswer(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		ctx, computed := t.Context(), 0
		must(t, h.DB.View(ctx, func(old *db.Tx) error {
			if _, err := h.Figures.Read(ctx, old, h.owner, nil); err != nil {
				return err
			}
			h.setBalance("5000")
			if err := h.Figures.View(ctx, h.owner, nil, func(*db.Tx, *columns.Snapshot) error { return nil }); err != nil {
				return err
			}
			b, err := h.Figures.Read(ctx, old, h.owner, nil)
			if err == nil && h.capital(b, &computed) != "1000" {
				err = fmt.Errorf("the old snapshot has the capital %s", b.Capital.Starting)
			}
			return err
		}))
		must(t, h.Figures.View(ctx, h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
			if got := h.capital(b, &computed); got != "5000" {
				t.Errorf("the capital is %s, want 5000", got)
			}
			return nil
		}))
	})
}

// TestAnswersAreBounded makes more queries than are cached.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		must(t, h.Figures.View(t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
			computed := 0
			for i := range 1000 {
				question := fmt.Sprint("question ", i)
				if got := columns.LoadOrCompute(h.Figures, b, question, func() int { computed++; return i }); got != i {
					t.Fatalf("%s has the answer %d", question, got)
				}
			}
			columns.LoadOrCompute(h.Figures, b, "question 999", func() int { computed++; return 999 })
			columns.LoadOrCompute(h.Figures, b, "question 0", func() int { computed++; return 0 })
			if computed != 1001 {
				t.Errorf("%d answers were computed, want each once and the first twice", computed)
			}
			return nil
		}))
	})
}
